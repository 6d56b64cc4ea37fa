/* Just enough of Linux, on the bare machine, for one static x86-64 program that computes and prints:
 * loads the ELF file built in, serves a dozen system calls, honours PROT_NONE. There are no signals: an
 * exception ends the run with its number and address, and a timer that was asked for does to the stack
 * what its signal would do, without calling the handler. Output goes to port 0xe9 (Bochs's port_e9_hack). */
#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#define PAGE 4096u
#define MEMORY ((uint64_t)128 << 20)
#define STACK ((uint64_t)40 << 20) /* top of the program's stack */
#define HEAP ((uint64_t)48 << 20)

extern const uint8_t program[], program_end[], exception_stubs[];
extern const char arguments[], arguments_end[];
extern uint64_t page_tables[], idt[], gdt[];
extern uint8_t interrupt_stack[];
void syscall_entry(void);
void timer_entry(void);

static uint64_t heap = HEAP;

static void outb(uint16_t port, uint8_t byte) {
    __asm__ volatile("outb %0, %1" : : "a"(byte), "Nd"(port));
}

static void wrmsr(uint32_t msr, uint64_t value) {
    __asm__ volatile("wrmsr" : : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32)));
}

void *memcpy(void *to, const void *from, size_t n) {
    void *start = to;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
    return start;
}

void *memset(void *to, int byte, size_t n) {
    void *start = to;
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(byte) : "memory");
    return start;
}

static void print(const char *s) {
    while (*s) outb(0xe9, (uint8_t)*s++);
}

static void print_number(uint64_t n) {
    char digits[24], *p = digits + sizeof digits;
    *--p = 0;
    do {
        *--p = "0123456789abcdef"[n & 15];
    } while (n >>= 4);
    print("0x");
    print(p);
}

/* "bochs: exit N" ends the output; then Bochs's shutdown port. */
static _Noreturn void stop(uint64_t status) {
    print("\nbochs: exit ");
    print_number(status & 255);
    print("\n");
    for (const char *s = "Shutdown"; *s; s++) outb(0x8900, (uint8_t)*s);
    for (;;) __asm__ volatile("cli; hlt");
}

_Noreturn void exception(uint64_t number, const uint64_t *frame) {
    uint64_t address;
    __asm__ volatile("mov %%cr2, %0" : "=r"(address));
    /* these push an error code: double fault, invalid TSS to general protection, page fault, ... */
    int has_code = number == 8 || (number >= 10 && number <= 14) || number == 17 || number == 21;
    print("\nbochs: exception ");
    print_number(number);
    print(" at ");
    print_number(frame[has_code]);
    if (number == 14) {
        print(", address ");
        print_number(address);
    }
    stop(3);
}

static void protect(uint64_t from, uint64_t size, int access) {
    for (uint64_t a = from / PAGE; a < (from + size + PAGE - 1) / PAGE; a++) {
        page_tables[a] = a * PAGE | (access == 0 ? 0 : access & 2 ? 3 : 1);
        __asm__ volatile("invlpg (%0)" : : "r"(a * PAGE) : "memory");
    }
}

/* What goes to standard error stands between the characters SO and SI. */
static long write_bytes(long fd, const uint8_t *from, size_t n) {
    if (fd == 2) outb(0xe9, 0x0e);
    for (size_t i = 0; i < n; i++) outb(0xe9, from[i]);
    if (fd == 2) outb(0xe9, 0x0f);
    return (long)n;
}

struct vector {
    const uint8_t *base;
    size_t length;
};

long system_call(long a, long b, long c, long d, long e, long f, long number) {
    (void)e, (void)f;
    switch (number) {
    case SYS_write:
        return write_bytes(a, (const uint8_t *)b, (size_t)c);
    case SYS_writev: {
        const struct vector *v = (const struct vector *)b;
        long total = 0;
        for (long i = 0; i < c; i++) total += write_bytes(a, v[i].base, v[i].length);
        return total;
    }
    case SYS_mmap: {
        uint64_t at = heap, size = ((uint64_t)b + PAGE - 1) / PAGE * PAGE;
        if (d & 0x10 || size > MEMORY - heap) return -ENOMEM; /* MAP_FIXED; a hint is ignored */
        heap += size;
        protect(at, size, (int)c);
        return (long)at;
    }
    case SYS_mprotect:
        if ((uint64_t)a + (uint64_t)b > MEMORY) return -ENOMEM;
        protect((uint64_t)a, (uint64_t)b, (int)c);
        return 0;
    case SYS_arch_prctl:
        if (a != 0x1002) return -EINVAL; /* ARCH_SET_FS */
        wrmsr(0xc0000100, (uint64_t)b);
        return 0;
    case SYS_ioctl:
        return -ENOTTY;
    case SYS_set_tid_address:
        return 1;
    case SYS_setitimer:
        outb(0x43, 0x34); /* channel 0, rate generator: about 1 kHz */
        outb(0x40, 1193 & 255);
        outb(0x40, 1193 >> 8);
        outb(0x21, 0xfe);
        return 0;
    case SYS_munmap:
    case SYS_madvise:
    case SYS_rt_sigaction: /* no signal ever comes: an exception ends the run */
    case SYS_rt_sigprocmask:
    case SYS_sigaltstack:
        return 0;
    case SYS_exit:
    case SYS_exit_group:
        stop((uint64_t)a);
    case SYS_brk: /* the C library falls back on mmap */
    default:
        return -ENOSYS;
    }
}

