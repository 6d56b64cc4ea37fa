/* abi: calls every kernel of every row with all registers poisoned and compares afterwards.
 *
 *   abi [--row NAME]... [--thorough]   first the self-test, then the rows: `NAME: ran N checks`
 *   abi --list                         the rows of this build, one JSON object a line
 *   abi --self-test                    only: is each kernel that cheats (tests/abi/<arch>/) caught?
 *
 * Exit status 1 and one line at the first register, byte of stack or result that is wrong.
 */
#if !defined(_WIN32)
#define _GNU_SOURCE
#endif
#include "abi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) || defined(__aarch64__) || defined(__arm__) || defined(__powerpc__) ||     \
    (defined(__riscv) && __riscv_xlen == 64)
#define HAVE_STUB 1
#else
#define HAVE_STUB 0 /* no assembly of ours here: kernels are called from C, for their results only */
#endif

static int thorough;
static unsigned long long checks;
static const char *running = "";
static char problem[400]; /* "" if the last call was good */

static void found(const char *format, ...) {
    va_list args;
    if (*problem) return; /* the first counts */
    va_start(args, format);
    vsnprintf(problem, sizeof problem, format, args);
    va_end(args);
}

/* ---- random bytes ---------------------------------------------------------------------------- */
static uint64_t random_state = UINT64_C(0x853c49e6748fea9b);
static uint64_t random64(void) {
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * UINT64_C(0x2545f4914f6cdd1d);
}
static void random_bytes(void *p, size_t n) {
    for (size_t i = 0; i < n; i++) ((uint8_t *)p)[i] = (uint8_t)(random64() >> 56);
}

/* ---- one call -------------------------------------------------------------------------------- */
struct argument {
    uintptr_t value;
    int narrow; /* 32 bits wide */
};

#if HAVE_STUB
#if defined(_WIN32)
#include <windows.h>
#else
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#endif

#define STACK_BYTES 65536
#define ABOVE 2048 /* bytes above the stack pointer that hold a pattern */

struct abi_frame *abi_current;
static struct abi_frame frame;
static uint8_t *stack; /* STACK_BYTES */
static int vectors;    /* do the vector registers exist here? */

_Static_assert(sizeof(uintptr_t) == ABI_W, "ABI_W");
_Static_assert(offsetof(struct abi_frame, args) == ABI_W * ABI_ARGS, "ABI_ARGS");
_Static_assert(offsetof(struct abi_frame, before) == ABI_W * ABI_BEFORE, "ABI_BEFORE");
_Static_assert(offsetof(struct abi_frame, after) == ABI_W * ABI_AFTER, "ABI_AFTER");
_Static_assert(offsetof(struct abi_frame, fp_before) == ABI_FP_BEFORE, "ABI_FP_BEFORE");
_Static_assert(offsetof(struct abi_frame, vec_after) == ABI_VEC_AFTER, "ABI_VEC_AFTER");

static void stack_init(void) {
#if defined(_WIN32)
    /* The page below faults. */
    uint8_t *p = VirtualAlloc(NULL, 2 * STACK_BYTES, MEM_RESERVE, PAGE_NOACCESS);
    if (p) p = VirtualAlloc(p + STACK_BYTES, STACK_BYTES, MEM_COMMIT, PAGE_READWRITE);
    stack = p;
#else
    uint8_t *p = mmap(NULL, 2 * STACK_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p != MAP_FAILED && !mprotect(p + STACK_BYTES, STACK_BYTES, PROT_READ | PROT_WRITE))
        stack = p + STACK_BYTES;
#endif
    if (!stack) {
        fprintf(stderr, "abi: no memory\n");
        exit(2);
    }
}

/* ---- faults ---- */
#if !defined(_WIN32)
static sigjmp_buf after_fault;

static void on_fault(int sig) {
    found("%s", sig == SIGILL ? "SIGILL" : sig == SIGBUS ? "SIGBUS" : sig == SIGFPE ? "SIGFPE"
                                                                                  : "SIGSEGV");
    siglongjmp(after_fault, 1);
}

/* An interruption: spoils what lies below the interrupted stack pointer and its red zone, as a signal
 * frame may. It runs on a stack of its own, so that all of it can be spoilt. */
