#include "../abi.h"
#if defined(__arm__)

    .syntax unified
    .arm
    .fpu vfpv3-d16

abi_func abi_call
    .type abi_call, %function
    push {r4-r11, lr}
    vpush {d8-d15}

    mov r12, r0
    str sp, [r12, #(4 * ABI_SAVED)]
    ldr sp, [r12, #(4 * ABI_SP)]
    add r1, r12, #ABI_FP_BEFORE
    vldmia r1, {d0-d15}
    add r1, r12, #(4 * (ABI_BEFORE + 1))
    ldmia r1, {r4-r11}
    ldr lr, [r12, #(4 * ABI_FN)]
    ldr r0, [r12, #(4 * ABI_ARGS)]
    ldr r1, [r12, #(4 * (ABI_ARGS + 1))]
    ldr r2, [r12, #(4 * (ABI_ARGS + 2))]
    ldr r3, [r12, #(4 * (ABI_ARGS + 3))]
    blx lr

    ldr r12, .Lcurrent
1:  ldr r12, [pc, r12]
    str sp, [r12, #(4 * ABI_AFTER)]
    ldr sp, [r12, #(4 * ABI_SAVED)]
    add r1, r12, #(4 * (ABI_AFTER + 1))
    stmia r1, {r4-r11}
    vmrs r1, fpscr
    str r1, [r12, #(4 * (ABI_AFTER + 9))]
    ldr r1, [r12, #(4 * (ABI_BEFORE + 9))]
    vmsr fpscr, r1
    add r1, r12, #ABI_FP_AFTER
    vstmia r1, {d0-d15}

    vpop {d8-d15}
    pop {r4-r11, pc}
.Lcurrent:
    .word abi_current - (1b + 8)
#endif
