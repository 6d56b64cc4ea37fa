/* Constant time: every kernel of every row that this CPU has, at lengths on both sides of every
 * path, and the layers above, with key, nonce and message as secrets. What watches them is one of
 * two:
 *
 * - valgrind's memcheck, to which the secrets are undefined: it reports every branch and every
 *   address that depends on them. Run as: valgrind -q --error-exitcode=9 ct. Exit status 2: not
 *   under valgrind.
 * - FC_CT_TRACE: QEMU's trace (tools/testbed/ct.py). Everything is done three times with other
 *   secrets, random, all zeros and all ones, and ct_mark passed before and after each time: what
 *   is executed and addressed between must be the same.
 *
 *   ct            prints "row NAME" for each row that it runs, "absent NAME" for each that cannot
 *   ct NAME       that row alone
 *   ct --leak     branches on a secret byte and indexes with another: this must be found
 */
#include "aead.h"
#include "backend.h"
#include "chacha20.h"
#include "poly1305.h"

#include <stdio.h>
#include <string.h>

#ifdef FC_CT_TRACE
#define VARIANTS 3
static int variant;

static uint8_t noise[8192];

static void make_noise(void) {
    uint32_t x = 2463534242u;
    for (size_t i = 0; i < sizeof noise; i++) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5; /* Marsaglia's xorshift */
        noise[i] = (uint8_t)(variant == 0 ? x : variant == 1 ? 0 : 0xff);
    }
}

__attribute__((noinline)) static void mark(void) {
    __asm__ volatile(".globl ct_mark\nct_mark:" ::: "memory");
}

#define SECRET(object) ((void)memcpy(&(object), noise, sizeof(object)))
#define PUBLIC(object) ((void)0)
#else
#include <valgrind/memcheck.h>

#define VARIANTS 1
#define SECRET(object) ((void)VALGRIND_MAKE_MEM_UNDEFINED(&(object), sizeof(object)))
#define PUBLIC(object) ((void)VALGRIND_MAKE_MEM_DEFINED(&(object), sizeof(object)))
static void mark(void) {}
#endif

#define MOST 4224

static uint8_t in[MOST], out[MOST];
#ifdef FC_CT_TRACE
/* Fewer: each instruction is a page of trace. The last is for kernels that begin late. */
static const size_t lengths[] = {1, 17, 64, 130, 400, 1100, 2176};
#else
static const size_t lengths[] = {0,   1,    3,    15,   16,   17,   31,   32,   63,   64,   65,
                                 127, 128,  129,  255,  256,  257,  319,  320,  383,  384,  385,
                                 447, 448,  449,  511,  512,  513,  575,  640,  767,  768,  960,
                                 961, 1023, 1024, 1025, 1350, 1536, 2047, 2048, 2049, 4096, 4200};
#endif
#define LENGTHS (sizeof lengths / sizeof lengths[0])

/* A state within the contract: h[2] <= 4, r clamped. */
static void secret_state(struct fc_poly1305 *p) {
    SECRET(*p);
    p->h[2] &= 3;
    p->r[0] &= UINT64_C(0x0ffffffc0fffffff);
    p->r[1] &= UINT64_C(0x0ffffffc0ffffffc);
    p->powers_kind = FC_POWERS_NONE;
}

