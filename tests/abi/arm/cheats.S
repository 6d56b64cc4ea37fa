/* Kernels that break the calling convention; describe.c says how each must be caught. */
#include "../abi.h"
#if defined(__arm__)

    .syntax unified
    .arm
    .fpu vfpv3-d16

#define DO_IT b fc_chacha20_generic

.macro cheat name
abi_func cheat_\name
    .type cheat_\name, %function
.endm
.macro spoil regs:vararg
    .irp reg, \regs
    cheat \reg
    mvn \reg, \reg
    bx lr
    .endr
.endm
.macro spoil_f regs:vararg
    .irp reg, \regs
    cheat \reg
    vneg.f64 \reg, \reg
    bx lr
    .endr
.endm

    cheat honest
    DO_IT

    spoil r4, r5, r6, r7, r8, r9, r10, r11
    spoil_f d8, d9, d10, d11, d12, d13, d14, d15

    cheat fpscr
    vmrs r12, fpscr
    eor r12, r12, #(1 << 24)
    vmsr fpscr, r12
    bx lr

    cheat sp
    add sp, sp, #8
    bx lr

    cheat above_stack /* two arguments come first */
    ldrb r12, [sp, #8]
    mvn r12, r12
    strb r12, [sp, #8]
    bx lr

    cheat below_stack /* there is no red zone */
    str r1, [sp, #-64]
    push {r4, r5}
    ldr r4, =20000000
1:  ldr r12, [sp, #(8 - 64)]
    cmp r1, r12
    bne 2f
    subs r4, r4, #1
    bne 1b
    pop {r4, r5}
    DO_IT
2:  pop {r4, r5}
    bx lr

    cheat expects_zero
    vmov r12, s3
    cmp r12, #0
    bxne lr
    DO_IT

    .ltorg
#endif
