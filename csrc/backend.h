/* The kernel contract, the two tables' types and the dispatch. Everything below Python meets here.
 *
 * A byte goes one way: Python buffer -> _core.pyx -> aead.c / chacha20.c / poly1305.c -> one
 * function pointer of the chosen backend -> kernel. Nothing below calls up.
 */
#ifndef FC_BACKEND_H
#define FC_BACKEND_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- architecture ----------------------------------------------------------------------------
 * FC_ARCH is the token that the tables use. FC_IF_<arch>(...) keeps its arguments on that
 * architecture and drops them elsewhere.
 */
#define FC_KEEP(...) __VA_ARGS__
#define FC_DROP(...)

#if defined(__x86_64__) || defined(_M_X64)
#define FC_ARCH x86_64
#define FC_IF_x86_64 FC_KEEP
#elif defined(__aarch64__) || defined(_M_ARM64)
#define FC_ARCH aarch64
#define FC_IF_aarch64 FC_KEEP
#elif defined(__arm__)
#define FC_ARCH arm
#define FC_IF_arm FC_KEEP
#elif defined(__powerpc__)
#define FC_ARCH ppc
#define FC_IF_ppc FC_KEEP
#elif defined(__riscv) && __riscv_xlen == 64
#define FC_ARCH riscv64
#define FC_IF_riscv64 FC_KEEP
#elif defined(__s390x__)
#define FC_ARCH s390x
#elif defined(__i386__) || defined(_M_IX86)
#define FC_ARCH i686
#else
#define FC_ARCH other
#endif

#define FC_IF_any FC_KEEP
#ifndef FC_IF_x86_64
#define FC_IF_x86_64 FC_DROP
#endif
#ifndef FC_IF_aarch64
#define FC_IF_aarch64 FC_DROP
#endif
#ifndef FC_IF_arm
#define FC_IF_arm FC_DROP
#endif
#ifndef FC_IF_ppc
#define FC_IF_ppc FC_DROP
#endif
#ifndef FC_IF_riscv64
#define FC_IF_riscv64 FC_DROP
#endif

#define FC_STR_(x) #x
#define FC_STR(x) FC_STR_(x)

/* ---- the Poly1305 state that kernels share -----------------------------------------------------
 * h = h[0] + 2**64 h[1] + 2**128 h[2], limbs in host order, partially reduced: h[2] <= 4 whenever a
 * kernel is entered or left (so h < 5 * 2**128 = 2**130 + 2**128). r is clamped (RFC 8439, section
 * 2.5). Any kernel may continue where any other stopped.
 *
 * powers[] is a cache for the kernels' powers of r, in whatever form the kernel that filled it
 * likes; powers_kind says whose form it is (FC_POWERS_*, one value per form), 0 that nothing is
 * cached; its upper 32 bits are that kernel's, for what is public (how much is cached). Only
 * powers_kind is initialised, and powers[] is wiped only where it is not 0, so a kernel sets
 * powers_kind before it stores anything secret there. Its size does not depend on any
 * vector length.
 */
#define FC_POWERS_WORDS 64

enum fc_powers_kind {
    FC_POWERS_NONE = 0,
    FC_POWERS_AVX2 = 1,
    FC_POWERS_AVX512 = 2,
    FC_POWERS_NEON = 3,
    FC_POWERS_RVV = 4,
    FC_POWERS_POWER8 = 5,
    FC_POWERS_POWER9 = 6,
    FC_POWERS_POWER10 = 7,
};

struct fc_poly1305 {
    uint64_t h[3];                    /* byte offset  0 */
    uint64_t r[2];                    /* byte offset 24 */
    uint64_t s[2];                    /* byte offset 40 */
    uint64_t powers_kind;             /* byte offset 56 */
    uint64_t powers[FC_POWERS_WORDS]; /* byte offset 64 */
};

