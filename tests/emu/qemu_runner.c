/* Executes single RISC-V instructions with a given register state; runs under qemu-riscv64.
 *
 * Reads cases from standard input until it ends, executes each and writes it back with the
 * state that the instruction left.  The code and the scratch memory lie at fixed addresses, so
 * that another machine can be given the very same state.  Layout: struct test_case, then
 * 32 * vlenb bytes of vector registers, then MEMORY_SIZE bytes of scratch memory.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CODE_ADDRESS 0x10000000ul
#define MEMORY_ADDRESS 0x20000000ul
#define MEMORY_SIZE 8192

struct test_case {
    uint64_t word;   /* the instruction */
    uint64_t vtype;  /* given to vsetvl, then read back */
    uint64_t vl;     /* likewise */
    uint64_t vcsr;   /* likewise */
    uint64_t signal; /* the signal the instruction raised, or 0 */
    uint64_t x[32];  /* x6 to x31 are loaded and stored */
};

static sigjmp_buf escape;

static void on_signal(int number) { siglongjmp(escape, number); }

/* offsets into struct test_case: vtype 8, vl 16, vcsr 24, x 40 */
void run_case(struct test_case *state, uint8_t *vectors);
__asm__(".text\n"
        ".option arch, +v\n"
        ".globl run_case\n"
        "run_case:\n"
        "  addi sp, sp, -128\n"
        "  sd ra, 0(sp)\n sd s0, 8(sp)\n sd s1, 16(sp)\n sd s2, 24(sp)\n sd s3, 32(sp)\n"
        "  sd s4, 40(sp)\n sd s5, 48(sp)\n sd s6, 56(sp)\n sd s7, 64(sp)\n sd s8, 72(sp)\n"
        "  sd s9, 80(sp)\n sd s10, 88(sp)\n sd s11, 96(sp)\n sd a1, 104(sp)\n"
        "  mv t0, a0\n"
        "  csrr t1, vlenb\n"
        "  slli t1, t1, 3\n"
        "  vl8re8.v v0, (a1)\n  add a1, a1, t1\n"
        "  vl8re8.v v8, (a1)\n  add a1, a1, t1\n"
        "  vl8re8.v v16, (a1)\n  add a1, a1, t1\n"
        "  vl8re8.v v24, (a1)\n"
        "  ld t1, 24(t0)\n  csrw vcsr, t1\n"
        "  ld t1, 8(t0)\n  ld t2, 16(t0)\n  vsetvl zero, t2, t1\n"
        "  ld x6, 88(t0)\n ld x7, 96(t0)\n ld x8, 104(t0)\n ld x9, 112(t0)\n ld x10, 120(t0)\n"
        "  ld x11, 128(t0)\n ld x12, 136(t0)\n ld x13, 144(t0)\n ld x14, 152(t0)\n"
        "  ld x15, 160(t0)\n ld x16, 168(t0)\n ld x17, 176(t0)\n ld x18, 184(t0)\n"
        "  ld x19, 192(t0)\n ld x20, 200(t0)\n ld x21, 208(t0)\n ld x22, 216(t0)\n"
        "  ld x23, 224(t0)\n ld x24, 232(t0)\n ld x25, 240(t0)\n ld x26, 248(t0)\n"
        "  ld x27, 256(t0)\n ld x28, 264(t0)\n ld x29, 272(t0)\n ld x30, 280(t0)\n"
        "  ld x31, 288(t0)\n"
        "  li ra, 0x10000000\n"
        "  jalr ra, 0(ra)\n"
        "  sd x6, 88(t0)\n sd x7, 96(t0)\n sd x8, 104(t0)\n sd x9, 112(t0)\n sd x10, 120(t0)\n"
        "  sd x11, 128(t0)\n sd x12, 136(t0)\n sd x13, 144(t0)\n sd x14, 152(t0)\n"
        "  sd x15, 160(t0)\n sd x16, 168(t0)\n sd x17, 176(t0)\n sd x18, 184(t0)\n"
        "  sd x19, 192(t0)\n sd x20, 200(t0)\n sd x21, 208(t0)\n sd x22, 216(t0)\n"
        "  sd x23, 224(t0)\n sd x24, 232(t0)\n sd x25, 240(t0)\n sd x26, 248(t0)\n"
        "  sd x27, 256(t0)\n sd x28, 264(t0)\n sd x29, 272(t0)\n sd x30, 280(t0)\n"
        "  sd x31, 288(t0)\n"
        "  csrr t1, vtype\n sd t1, 8(t0)\n  csrr t1, vl\n sd t1, 16(t0)\n"
        "  csrr t1, vcsr\n sd t1, 24(t0)\n"
        "  ld a1, 104(sp)\n"
        "  csrr t1, vlenb\n"
        "  slli t1, t1, 3\n"
        "  vs8r.v v0, (a1)\n  add a1, a1, t1\n"
        "  vs8r.v v8, (a1)\n  add a1, a1, t1\n"
        "  vs8r.v v16, (a1)\n  add a1, a1, t1\n"
        "  vs8r.v v24, (a1)\n"
        "  ld ra, 0(sp)\n ld s0, 8(sp)\n ld s1, 16(sp)\n ld s2, 24(sp)\n ld s3, 32(sp)\n"
        "  ld s4, 40(sp)\n ld s5, 48(sp)\n ld s6, 56(sp)\n ld s7, 64(sp)\n ld s8, 72(sp)\n"
        "  ld s9, 80(sp)\n ld s10, 88(sp)\n ld s11, 96(sp)\n"
        "  addi sp, sp, 128\n"
        "  ret\n");

static uint64_t vector_bytes(void)
{
    uint64_t bytes;
    __asm__(".option push\n.option arch, +v\ncsrr %0, vlenb\n.option pop" : "=r"(bytes));
    return bytes;
}

static void *at(unsigned long address, size_t size, int protection)
{
    void *got = mmap((void *)address, size, protection,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (got == MAP_FAILED) {
        perror("mmap");
        exit(2);
    }
    return got;
}

int main(void)
{
    uint32_t *code = at(CODE_ADDRESS, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
    uint8_t *memory = at(MEMORY_ADDRESS, MEMORY_SIZE, PROT_READ | PROT_WRITE);
    size_t vectors_size = 32 * vector_bytes();
    uint8_t *vectors = malloc(vectors_size);
    struct test_case state;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_NODEFER};
    sigaction(SIGILL, &action, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    while (fread(&state, sizeof state, 1, stdin) == 1) {
        if (fread(vectors, 1, vectors_size, stdin) != vectors_size ||
            fread(memory, 1, MEMORY_SIZE, stdin) != MEMORY_SIZE)
            return 3;
        code[0] = (uint32_t)state.word;
        code[1] = 0x001f8f93; /* addi x31, x31, 1: what a taken branch skips */
        code[2] = 0x00008067; /* ret */
        __asm__ volatile("fence.i" ::: "memory");
        int number = sigsetjmp(escape, 1);
        if (number == 0)
            run_case(&state, vectors);
        state.signal = (uint64_t)number;
        fwrite(&state, sizeof state, 1, stdout);
        fwrite(vectors, 1, vectors_size, stdout);
        fwrite(memory, 1, MEMORY_SIZE, stdout);
    }
    return 0;
}