static void on_timer(int sig, siginfo_t *info, void *context) {
    uint8_t *end = (uint8_t *)abi_interrupted(context) - abi_arch.red_zone;
    (void)sig, (void)info;
    memset(end - 1024, 0xee, 1024);
}

static void signals_init(void) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
    static uint8_t other_stack[1 << 16];
    stack_t s = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};
    sigaltstack(&s, NULL);
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < LENGTH_OF(faults); i++) sigaction(faults[i], &action, NULL);
    action.sa_sigaction = on_timer;
    action.sa_flags = SA_ONSTACK | SA_SIGINFO | SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
}

static void interruptions(int on) {
    struct itimerval t = {{0, on ? 300 : 0}, {0, on ? 300 : 0}}; /* microseconds */
    setitimer(ITIMER_REAL, &t, NULL);
}
#else
/* Windows has no timer signals: nothing below the stack pointer is spoilt. */
static LONG CALLBACK on_exception(EXCEPTION_POINTERS *e) {
    if (e->ExceptionRecord->ExceptionCode != EXCEPTION_ACCESS_VIOLATION &&
        e->ExceptionRecord->ExceptionCode != EXCEPTION_ILLEGAL_INSTRUCTION)
        return EXCEPTION_CONTINUE_SEARCH;
    printf("FAILED %s: exception %lx\n", running,
           (unsigned long)e->ExceptionRecord->ExceptionCode);
    fflush(stdout);
    ExitProcess(1);
}
static void signals_init(void) { AddVectoredExceptionHandler(1, on_exception); }
static void interruptions(int on) { (void)on; }
#endif

static void compare(void) {
    const struct abi_arch *a = &abi_arch;
    for (size_t i = 0; i < a->register_count; i++) {
        const struct abi_register *r = &a->registers[i];
        uintptr_t was = frame.before[r->index] & r->mask, is = frame.after[r->index] & r->mask;
        if (was != is)
            found("%s is %llx and was %llx before the call", r->name, (unsigned long long)is,
                  (unsigned long long)was);
    }
    if (frame.after[0] != frame.sp) /* describe.c: word 0 is the stack pointer */
        found("stack pointer is %lld bytes off", (long long)(frame.after[0] - frame.sp));
    for (int n = 0; n < 32; n++) {
        if (a->fp_saved >> n & 1 && memcmp(frame.fp_before + 8 * n, frame.fp_after + 8 * n, 8))
            found("%s%d is not what it was before the call", a->fp_name, n);
        if (vectors && a->vec_saved >> n & 1 &&
            memcmp(frame.vec_before + 16 * n, frame.vec_after + 16 * n, a->vec_bytes))
            found("%s%d is not what it was before the call", a->vec_name, n);
    }
}

static void call(void (*fn)(void), const struct argument *args, size_t count) {
    const struct abi_arch *a = &abi_arch;
    uint8_t *sp = stack + STACK_BYTES - ABOVE, *args_at = sp + a->stack_args;
    uint8_t pattern[ABOVE];
    uintptr_t control[32];

    *problem = 0;
    random_bytes(stack + STACK_BYTES / 2, STACK_BYTES / 2);
    random_bytes(frame.args, sizeof frame.args);
    random_bytes(frame.before, sizeof frame.before);
    random_bytes(frame.fp_before, sizeof frame.fp_before);
    random_bytes(frame.vec_before, sizeof frame.vec_before);
    memset(frame.after, 0, sizeof frame.after);
    memset(frame.fp_after, 0, sizeof frame.fp_after);
    memset(frame.vec_after, 0, sizeof frame.vec_after);
    abi_read_control(control);
    for (size_t i = 0; i < a->register_count; i++)
        if (a->registers[i].keep) frame.before[a->registers[i].index] = control[a->registers[i].index];
    for (size_t i = 0; i < count; i++) {
        uintptr_t v = args[i].value;
#if ABI_W == 8
        if (args[i].narrow && a->rubbish_above_32)
            v = (uint32_t)v | (random64() | 1) << 32;
#endif
        if (i < a->register_args)
            frame.args[i] = v;
        else
            memcpy(args_at + ABI_W * (i - a->register_args), &v, ABI_W);
    }
    frame.fn = (uintptr_t)fn;
    frame.sp = frame.before[0] = (uintptr_t)sp;
    frame.flags = vectors ? ABI_VECTORS : 0;
    memcpy(pattern, sp, ABOVE);
    abi_current = &frame;
#if !defined(_WIN32)
    if (sigsetjmp(after_fault, 1)) return;
#endif
    abi_call(&frame);
    compare();
    /* The arguments on the stack belong to the callee, too. */
    uint8_t *args_end = args_at;
    if (count > a->register_args) args_end += ABI_W * (count - a->register_args);
    for (size_t i = a->may_write; i < ABOVE; i++)
        if (sp[i] != pattern[i] && !(sp + i >= args_at && sp + i < args_end))
            found("wrote %zu bytes above the stack pointer", i);
}
#else
static int vectors;
static void stack_init(void) {}
static void signals_init(void) {}
static void interruptions(int on) { (void)on; }