/* ---- kernel signatures -------------------------------------------------------------------------
 * chacha20: XORs len bytes (any number) with keystream blocks state[12], state[12] + 1, ... . state
 * is never written; its words are in host order. If block0 is not NULL, the 64 keystream bytes of
 * block state[12] go there and the data begins at the next block. A call may end exactly at block
 * 2**32 and never passes it (the callers in chacha20.c split there and carry). in equals out or
 * does not overlap; block0 overlaps neither. rounds is 8, 12 or 20. Nothing outside the buffers is
 * read or written. len may be 0 (in and out may then be NULL).
 *
 * hchacha20: words 0-3 and 12-15 of the state after the rounds, without the final addition
 * (draft-irtf-cfrg-xchacha-03, section 2.2). The whole of state[16] is input: constants, key,
 * nonce.
 *
 * poly1305_blocks: h = (h + block + padbit * 2**128) * r for each 16-byte block; padbit is 0 or 1.
 *
 * aead: len is a multiple of 64 and not 0. XORs as chacha20 does and authenticates the ciphertext
 * (the output when encrypting, the input when decrypting) as whole Poly1305 blocks with padbit 1;
 * each byte is loaded once, so that what is authenticated is what is decrypted.
 */
typedef void fc_chacha20_fn(const uint32_t state[16], uint8_t *block0, const uint8_t *in,
                            uint8_t *out, size_t len, unsigned rounds);
typedef void fc_hchacha20_fn(uint32_t out[8], const uint32_t state[16], unsigned rounds);
typedef void fc_poly1305_blocks_fn(struct fc_poly1305 *p, const uint8_t *in, size_t blocks,
                                   uint32_t padbit);
typedef void fc_aead_fn(const uint32_t state[16], struct fc_poly1305 *p, const uint8_t *in,
                        uint8_t *out, size_t len, int decrypt);

/* ---- features (features.def) ----------------------------------------------------------------- */
struct fc_feature {
    const char *name;
    const char *arch;
    int bit; /* -1: of another architecture */
};

extern const struct fc_feature fc_features[];
extern const size_t fc_feature_count;

/* The bits of this architecture, numbered by features.def: FC_BIT_v and so on. */
enum {
#define FC_FEATURE(arch, bit, name, probe, trial) FC_IF_##arch(FC_BIT_##name = bit, )
#include "features.def"
#undef FC_FEATURE
    FC_BIT_end_ = 64
};

/* What the CPU and the operating system offer, as features.def's bits. In cpu_<arch>.c; never
 * caches, never faults. */
uint64_t fc_cpu_detect(void);

/* Executes one instruction of feature `bit` (its trial in features.def) in a child process. Returns
 * 0 if it ran, 1 if it trapped, -1 where that cannot be tried (no fork, or a compiler without
 * inline assembly). */
int fc_cpu_trial_in_child(int bit);

/* ---- backends (backends.def) -------------------------------------------------------------------
 * A slot is one kernel of a row: its token (symbol suffix), and the smallest length in bytes (key
 * block included) from which it is used; shorter input goes to the same slot of the best available
 * scalar row of the architecture, and to `generic` where the architecture has none.
 */
enum fc_flags {
    FC_SCALAR = 1,   /* a scalar row: short input of the vector rows falls to it */
    FC_EMULATED = 2, /* runs in fastchacha.rvvemu: never chosen by auto, keeps the GIL */
};

enum fc_slot_kind { FC_SLOT_CHACHA20, FC_SLOT_HCHACHA20, FC_SLOT_POLY1305, FC_SLOT_AEAD, FC_SLOTS };

struct fc_slot {
    const char *kernel; /* token: "zvkb"; "none": no such kernel (aead only) */
    void (*fn)(void);   /* NULL: none, or not in this build */
    size_t min;         /* bytes */
};

struct fc_backend {
    const char *name;
    const char *arch;  /* "any" for generic and emulated rows */
    int here;          /* is it of this build's architecture? */
    int assembled;     /* are its kernels in this build? */
    uint64_t features; /* needed, as features.def's bits */
    unsigned flags;    /* enum fc_flags */
    const char *note;  /* why a slot points to `generic`, or "" */
    struct fc_slot slot[FC_SLOTS];
};

extern const struct fc_backend fc_backends[]; /* best first within an architecture */
extern const size_t fc_backend_count;
extern const char fc_arch[]; /* "x86_64" */

/* Can the row run on a CPU with these features? */
int fc_backend_available(const struct fc_backend *b, uint64_t features);

/* ---- dispatch ----------------------------------------------------------------------------------
 * One row resolved for one CPU: for each slot the kernel for long input and the one for short.
 * Plain data, written once before it is used.
 */