struct start {
    uint64_t rsp, entry;
};

/* An interrupt gate (Intel SDM volume 3, 6.14.1); stack: the number in the task state, or 0. */
static void gate(int n, uint64_t to, uint64_t stack) {
    idt[2 * n] = (to & 0xffff) | 8 << 16 | stack << 32 | (uint64_t)0x8e00 << 32 |
                 (to >> 16 & 0xffff) << 48;
    idt[2 * n + 1] = to >> 32;
}

static void interrupts_init(void) {
    static uint32_t task_state[26]; /* 7.7: words 9 and 10 are the first interrupt stack */
    uint64_t at = (uint64_t)task_state;
    task_state[9] = (uint32_t)(uint64_t)interrupt_stack;
    gdt[3] = 103 | (at & 0xffffff) << 16 | (uint64_t)0x89 << 40 | (at >> 24 & 255) << 56;
    for (int i = 0; i < 32; i++) gate(i, (uint64_t)exception_stubs + 32 * (uint64_t)i, 0);
    gate(32, (uint64_t)timer_entry, 1);
    /* Interrupt controllers: vectors from 32, all masked. */
    static const uint8_t set_up[][2] = {{0x20, 0x11}, {0xa0, 0x11}, {0x21, 32}, {0xa1, 40},
                                        {0x21, 4},    {0xa1, 2},    {0x21, 1},  {0xa1, 1},
                                        {0x21, 0xff}, {0xa1, 0xff}};
    for (size_t i = 0; i < sizeof set_up / 2; i++) outb(set_up[i][0], set_up[i][1]);
}

struct start kernel_main(void) {
    interrupts_init();
    wrmsr(0xc0000081, (uint64_t)8 << 32); /* STAR: the selectors that are in use */
    wrmsr(0xc0000082, (uint64_t)syscall_entry);
    wrmsr(0xc0000084, 0x600); /* SFMASK: interrupts and the direction flag */

    const Elf64_Ehdr *elf = (const Elf64_Ehdr *)program;
    const Elf64_Phdr *ph = (const Elf64_Phdr *)(program + elf->e_phoff);
    uint64_t headers = 0;
    if (elf->e_type != ET_EXEC) {
        print("bochs: not a static program at a fixed address");
        stop(2);
    }
    for (int i = 0; i < elf->e_phnum; i++) {
        if (ph[i].p_type == PT_PHDR) headers = ph[i].p_vaddr;
        if (ph[i].p_type != PT_LOAD) continue;
        if (ph[i].p_vaddr < ((uint64_t)16 << 20) || ph[i].p_vaddr + ph[i].p_memsz > STACK / 2) {
            print("bochs: the program does not lie between 16 and 20 MiB");
            stop(2);
        }
        memcpy((void *)ph[i].p_vaddr, program + ph[i].p_offset, ph[i].p_filesz);
        if (!headers && ph[i].p_offset == 0) headers = ph[i].p_vaddr + elf->e_phoff;
    }

    /* The first stack (x86-64 psABI, 3.4.1): argc, argv, no environment, auxiliary vector. */
    uint64_t *sp = (uint64_t *)(STACK - 4096);
    uint64_t *at = sp + 1;
    for (const char *s = arguments; s < arguments_end; s++) {
        *at++ = (uint64_t)s;
        sp[0]++;
        while (*s) s++;
    }
    *at++ = 0;
    *at++ = 0;
    const uint64_t auxiliary[] = {AT_PAGESZ, PAGE,   AT_PHDR,   headers, AT_PHENT, sizeof *ph, AT_PHNUM,
                                  elf->e_phnum, AT_RANDOM, STACK - 64, AT_NULL, 0};
    memcpy(at, auxiliary, sizeof auxiliary);
    return (struct start){(uint64_t)sp, elf->e_entry};
}