static void call(void (*fn)(void), const struct argument *a, size_t count) {
    *problem = 0;
    if (count == 6 && a[5].narrow == 2) /* AEAD */
        ((fc_aead_fn *)fn)((void *)a[0].value, (void *)a[1].value, (void *)a[2].value,
                           (void *)a[3].value, a[4].value, (int)a[5].value);
    else if (count == 6)
        ((fc_chacha20_fn *)fn)((void *)a[0].value, (void *)a[1].value, (void *)a[2].value,
                               (void *)a[3].value, a[4].value, (unsigned)a[5].value);
    else if (count == 3)
        ((fc_hchacha20_fn *)fn)((void *)a[0].value, (void *)a[1].value, (unsigned)a[2].value);
    else
        ((fc_poly1305_blocks_fn *)fn)((void *)a[0].value, (void *)a[1].value, a[2].value,
                                      (uint32_t)a[3].value);
}
#endif

/* ---- kernels and their arguments ------------------------------------------------------------- */
#define P(pointer) {(uintptr_t)(pointer), 0}
#define SIZE(n) {(n), 0}
#define NARROW(n) {(uintptr_t)(n), 1}

#define MOST 4096
static uint32_t state[16];
static uint8_t in[MOST], out[MOST], want[MOST], block0[64], want0[64];

/* The first thing wrong with a call that has just returned, its result included. */
static void result(const void *got, const void *expected, size_t n) {
    if (n && memcmp(got, expected, n)) found("wrong result");
}

static void chacha20(fc_chacha20_fn *fn, size_t len, int asked, unsigned rounds) {
    struct argument args[] = {P(state), P(asked ? block0 : NULL), P(in), P(out), SIZE(len),
                              NARROW(rounds)};
    fc_chacha20_generic(state, asked ? want0 : NULL, in, want, len, rounds);
    memset(out, 0, len);
    call((void (*)(void))fn, args, LENGTH_OF(args));
    result(out, want, len);
    if (asked) result(block0, want0, 64);
}

static void hchacha20(fc_hchacha20_fn *fn, unsigned rounds) {
    static uint32_t got[8], expected[8];
    struct argument args[] = {P(got), P(state), NARROW(rounds)};
    memset(got, 0, sizeof got);
    fc_hchacha20_generic(expected, state, rounds);
    call((void (*)(void))fn, args, LENGTH_OF(args));
    result(got, expected, sizeof got);
}

static struct fc_poly1305 mac, want_mac;

static void mac_init(void) {
    memset(&mac, 0, sizeof mac);
    mac.h[0] = random64();
    mac.h[1] = random64();
    mac.h[2] = random64() % 5;
    mac.r[0] = random64() & UINT64_C(0x0ffffffc0fffffff);
    mac.r[1] = random64() & UINT64_C(0x0ffffffc0ffffffc);
    want_mac = mac;
}

/* h may differ by 2**130 - 5: one form of each value. */
static void mac_result(void) {
    for (int i = 0; i < 2; i++) {
        uint64_t *h = i ? want_mac.h : mac.h;
        uint64_t g0 = h[0] + 5, g1 = h[1] + (g0 < 5), g2 = h[2] + (g1 < h[1]);
        if (g2 >= 4) h[0] = g0, h[1] = g1, h[2] = g2 - 4;
    }
    result(mac.h, want_mac.h, sizeof mac.h);
}