struct fc_kernel {
    fc_chacha20_fn *chacha20, *chacha20_short;
    fc_hchacha20_fn *hchacha20;
    fc_poly1305_blocks_fn *poly1305, *poly1305_short;
    fc_aead_fn *aead; /* NULL: none */
    size_t chacha20_min, poly1305_min, aead_min;
    unsigned flags;
    /* Rows in fc_backends[], for the call counters: the row asked for, and the one that short
     * input falls to. */
    unsigned row, row_short;
};

/* Fills *k for row b (which must be available on a CPU with these features). */
void fc_resolve(struct fc_kernel *k, const struct fc_backend *b, uint64_t features);

/* Call counters, [row][slot], for tests that prove which kernel ran. Off unless fc_counting is set;
 * they are not atomic, so count on one thread. */
extern int fc_counting;
extern uint64_t fc_calls[][FC_SLOTS];

static inline void fc_count(unsigned row, enum fc_slot_kind slot) {
    if (fc_counting) fc_calls[row][slot]++;
}

static inline void fc_run_chacha20(const struct fc_kernel *k, const uint32_t state[16],
                                   uint8_t *block0, const uint8_t *in, uint8_t *out, size_t len,
                                   unsigned rounds) {
    size_t total = len + (block0 ? 64 : 0); /* cannot wrap: len is an object's size */
    if (total >= k->chacha20_min) {
        fc_count(k->row, FC_SLOT_CHACHA20);
        k->chacha20(state, block0, in, out, len, rounds);
    } else {
        fc_count(k->row_short, FC_SLOT_CHACHA20);
        k->chacha20_short(state, block0, in, out, len, rounds);
    }
}

static inline void fc_run_hchacha20(const struct fc_kernel *k, uint32_t out[8],
                                    const uint32_t state[16], unsigned rounds) {
    fc_count(k->row, FC_SLOT_HCHACHA20);
    k->hchacha20(out, state, rounds);
}

static inline void fc_run_poly1305(const struct fc_kernel *k, struct fc_poly1305 *p,
                                   const uint8_t *in, size_t blocks, uint32_t padbit) {
    if (blocks * 16 >= k->poly1305_min) {
        fc_count(k->row, FC_SLOT_POLY1305);
        k->poly1305(p, in, blocks, padbit);
    } else {
        fc_count(k->row_short, FC_SLOT_POLY1305);
        k->poly1305_short(p, in, blocks, padbit);
    }
}

static inline void fc_run_aead(const struct fc_kernel *k, const uint32_t state[16],
                               struct fc_poly1305 *p, const uint8_t *in, uint8_t *out, size_t len,
                               int decrypt) {
    fc_count(k->row, FC_SLOT_AEAD);
    k->aead(state, p, in, out, len, decrypt);
}

/* ---- portable kernels (always built) --------------------------------------------------------- */
fc_chacha20_fn fc_chacha20_generic;
fc_hchacha20_fn fc_hchacha20_generic;
fc_poly1305_blocks_fn fc_poly1305_blocks_generic;

/* ---- helpers every C file needs -------------------------------------------------------------- */

/* Overwrites with zeros; the compiler cannot remove it. */
static inline void fc_wipe(void *p, size_t n) {
#if defined(_MSC_VER) && !defined(__clang__)
    volatile unsigned char *v = p;
    while (n--) *v++ = 0;
#else
    memset(p, 0, n);
    __asm__ volatile("" : : "r"(p) : "memory"); /* the zeros are read, for all the compiler knows */
#endif
}

static inline uint32_t fc_load32le(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t fc_load64le(const uint8_t *p) {
    return (uint64_t)fc_load32le(p) | (uint64_t)fc_load32le(p + 4) << 32;
}

static inline void fc_store32le(uint8_t *p, uint32_t x) {
    p[0] = (uint8_t)x;
    p[1] = (uint8_t)(x >> 8);
    p[2] = (uint8_t)(x >> 16);
    p[3] = (uint8_t)(x >> 24);
}

static inline void fc_store64le(uint8_t *p, uint64_t x) {
    fc_store32le(p, (uint32_t)x);
    fc_store32le(p + 4, (uint32_t)(x >> 32));
}

#endif
