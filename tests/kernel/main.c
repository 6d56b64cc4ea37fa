/* check: runs every row of backends.def that this CPU has against known answers and references.
 *
 *   check [--row NAME]... [--thorough] [--seed N]
 *       Prints `NAME: ran N checks` for each row; at the first that fails, one line that says which
 *       kernel, length and alignment, and exit status 1 (a wrong result) or 3 (a fault).
 *   check --list
 *       The rows of this build, one JSON object a line; the CPU's features on standard error.
 *   check --self-test
 *       Do the checks catch deliberately wrong kernels (cheats.c)? Exit status 1 if one gets through.
 *   check --cheat NAME
 *       Checks one of them.
 */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct subject rows[MAX_ROWS];
size_t row_count;
int thorough;
struct now now;

/* ---- reporting ------------------------------------------------------------------------------- */
void begin(const char *what, size_t len) {
    uint64_t checks = now.checks;
    now = (struct now){.subject = now.subject,
                       .what = what,
                       .len = len,
                       .more = "",
                       .n = {UINT64_MAX, UINT64_MAX},
                       .checks = checks};
}

static void alignment(FILE *f, const char *name, const void *p) {
    if (p) fprintf(f, " %s+%u", name, (unsigned)((uintptr_t)p & 63));
}

void describe(FILE *f) {
    fprintf(f, "FAILED %s %s: length %zu", now.subject ? now.subject : "(no row)",
            now.what ? now.what : "(start)", now.len);
    alignment(f, "in", now.in);
    alignment(f, "out", now.out);
    if (now.in && now.in == now.out) fprintf(f, " (in place)");
    alignment(f, "block0", now.block0);
    alignment(f, "state", now.state);
    if (now.rounds) fprintf(f, " rounds %u counter 0x%08lx", now.rounds, (unsigned long)now.counter);
    if (now.more && *now.more) fprintf(f, " %s", now.more);
    for (int i = 0; i < 2; i++)
        if (now.n[i] != UINT64_MAX) fprintf(f, " %llu", (unsigned long long)now.n[i]);
    fprintf(f, ": ");
}

_Noreturn void fail(const char *format, ...) {
    va_list args;
    describe(stdout);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    fflush(stdout);
    exit(EXIT_WRONG);
}

void same(const char *which, const uint8_t *got, const uint8_t *want, size_t n) {
    if (n == 0 || memcmp(got, want, n) == 0) return;
    size_t i = 0;
    while (got[i] == want[i]) i++;
    fail("%s: first wrong byte %zu: 0x%02x instead of 0x%02x", which, i, got[i], want[i]);
}

/* ---- subjects -------------------------------------------------------------------------------- */
void subject_direct(struct subject *s) {
    struct fc_kernel *k = &s->direct;
    *k = s->row;
    k->chacha20 = k->chacha20_short = s->chacha20;
    k->hchacha20 = s->hchacha20;
    k->poly1305 = k->poly1305_short = s->poly1305;
    k->aead = s->aead;
    k->chacha20_min = k->poly1305_min = 0;
    k->aead_min = 64;
}

void subject_of_row(struct subject *s, const struct fc_backend *b, uint64_t features) {
    memset(s, 0, sizeof *s);
    s->name = b->name;
    s->chacha20 = (fc_chacha20_fn *)b->slot[FC_SLOT_CHACHA20].fn;
    s->hchacha20 = (fc_hchacha20_fn *)b->slot[FC_SLOT_HCHACHA20].fn;
    s->poly1305 = (fc_poly1305_blocks_fn *)b->slot[FC_SLOT_POLY1305].fn;
    s->aead = (fc_aead_fn *)b->slot[FC_SLOT_AEAD].fn;
    fc_resolve(&s->row, b, features);
    subject_direct(s);
}

void check_all(const struct subject *s) {
    now = (struct now){.subject = s->name, .more = ""};
    check_vectors(s);
    check_hchacha20(s);
    check_chacha20(s);
    check_poly1305(s);
    if (s->aead) check_aead_kernel(s);
    check_layers(s);
}

/* ---- the rows of this build ------------------------------------------------------------------ */

/* Rows that run in an emulator inside Python are not for a C program. */
static int listed(const struct fc_backend *b) {
    return b->here && b->assembled && !(b->flags & FC_EMULATED);
}