static void poly1305(fc_poly1305_blocks_fn *fn, size_t blocks, uint32_t padbit) {
    struct argument args[] = {P(&mac), P(in), SIZE(blocks), NARROW(padbit)};
    mac_init();
    fc_poly1305_blocks_generic(&want_mac, in, blocks, padbit);
    call((void (*)(void))fn, args, LENGTH_OF(args));
    mac_result();
}

static void aead(fc_aead_fn *fn, size_t len, int decrypt) {
    struct argument args[] = {P(state), P(&mac), P(in), P(out), SIZE(len), NARROW(decrypt)};
#if !HAVE_STUB
    args[5].narrow = 2;
#endif
    mac_init();
    fc_chacha20_generic(state, NULL, in, want, len, 20);
    fc_poly1305_blocks_generic(&want_mac, decrypt ? in : want, len / 16, 1);
    memset(out, 0, len);
    call((void (*)(void))fn, args, LENGTH_OF(args));
    result(out, want, len);
    mac_result();
}

/* ---- rows ------------------------------------------------------------------------------------ */
static void held(const struct fc_backend *b, const char *what, size_t len) {
    if (*problem) {
        printf("FAILED %s %s: length %zu: %s\n", b->name, what, len, problem);
        exit(1);
    }
    checks++;
}

static void check(const struct fc_backend *b) {
    static const size_t lengths[] = {0,   1,   16,  63,  64,  65,   127,  128,  191,  192, 193,
                                     255, 256, 257, 300, 320, 384,  448,  511,  512,  513, 576,
                                     640, 700, 768, 960, 1000, 1023, 1024, 1025, 1536, 2047,
                                     2048, 2112, 3000, 4000, MOST};
    static const unsigned rounds[] = {20, 12, 8};
    running = b->name;
    for (int turn = 0; turn < (thorough ? 50 : 4); turn++) {
        random_bytes(state, sizeof state);
        random_bytes(in, sizeof in);
        if (state[12] > UINT32_MAX - 70) state[12] = 0;
        for (size_t i = 0; i < LENGTH_OF(lengths); i++)
            for (int asked = 0; asked < 2; asked++) {
                chacha20((fc_chacha20_fn *)b->slot[FC_SLOT_CHACHA20].fn, lengths[i], asked,
                         rounds[turn % 3]);
                held(b, asked ? "chacha20 with block0" : "chacha20", lengths[i]);
            }
        for (int i = 0; i < 3; i++) {
            hchacha20((fc_hchacha20_fn *)b->slot[FC_SLOT_HCHACHA20].fn, rounds[i]);
            held(b, "hchacha20", 32);
        }
        for (size_t n = 1; n <= MOST / 16; n += n < 40 ? 1 : 9)
            for (uint32_t padbit = 0; padbit < 2; padbit++) {
                poly1305((fc_poly1305_blocks_fn *)b->slot[FC_SLOT_POLY1305].fn, n, padbit);
                held(b, "poly1305", 16 * n);
            }
        for (size_t n = 1; b->slot[FC_SLOT_AEAD].fn && n <= MOST / 64; n++)
            for (int decrypt = 0; decrypt < 2; decrypt++) {
                aead((fc_aead_fn *)b->slot[FC_SLOT_AEAD].fn, 64 * n, decrypt);
                held(b, decrypt ? "aead, decrypting" : "aead, encrypting", 64 * n);
            }
    }
    /* Interrupted: what a kernel keeps below the stack pointer is lost. */
    interruptions(1);
    for (int turn = 0; turn < (thorough ? 5000 : 300); turn++) {
        size_t len = lengths[(size_t)turn % LENGTH_OF(lengths)] | 1024;
        chacha20((fc_chacha20_fn *)b->slot[FC_SLOT_CHACHA20].fn, len > MOST ? MOST : len, turn & 1,
                 20);
        held(b, "chacha20, interrupted", len);
        poly1305((fc_poly1305_blocks_fn *)b->slot[FC_SLOT_POLY1305].fn, MOST / 16, 1);
        held(b, "poly1305, interrupted", MOST);
        if (b->slot[FC_SLOT_AEAD].fn) {
            aead((fc_aead_fn *)b->slot[FC_SLOT_AEAD].fn, MOST, turn & 1);
            held(b, "aead, interrupted", MOST);
        }
    }
    interruptions(0);
}

