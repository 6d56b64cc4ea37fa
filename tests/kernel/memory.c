/* Guarded memory, faults, random bytes: what the checks stand on. */
#if !defined(_WIN32)
#define _GNU_SOURCE
#endif
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

/* Memory on each side of an arena that faults, in bytes: a kernel that is off by a stride of a few
 * kilobytes hits it too. */
#define GUARD ((size_t)256 << 10)
#define MARGIN 128 /* bytes of pattern on each side of a buffer */

struct arena arena_in, arena_out, arena_state, arena_block0, arena_poly;
static uint8_t pattern[MARGIN];

#if defined(_WIN32)
#include <windows.h>

static uint8_t *reserve(size_t size) {
    uint8_t *p = VirtualAlloc(NULL, size + 2 * GUARD, MEM_RESERVE, PAGE_NOACCESS);
    if (!p || !VirtualAlloc(p + GUARD, size, MEM_COMMIT, PAGE_READWRITE)) {
        fprintf(stderr, "check: no memory\n");
        exit(EXIT_USAGE);
    }
    return p + GUARD;
}

static size_t page_size(void) {
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwPageSize;
}
#else
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

static uint8_t *reserve(size_t size) {
    uint8_t *p = mmap(NULL, size + 2 * GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || mprotect(p + GUARD, size, PROT_READ | PROT_WRITE)) {
        perror("check: no memory");
        exit(EXIT_USAGE);
    }
    return p + GUARD;
}

static size_t page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }
#endif

static void arena_init(struct arena *a, size_t size) {
    size_t page = page_size();
    size = (size + page - 1) / page * page;
    a->lo = reserve(size);
    a->hi = a->lo + size;
}

void memory_init(void) {
    memset(pattern, 0xa5, sizeof pattern);
    arena_init(&arena_in, MAX_LEN + 4096);
    arena_init(&arena_out, MAX_LEN + 4096);
    arena_init(&arena_state, 4096);
    arena_init(&arena_block0, 4096);
    arena_init(&arena_poly, 4096);
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

uint8_t *put(struct arena *a, size_t len, int where) {
    uint8_t *p = a->hi - len;
    if (where == AT_START)
        p = a->lo;
    else if (where != AT_END)
        p -= ((uintptr_t)p - (uintptr_t)where) & 63;
    a->p = p;
    a->len = len;
    size_t before = smaller((size_t)(p - a->lo), MARGIN);
    size_t after = smaller((size_t)(a->hi - p - len), MARGIN);
    memcpy(p - before, pattern, before);
    memcpy(p + len, pattern, after);
    return p;
}

void intact(const char *which, const struct arena *a) {
    size_t before = smaller((size_t)(a->p - a->lo), MARGIN);
    size_t after = smaller((size_t)(a->hi - a->p - a->len), MARGIN);
    if (memcmp(a->p - before, pattern, before))
        for (size_t i = 1; i <= before; i++)
            if (a->p[-(ptrdiff_t)i] != pattern[0])
                fail("wrote %zu bytes before the start of %s", i, which);
    if (memcmp(a->p + a->len, pattern, after))
        for (size_t i = 0; i < after; i++)
            if (a->p[a->len + i] != pattern[0])
                fail("wrote past the end of %s, at byte %zu of %zu", which, a->len + i, a->len);
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* Where a fault's address lies, in the words of the buffers. */
static const char *place(uintptr_t address) {
    static char text[160];
    const struct {
        const char *name;
        const struct arena *a;
    } known[] = {{"in", &arena_in},
                 {"out", &arena_out},
                 {"state", &arena_state},
                 {"block0", &arena_block0},
                 {"struct fc_poly1305", &arena_poly}};
    for (size_t i = 0; i < LENGTH_OF(known); i++) {
        const struct arena *a = known[i].a;
        uintptr_t p = (uintptr_t)a->p, end = p + a->len;
        if (a->p && address >= (uintptr_t)a->lo - GUARD && address < (uintptr_t)a->hi + GUARD) {
            if (address >= end)
                snprintf(text, sizeof text, "%lu bytes past the end of %s",
                         (unsigned long)(address - end), known[i].name);
            else
                snprintf(text, sizeof text, "%lu bytes before the start of %s",
                         (unsigned long)(p - address), known[i].name);
            return text;
        }
    }
    snprintf(text, sizeof text, "address 0x%llx, in no buffer of the check",
             (unsigned long long)address);
    return text;
}

void describe(FILE *f); /* main.c */

static void report(const char *fault, const char *where) {
    describe(stdout);
    printf("%s%s%s\n", fault, *where ? " at " : "", where);
    fflush(stdout);
}

#if defined(_WIN32)
static LONG CALLBACK on_exception(EXCEPTION_POINTERS *e) {
    const EXCEPTION_RECORD *r = e->ExceptionRecord;
    switch (r->ExceptionCode) {
    case EXCEPTION_ACCESS_VIOLATION:
        report("access violation", place((uintptr_t)r->ExceptionInformation[1]));
        break;
    case EXCEPTION_ILLEGAL_INSTRUCTION:
    case EXCEPTION_PRIV_INSTRUCTION:
        report("illegal instruction", "");
        break;
    case EXCEPTION_DATATYPE_MISALIGNMENT:
    case EXCEPTION_STACK_OVERFLOW:
    case EXCEPTION_INT_DIVIDE_BY_ZERO:
        report("fault", "");
        break;
    default:
        return EXCEPTION_CONTINUE_SEARCH;
    }
    ExitProcess(EXIT_FAULT);
}

void catch_faults(void) { AddVectoredExceptionHandler(1, on_exception); }
#else
static void on_signal(int sig, siginfo_t *info, void *context) {
    (void)context;
    /* The fault is synchronous and in a kernel, which holds no lock: stdio works. */
    if (sig == SIGSEGV || sig == SIGBUS)
        report(sig == SIGSEGV ? "SIGSEGV" : "SIGBUS", place((uintptr_t)info->si_addr));
    else
        report(sig == SIGILL ? "SIGILL" : sig == SIGTRAP ? "SIGTRAP" : "SIGFPE", "");
    _exit(EXIT_FAULT);
}

void catch_faults(void) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
    static uint8_t stack[1 << 16]; /* the kernel may have spoilt its own */
    stack_t s = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaltstack(&s, NULL);
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < LENGTH_OF(signals); i++) sigaction(signals[i], &action, NULL);
}
#endif

/* ---- data ------------------------------------------------------------------------------------ */
static uint64_t random_state = 1;

void seed_random(uint64_t seed) {
    random_state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    if (!random_state) random_state = 1;
}

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016. */
uint64_t random64(void) {
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * UINT64_C(0x2545f4914f6cdd1d);
}

void random_bytes(void *p, size_t n) {
    uint8_t *b = p;
    for (size_t i = 0; i < n; i++) b[i] = (uint8_t)(random64() >> 56);
}

uint8_t *data;

void data_init(void) {
    data = malloc(MAX_LEN + 64);
    if (!data) {
        fprintf(stderr, "check: no memory\n");
        exit(EXIT_USAGE);
    }
    random_bytes(data, MAX_LEN + 64);
}
