/* The kernel check program: what its files share.
 *
 * A subject is one set of kernels under test: a row of backends.def, or one of the deliberately
 * wrong ones of cheats.c. Every check names itself in `now` before it calls a kernel, so that a wrong
 * byte and a fault are reported alike.
 */
#ifndef FC_CHECK_H
#define FC_CHECK_H

#include "aead.h"
#include "backend.h"
#include "chacha20.h"
#include "poly1305.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LENGTH_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- what is under test ---------------------------------------------------------------------- */
struct subject {
    const char *name;
    fc_chacha20_fn *chacha20;
    fc_hchacha20_fn *hchacha20;
    fc_poly1305_blocks_fn *poly1305;
    fc_aead_fn *aead;        /* NULL: none */
    struct fc_kernel row;    /* as the dispatch uses it, with its smallest lengths */
    struct fc_kernel direct; /* the same kernels at every length */
};

/* The subject of an available row. */
void subject_of_row(struct subject *s, const struct fc_backend *b, uint64_t features);
/* Fills s->direct from the four pointers. */
void subject_direct(struct subject *s);

/* The rows that this CPU can run, for the hand-over of a message between kernels. */
#define MAX_ROWS 32
extern struct subject rows[MAX_ROWS];
extern size_t row_count;

extern int thorough;

void check_vectors(const struct subject *s);
void check_chacha20(const struct subject *s);
void check_hchacha20(const struct subject *s);
void check_poly1305(const struct subject *s);
void check_aead_kernel(const struct subject *s);
void check_layers(const struct subject *s);
void check_all(const struct subject *s);

/* Runs each wrong kernel in a child process; 0 if every one was caught. */
int self_test(const char *program);
/* The wrong kernels of this name as a subject; 0 if there are none. */
int cheat(struct subject *s, const char *name);

/* ---- reporting ------------------------------------------------------------------------------- */
enum { EXIT_WRONG = 1, EXIT_USAGE = 2, EXIT_FAULT = 3 };

/* The check that is running. */
struct now {
    const char *subject, *what;
    size_t len;                       /* bytes */
    const uint8_t *in, *out, *block0; /* their low 6 bits are shown: the alignment */
    const void *state;
    unsigned rounds;
    uint32_t counter;
    const char *more; /* "" or words of the check's own */
    uint64_t n[2];    /* shown if not UINT64_MAX */
    uint64_t checks;  /* that have passed */
};
extern struct now now;

/* Begins a check: forgets the last one's details. */
void begin(const char *what, size_t len);
/* One check held. */
static inline void passed(void) { now.checks++; }
/* Prints one line that describes `now` and this, then exits with EXIT_WRONG. */
_Noreturn void fail(const char *format, ...);
/* fails at the first byte that differs */
void same(const char *which, const uint8_t *got, const uint8_t *want, size_t n);

/* ---- memory ----------------------------------------------------------------------------------
 * An arena is writable memory between two stretches that fault. Buffers are put at its very end, at
 * its very beginning, or near its end at an alignment of choice; the bytes around a buffer hold a
 * pattern that must be there afterwards.
 */
struct arena {
    uint8_t *lo, *hi;
    uint8_t *p; /* the buffer put there last */
    size_t len;
};

enum { AT_END = -1, AT_START = -2 }; /* or an alignment, 0 to 63 */

extern struct arena arena_in, arena_out, arena_state, arena_block0, arena_poly;
/* The largest buffer in arena_in and arena_out, in bytes. */
#define MAX_LEN ((size_t)1 << 20)

void memory_init(void);
/* Reserves len bytes and writes the pattern around them. */
uint8_t *put(struct arena *a, size_t len, int where);
/* fails if the pattern around the buffer is not whole */
void intact(const char *which, const struct arena *a);
/* Describes `now` and exits with EXIT_FAULT on SIGSEGV, SIGBUS, SIGILL and their like. */
void catch_faults(void);

/* ---- data ------------------------------------------------------------------------------------ */
void seed_random(uint64_t seed);
uint64_t random64(void);
static inline size_t below(size_t n) { return (size_t)(random64() % n); }
void random_bytes(void *p, size_t n);

/* MAX_LEN + 64 bytes that never change. */
extern uint8_t *data;
void data_init(void);

/* ---- references ------------------------------------------------------------------------------ */

/* h reduced to [0, 2**130 - 5). h[2] may be anything up to 7. */
void poly_canonical(uint64_t h[3]);
/* A Poly1305 that shares nothing with the kernels: bytes times bytes, the schoolbook way.
 * trace[0] = h, trace[i] = the canonical value after i blocks. */
void poly_trace(uint64_t (*trace)[3], const uint64_t h[3], const uint64_t r[2], const uint8_t *in,
                size_t blocks, uint32_t padbit);
/* The tag of a message: the same by poly_trace alone. */
void poly_tag(uint8_t tag[16], const uint8_t key[32], const uint8_t *in, size_t len);
/* r and s of a key. */
void poly_key(uint64_t r[2], uint64_t s[2], const uint8_t key[32]);

/* Keystream of `generic`, block by block, the counter carried over 64 bits if wide. */
void keystream(uint8_t *out, const uint32_t state[16], uint64_t block, size_t blocks,
               unsigned rounds, int wide);

/* ---- known answers (vectors.c) --------------------------------------------------------------- */
struct stream_vector {
    const char *origin, *key, *nonce;
    uint32_t counter;
    unsigned rounds;
    const char *in, *out; /* in "": zeros */
};
struct hchacha_vector {
    const char *origin, *key, *nonce, *subkey;
};
struct mac_vector {
    const char *origin, *key, *in, *tag;
};
struct aead_vector {
    const char *origin, *key, *nonce, *aad, *in, *out, *tag;
};
extern const struct stream_vector stream_vectors[];
extern const size_t stream_vector_count;
extern const struct hchacha_vector hchacha_vectors[];
extern const size_t hchacha_vector_count;
extern const struct mac_vector mac_vectors[];
extern const size_t mac_vector_count;
extern const struct aead_vector aead_vectors[];
extern const size_t aead_vector_count;

#endif