static void kernels(const struct fc_kernel *k) {
    uint32_t state[16];
    uint32_t subkey[8];
    uint8_t block0[64];
    struct fc_poly1305 p;

    for (size_t i = 0; i < LENGTHS; i++) {
        size_t n = lengths[i];
        int late = k->poly1305_min > 1100 || (k->aead && k->aead_min > 1100);
        if (VARIANTS > 1 && n > 1100 && !late) continue;
        for (unsigned rounds = VARIANTS > 1 ? 20 : 8; rounds <= 20; rounds += rounds == 8 ? 4 : 8) {
            SECRET(state), SECRET(in);
            fc_run_chacha20(k, state, NULL, in, out, n, rounds);
            fc_run_chacha20(k, state, block0, in, in, n, rounds);
        }
        for (uint32_t padbit = 0; padbit < 2; padbit++) {
            SECRET(in);
            secret_state(&p);
            fc_run_poly1305(k, &p, in, n / 16, padbit);
            fc_run_poly1305(k, &p, in, n / 16, padbit); /* with what the first call has cached */
        }
        if (k->aead && n >= k->aead_min && n >= 64) {
            for (int decrypt = 0; decrypt < 2; decrypt++) {
                SECRET(state), SECRET(in);
                secret_state(&p);
                fc_run_aead(k, state, &p, in, out, n & ~(size_t)63, decrypt);
                fc_run_aead(k, state, &p, in, in, n & ~(size_t)63, decrypt);
            }
        }
    }
    SECRET(state);
    fc_run_hchacha20(k, subkey, state, 20);
}

static void layers(const struct fc_kernel *k) {
    uint8_t key[32], nonce[24], tag[16], other[16];
    struct fc_aead a;

    for (size_t i = 0; i < LENGTHS; i++) {
        size_t n = lengths[i];
        if (VARIANTS > 1 && n > 400) continue;
        for (size_t nonce_len = 12; nonce_len <= 24; nonce_len += 12) {
            SECRET(key), SECRET(nonce), SECRET(in);
            fc_aead_encrypt(k, key, nonce, nonce_len, in, n % 50, in, out, n, tag);
            /* Decryption up to the comparison, whose outcome is public. */
            SECRET(in);
            fc_aead_init(k, &a, key, nonce, nonce_len);
            fc_aead_update(k, &a, in, n % 50, in, out, n, 1);
            fc_aead_final(k, &a, NULL, 0, tag);
            SECRET(in);
            fc_aead_init(k, &a, key, nonce, nonce_len);
            fc_aead_update(k, &a, in, n % 50, in, in, n / 3, 1);
            fc_aead_update(k, &a, NULL, 0, in + n / 3, in + n / 3, n - n / 3, 1);
            fc_aead_final(k, &a, NULL, 0, tag);
        }
    }
    SECRET(tag), SECRET(other);
    int equal = fc_equal16(tag, other);
    PUBLIC(equal);
    (void)equal;
}

static int leak(void) {
    static const volatile uint8_t table[256];
    uint8_t byte[2];
    SECRET(byte);
    if (byte[0]) out[0] = 1;
    return table[byte[1]];
}

/* One row, or each that this CPU has (NULL). Whether there was one. */
static int rows(const char *only, int tell) {
    uint64_t features = fc_cpu_detect();
    int found = 0;
    for (size_t i = 0; i < fc_backend_count; i++) {
        const struct fc_backend *b = &fc_backends[i];
        if (!b->here || b->flags & FC_EMULATED || (only && strcmp(b->name, only))) continue;
        found = 1;
        int able = fc_backend_available(b, features);
        if (tell) {
            printf("%s %s\n", able ? "row" : "absent", b->name);
        } else if (able) {
            struct fc_kernel k;
            fc_resolve(&k, b, features);
            kernels(&k);
            layers(&k);
        }
    }
    return found;
}

/* Never inlined: the same code each time. */
__attribute__((noinline)) static void once(const char *only, int leaking) {
    mark();
    if (leaking)
        out[1] = (uint8_t)leak();
    else
        rows(only, 0);
    mark();
}

int main(int argc, char **argv) {
    const char *only = argc > 1 ? argv[1] : NULL;
    int leaking = only && !strcmp(only, "--leak");

#ifndef FC_CT_TRACE
    if (!RUNNING_ON_VALGRIND) {
        fprintf(stderr, "ct: run me under valgrind\n");
        return 2;
    }
#endif
    if (!leaking && !rows(only, 1)) return 2;
    for (int i = 0; i < VARIANTS; i++) {
#ifdef FC_CT_TRACE
        variant = i;
        make_noise();
#endif
        once(only, leaking);
    }
    return 0;
}
