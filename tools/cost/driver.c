/* The program whose instructions tools/cost counts: calls one backend's code a few times, with a
 * mark between the calls.
 *
 * usage: driver needs BACKEND               prints the CPU features that the backend needs
 *        driver run BACKEND OP SIZE CALLS   OP: chacha20, poly1305, aead; SIZE in bytes
 *
 * Exit status 2: usage or an unknown backend; 3: this CPU cannot run it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aead.h"

/* The trace is cut where it passes this label (a function's own symbol is that of a descriptor in
 * the ELFv1 convention). */
__attribute__((noinline)) static void mark(void) {
    __asm__ volatile(".globl cost_mark\ncost_mark:" ::: "memory");
}

static const uint8_t key[32] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
                                17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
static uint8_t in[1 << 18] __attribute__((aligned(64)));
static uint8_t out[1 << 18] __attribute__((aligned(64)));

static void chacha20(const struct fc_kernel *k, size_t size) {
    static const uint32_t state[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, 1, 2, 3, 4,
                                       5, 6, 7, 8, 1, 9, 10, 11};
    fc_run_chacha20(k, state, NULL, in, out, size, 20);
}

static void poly1305(const struct fc_kernel *k, size_t size) {
    uint8_t tag[16];
    struct fc_mac m;
    fc_mac_init(&m, key);
    fc_mac_update(k, &m, in, size);
    fc_mac_final(k, &m, tag);
}

static void aead(const struct fc_kernel *k, size_t size) {
    static const uint8_t nonce[12] = {1};
    uint8_t tag[16];
    fc_aead_encrypt(k, key, nonce, sizeof nonce, NULL, 0, in, out, size, tag);
}

int main(int argc, char **argv) {
    const struct fc_backend *b = NULL;

    for (size_t i = 0; argc >= 3 && i < fc_backend_count; i++)
        if (fc_backends[i].here && !strcmp(fc_backends[i].name, argv[2])) b = &fc_backends[i];
    if (!b) {
        fprintf(stderr, "unknown backend; %s has:", fc_arch);
        for (size_t i = 0; i < fc_backend_count; i++)
            if (fc_backends[i].here && !(fc_backends[i].flags & FC_EMULATED))
                fprintf(stderr, " %s", fc_backends[i].name);
        fprintf(stderr, "\n");
        return 2;
    }
    if (!strcmp(argv[1], "needs")) {
        for (size_t i = 0; i < fc_feature_count; i++)
            if (fc_features[i].bit >= 0 && (b->features >> fc_features[i].bit & 1))
                printf("%s\n", fc_features[i].name);
        return 0;
    }
    if (argc != 6 || strcmp(argv[1], "run")) return 2;

    uint64_t features = fc_cpu_detect();
    if (!fc_backend_available(b, features)) {
        fprintf(stderr, "this CPU lacks what %s needs\n", b->name);
        return 3;
    }
    struct fc_kernel k;
    fc_resolve(&k, b, features);

    size_t size = strtoul(argv[4], NULL, 10);
    if (size > sizeof in) return 2;
    for (size_t i = 0; i < size; i++) in[i] = (uint8_t)(i * 7);
    for (int calls = atoi(argv[5]); calls > 0; calls--) {
        mark();
        if (!strcmp(argv[3], "chacha20"))
            chacha20(&k, size);
        else if (!strcmp(argv[3], "poly1305"))
            poly1305(&k, size);
        else if (!strcmp(argv[3], "aead"))
            aead(&k, size);
        else
            return 2;
    }
    mark();
    return 0;
}
