/* Kernels that break the calling convention; describe.c says how each must be caught. */
#include "../abi.h"
#if defined(__powerpc__)

#define DO_IT b fc_chacha20_generic

.macro spoil numbers:vararg
    .irp n, \numbers
abi_func cheat_r\n
    not \n, \n
    blr
    .endr
.endm
.macro spoil_f numbers:vararg
    .irp n, \numbers
abi_func cheat_f\n
    fneg \n, \n
    blr
    .endr
.endm
/* vnor vN, vN, vN (opcode 4, 1284), encoded: the file must assemble for CPUs without it. */
.macro spoil_v numbers:vararg
    .irp n, \numbers
abi_func cheat_v\n
    .long (4 << 26) | (\n << 21) | (\n << 16) | (\n << 11) | 1284
    blr
    .endr
.endm
/* Flips a bit of a condition field: mfcr, xoris or xori, mtcr. */
.macro spoil_cr n, op, bit
abi_func cheat_cr\n
    mfcr 0
    \op 0, 0, \bit
    mtcr 0
    blr
.endm

abi_func cheat_honest
    DO_IT

    spoil 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 2, 13
    spoil_f 14, 20, 31
    spoil_v 20, 25, 31
    spoil_cr 2, xoris, 0x0040
    spoil_cr 3, xoris, 0x0004
    spoil_cr 4, xori, 0x4000

abi_func cheat_vrsave
    mfspr 0, 256
    not 0, 0
    mtspr 256, 0
    blr

abi_func cheat_sp
    addi 1, 1, 16
    blr

abi_func cheat_above_stack
    lbz 0, 256(1)
    not 0, 0
    stb 0, 256(1)
    blr

/* Keeps a value beyond the red zone (64-bit: 288 bytes; 32-bit: none). */
abi_func cheat_below_stack
#if defined(__powerpc64__)
#define BELOW (-512)
#else
#define BELOW (-64)
#endif
    li 0, 0x1234
    stw 0, BELOW(1)
    lis 11, 305 /* 20 million */
    mtctr 11
1:  lwz 11, BELOW(1)
    cmpw 0, 11
    bne 2f
    bdnz 1b
    DO_IT
2:  blr

abi_func cheat_expects_zero
    cmpwi 11, 0
    bnelr
    DO_IT
#endif