/* ---- does it find what it should? ------------------------------------------------------------ */
static int self_test(void) {
#if HAVE_STUB
    size_t missed = 0, tried = 0;
    for (size_t i = 0; i < abi_arch.cheat_count; i++) {
        const struct abi_cheat *c = &abi_arch.cheats[i];
        if (c->vectors && !vectors) continue;
        running = c->name;
        int below = !strncmp(c->name, "below", 5);
#if defined(_WIN32)
        if (below) continue; /* no interruptions to catch it with */
#endif
        if (below) interruptions(1);
        chacha20(c->fn, 1024, 1, 20);
        if (below) interruptions(0);
        int good = *c->caught ? strstr(problem, c->caught) == problem : !*problem;
        tried++;
        if (good) continue;
        missed++;
        printf("FAILED self-test: %s should be caught by \"%s\", and gives \"%s\"\n", c->name,
               c->caught, problem);
    }
    printf("self-test: %zu kernels that cheat, %zu not caught\n", tried - 1, missed);
    return missed || tried < 10;
#else
    printf("self-test: none, this architecture has no assembly: kernels are called from C\n");
    return 0;
#endif
}

static int has(uint64_t features, const char *name) {
    for (size_t i = 0; i < fc_feature_count; i++)
        if (fc_features[i].bit >= 0 && !strcmp(fc_features[i].name, name))
            return features >> fc_features[i].bit & 1;
    return 0;
}

int main(int argc, char **argv) {
    uint64_t features = fc_cpu_detect();
    const char *wanted[32];
    size_t wanted_count = 0, ran = 0;
    int only_self_test = 0, listing = 0;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--list")) {
            listing = 1;
        } else if (!strcmp(argv[i], "--self-test")) {
            only_self_test = 1;
        } else if (!strcmp(argv[i], "--thorough")) {
            thorough = 1;
        } else if (!strcmp(argv[i], "--row") && i + 1 < argc && wanted_count < 32) {
            wanted[wanted_count++] = argv[++i];
        } else {
            fprintf(stderr, "usage: abi [--row NAME]... [--thorough] | --list | --self-test\n");
            return 2;
        }
    }
#if HAVE_STUB
    vectors = !abi_arch.vec_feature || has(features, abi_arch.vec_feature);
#else
    (void)has, (void)vectors;
#endif
    stack_init();
    signals_init();
    if (!listing && self_test()) return 1;
    if (only_self_test) return 0;
    for (size_t i = 0; i < fc_backend_count; i++) {
        const struct fc_backend *b = &fc_backends[i];
        int available = fc_backend_available(b, features);
        if (!b->here || !b->assembled || b->flags & FC_EMULATED) continue;
        if (listing) {
            const char *separator = "";
            printf("{\"name\": \"%s\", \"features\": [", b->name);
            for (size_t j = 0; j < fc_feature_count; j++)
                if (fc_features[j].bit >= 0 && b->features >> fc_features[j].bit & 1) {
                    printf("%s\"%s\"", separator, fc_features[j].name);
                    separator = ", ";
                }
            printf("], \"available\": %s}\n", available ? "true" : "false");
            continue;
        }
        size_t w = 0;
        while (w < wanted_count && strcmp(b->name, wanted[w])) w++;
        if (!available || (wanted_count && w == wanted_count)) continue;
        checks = 0;
        check(b);
        printf("%s: ran %llu checks%s\n", b->name, checks,
               HAVE_STUB ? "" : ", called from C: this architecture has no assembly");
        fflush(stdout);
        ran++;
    }
    if (!listing && ran < (wanted_count ? wanted_count : 1)) {
        printf("FAILED: %zu rows asked for, %zu ran\n", wanted_count, ran);
        return 1;
    }
    return 0;
}