static void print_features(FILE *f, uint64_t features) {
    const char *separator = "";
    fputc('[', f);
    for (size_t i = 0; i < fc_feature_count; i++) {
        if (fc_features[i].bit < 0 || !(features >> fc_features[i].bit & 1)) continue;
        fprintf(f, "%s\"%s\"", separator, fc_features[i].name);
        separator = ", ";
    }
    fputc(']', f);
}

/* VLEN of the hart that this thread runs on, in bits; 0 without V. */
static unsigned vector_bits(uint64_t features) {
#if defined(__riscv) && __riscv_xlen == 64
    if (features >> FC_BIT_v & 1) {
        unsigned long bytes;
        __asm__ volatile("csrr %0, 0xc22" : "=r"(bytes)); /* vlenb */
        return (unsigned)bytes * 8;
    }
#endif
    (void)features;
    return 0;
}

static void list(uint64_t features) {
    for (size_t i = 0; i < fc_backend_count; i++) {
        const struct fc_backend *b = &fc_backends[i];
        if (!listed(b)) continue;
        printf("{\"name\": \"%s\", \"features\": ", b->name);
        print_features(stdout, b->features);
        printf(", \"available\": %s}\n", fc_backend_available(b, features) ? "true" : "false");
    }
    fprintf(stderr, "{\"arch\": \"%s\", \"cpu\": ", fc_arch);
    print_features(stderr, features);
    fprintf(stderr, ", \"vlen\": %u}\n", vector_bits(features));
}

/* 1234567 as 1,234,567 */
static const char *grouped(uint64_t n) {
    static char text[32];
    char *p = text + sizeof text - 1;
    for (int digits = 0; digits == 0 || n; digits++, n /= 10) {
        if (digits && digits % 3 == 0) *--p = ',';
        *--p = (char)('0' + n % 10);
    }
    return p;
}

static int usage(void) {
    fprintf(stderr, "usage: check [--row NAME]... [--thorough] [--seed N]\n"
                    "       check --list | --self-test | --cheat NAME\n");
    return EXIT_USAGE;
}

int main(int argc, char **argv) {
    const char *wanted[MAX_ROWS];
    size_t wanted_count = 0;
    const char *cheat_name = NULL;
    uint64_t seed = 1;
    uint64_t features = fc_cpu_detect();

    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(argv[i], "--list")) {
            list(features);
            return 0;
        } else if (!strcmp(argv[i], "--self-test")) {
            return self_test(argv[0]) ? EXIT_WRONG : 0;
        } else if (!strcmp(argv[i], "--thorough")) {
            thorough = 1;
        } else if (!strcmp(argv[i], "--row") && value && wanted_count < MAX_ROWS) {
            wanted[wanted_count++] = argv[++i];
        } else if (!strcmp(argv[i], "--seed") && value) {
            seed = strtoull(argv[++i], NULL, 0);
        } else if (!strcmp(argv[i], "--cheat") && value) {
            cheat_name = argv[++i];
        } else {
            return usage();
        }
    }

    seed_random(seed);
    memory_init();
    data_init();
    catch_faults();

    for (size_t i = 0; i < fc_backend_count && row_count < MAX_ROWS; i++)
        if (listed(&fc_backends[i]) && fc_backend_available(&fc_backends[i], features))
            subject_of_row(&rows[row_count++], &fc_backends[i], features);

    if (cheat_name) {
        struct subject s;
        if (!cheat(&s, cheat_name)) {
            fprintf(stderr, "check: no wrong kernel is called %s\n", cheat_name);
            return EXIT_USAGE;
        }
        check_all(&s);
        printf("%s: passed %s checks\n", s.name, grouped(now.checks));
        return 0;
    }

    for (size_t w = 0; w < wanted_count; w++) {
        size_t i = 0;
        while (i < row_count && strcmp(rows[i].name, wanted[w])) i++;
        if (i == row_count) {
            printf("FAILED %s: no such row in this build, or the CPU lacks what it needs; rows:",
                   wanted[w]);
            for (i = 0; i < row_count; i++) printf(" %s", rows[i].name);
            printf("\n");
            return EXIT_USAGE;
        }
    }
    for (size_t i = 0; i < row_count; i++) {
        size_t w = 0;
        while (w < wanted_count && strcmp(rows[i].name, wanted[w])) w++;
        if (wanted_count && w == wanted_count) continue;
        check_all(&rows[i]);
        if (!now.checks) fail("no check ran");
        printf("%s: ran %s checks", rows[i].name, grouped(now.checks));
        if (vector_bits(features)) printf(" at VLEN %u", vector_bits(features));
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
