/* Time of the kernels alone, on the machine itself: every row that it has, every slot, several lengths.
 *
 * Build it with all C files of csrc and all assembly files of asm (cc -O2 -Icsrc -Iasm; bench/README.md
 * has the line) and name the rows to measure, none for all.
 *
 * Medians of 41 runs, in ns per call, cycles per byte and GB/s. A cycle is what one of a chain of
 * dependent additions takes, measured beside it, so the figures hold for any clock. Pin it to one core
 * (taskset -c 1 on Linux) and keep the others quiet.
 */
#define _POSIX_C_SOURCE 199309L
#include "aead.h"
#include "backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RUNS 41
#define MOST ((size_t)1 << 20)

static const size_t lengths[] = {16, 64, 256, 512, 1024, 1350, 4096, 16384, MOST};
static uint8_t in[MOST], out[MOST], block0[64], tag[16];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *t) {
    qsort(t, RUNS, sizeof *t, order);
    return t[RUNS / 2];
}

/* Nanoseconds of one cycle. */
static double cycle(void) {
    double t[RUNS];
    for (int i = 0; i < RUNS; i++) {
        unsigned long x = (unsigned long)i, y = 1;
        double start = now();
        for (int j = 0; j < 100000; j++)
            for (int k = 0; k < 10; k++) {
                x += y;
                __asm__ volatile("" : "+r"(x), "+r"(y)); /* the additions stay, one by one */
            }
        t[i] = (now() - start) / 1e6;
    }
    qsort(t, RUNS, sizeof *t, order);
    return t[0]; /* nothing makes it shorter, much makes it longer */
}

enum operation { CHACHA20, CHACHA20_BLOCK0, POLY1305, AEAD_KERNEL, AEAD_MESSAGE, OPERATIONS };
static const char *const names[] = {"chacha20", "chacha20 with block 0", "poly1305", "aead kernel",
                                    "aead message"};

static void call(const struct fc_kernel *k, enum operation op, struct fc_poly1305 *p, size_t n) {
    static const uint32_t state[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1, 14, 15, 16};
    static const uint8_t key[32] = {1}, nonce[12] = {2};
    switch (op) {
    case CHACHA20:
        fc_run_chacha20(k, state, NULL, in, out, n, 20);
        break;
    case CHACHA20_BLOCK0:
        fc_run_chacha20(k, state, block0, in, out, n, 20);
        break;
    case POLY1305:
        p->powers_kind = FC_POWERS_NONE; /* as for a new message */
        fc_run_poly1305(k, p, in, n / 16, 1);
        break;
    case AEAD_KERNEL:
        fc_run_aead(k, state, p, in, out, n, 0);
        break;
    default:
        fc_aead_encrypt(k, key, nonce, sizeof nonce, NULL, 0, in, out, n, tag);
    }
}

int main(int argc, char **argv) {
    static struct fc_poly1305 p = {.r = {0x0123456789abcdef & 0x0ffffffc0fffffff,
                                         0x0fedcba987654321 & 0x0ffffffc0ffffffc}};
    uint64_t features = fc_cpu_detect();
    double ns = cycle();
    printf("%.2f GHz\n%-10s %-22s %8s %12s %9s %7s\n", 1 / ns, "row", "operation", "bytes", "ns",
           "cycles/B", "GB/s");
    for (size_t i = 0; i < fc_backend_count; i++) {
        const struct fc_backend *b = &fc_backends[i];
        int wanted = argc == 1;
        for (int j = 1; j < argc; j++) wanted |= !strcmp(argv[j], b->name);
        if (!wanted || !fc_backend_available(b, features) || b->flags & FC_EMULATED) continue;
        struct fc_kernel k;
        fc_resolve(&k, b, features);
        for (int op = 0; op < OPERATIONS; op++)
            for (size_t j = 0; j < sizeof lengths / sizeof lengths[0]; j++) {
                size_t n = lengths[j], calls = 200000 / (n + 400) + 1;
                double t[RUNS];
                if (op == AEAD_KERNEL && (!k.aead || n < k.aead_min || n % 64)) continue;
                for (int run = 0; run < RUNS; run++) {
                    double start = now();
                    for (size_t c = 0; c < calls; c++) call(&k, (enum operation)op, &p, n);
                    t[run] = (now() - start) / (double)calls;
                }
                double each = median(t);
                printf("%-10s %-22s %8zu %12.0f %9.3f %7.2f\n", b->name, names[op], n, each,
                       each / ns / (double)n, (double)n / each);
            }
    }
    return 0;
}
