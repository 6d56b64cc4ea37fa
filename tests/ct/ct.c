/* Constant time, by valgrind's memcheck: key, nonce and message are marked undefined, and memcheck
 * then reports every branch and every address that depends on them. Runs each kernel of each row that
 * this CPU (as valgrind shows it) has, at lengths on both sides of every path, and the layers above.
 *
 *   ct            prints "row NAME" for each row that ran, "absent NAME" for each that could not
 *   ct --leak     branches on a secret byte and indexes with another: memcheck must say so
 *
 * Run as: valgrind -q --error-exitcode=9 ct. Exit status 2: not under valgrind.
 */
#include "aead.h"
#include "backend.h"
#include "chacha20.h"
#include "poly1305.h"

#include <stdio.h>
#include <string.h>
#include <valgrind/memcheck.h>

#define SECRET(object) ((void)VALGRIND_MAKE_MEM_UNDEFINED(&(object), sizeof(object)))
#define PUBLIC(object) ((void)VALGRIND_MAKE_MEM_DEFINED(&(object), sizeof(object)))

#define MOST 4224

static uint8_t in[MOST], out[MOST];
static const size_t lengths[] = {0,   1,   3,   15,  16,  17,   31,   32,   63,   64,   65,
                                 127, 128, 129, 255, 256, 257,  319,  320,  383,  384,  385,
                                 447, 448, 449, 511, 512, 513,  575,  640,  767,  768,  960,
                                 961, 1023, 1024, 1025, 1350, 1536, 2047, 2048, 2049, 4096, 4200};
#define LENGTHS (sizeof lengths / sizeof lengths[0])

static void kernels(const struct fc_kernel *k) {
    uint32_t state[16];
    uint32_t subkey[8];
    uint8_t block0[64];
    struct fc_poly1305 p;

    for (size_t i = 0; i < LENGTHS; i++) {
        size_t n = lengths[i];
        for (unsigned rounds = 8; rounds <= 20; rounds += rounds == 8 ? 4 : 8) {
            SECRET(state), SECRET(in);
            fc_run_chacha20(k, state, NULL, in, out, n, rounds);
            fc_run_chacha20(k, state, block0, in, in, n, rounds);
        }
        for (uint32_t padbit = 0; padbit < 2; padbit++) {
            SECRET(p), SECRET(in);
            p.powers_kind = FC_POWERS_NONE;
            fc_run_poly1305(k, &p, in, n / 16, padbit);
            fc_run_poly1305(k, &p, in, n / 16, padbit); /* with what the first call has cached */
        }
        if (k->aead && n >= k->aead_min && n >= 64) {
            for (int decrypt = 0; decrypt < 2; decrypt++) {
                SECRET(state), SECRET(in), SECRET(p);
                p.powers_kind = FC_POWERS_NONE;
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
    uint8_t secret[2];
    SECRET(secret);
    if (secret[0]) out[0] = 1;
    return table[secret[1]];
}

int main(int argc, char **argv) {
    if (!RUNNING_ON_VALGRIND) {
        fprintf(stderr, "ct: run me under valgrind\n");
        return 2;
    }
    if (argc > 1 && !strcmp(argv[1], "--leak")) {
        out[1] = (uint8_t)leak();
        return 0;
    }
    uint64_t features = fc_cpu_detect();
    for (size_t i = 0; i < fc_backend_count; i++) {
        const struct fc_backend *b = &fc_backends[i];
        if (!b->here || b->flags & FC_EMULATED) continue;
        if (!fc_backend_available(b, features)) {
            printf("absent %s\n", b->name);
            continue;
        }
        struct fc_kernel k;
        fc_resolve(&k, b, features);
        kernels(&k);
        layers(&k);
        printf("row %s\n", b->name);
    }
    return 0;
}
