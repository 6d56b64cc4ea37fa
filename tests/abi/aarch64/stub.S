#include "../abi.h"
#if defined(__aarch64__)

/* abi_current, in x9. */
.macro current
#if defined(__APPLE__)
    adrp x9, _abi_current@PAGE
    ldr x9, [x9, _abi_current@PAGEOFF]
#else
    adrp x9, abi_current
    ldr x9, [x9, :lo12:abi_current]
#endif
.endm

/* Pairs of registers at consecutive words from word n of the frame in x9. */
.macro words op, n, a, b
    \op \a, \b, [x9, #(8 * (\n))]
.endm

/* v0 to v31 from or to x10, byte by byte: the same image on both byte orders. */
.macro vectors op
    \op {v0.16b, v1.16b, v2.16b, v3.16b}, [x10], #64
    \op {v4.16b, v5.16b, v6.16b, v7.16b}, [x10], #64
    \op {v8.16b, v9.16b, v10.16b, v11.16b}, [x10], #64
    \op {v12.16b, v13.16b, v14.16b, v15.16b}, [x10], #64
    \op {v16.16b, v17.16b, v18.16b, v19.16b}, [x10], #64
    \op {v20.16b, v21.16b, v22.16b, v23.16b}, [x10], #64
    \op {v24.16b, v25.16b, v26.16b, v27.16b}, [x10], #64
    \op {v28.16b, v29.16b, v30.16b, v31.16b}, [x10], #64
.endm

abi_func ABI_SYM(abi_call)
    sub sp, sp, #176
    stp x19, x20, [sp]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]

    mov x9, x0
    mov x10, sp
    str x10, [x9, #(8 * ABI_SAVED)]
    ldr x10, [x9, #(8 * ABI_SP)]
    mov sp, x10
    add x10, x9, #ABI_VEC_BEFORE
    vectors ld1
    words ldp, ABI_BEFORE + 1, x19, x20
    words ldp, ABI_BEFORE + 3, x21, x22
    words ldp, ABI_BEFORE + 5, x23, x24
    words ldp, ABI_BEFORE + 7, x25, x26
    words ldp, ABI_BEFORE + 9, x27, x28
    ldr x29, [x9, #(8 * (ABI_BEFORE + 11))]
    words ldp, ABI_ARGS, x0, x1
    words ldp, ABI_ARGS + 2, x2, x3
    words ldp, ABI_ARGS + 4, x4, x5
    words ldp, ABI_ARGS + 6, x6, x7
    words ldp, ABI_BEFORE + 14, x8, x10
    words ldp, ABI_BEFORE + 16, x11, x12
    words ldp, ABI_BEFORE + 18, x13, x14
    ldr x15, [x9, #(8 * (ABI_BEFORE + 20))]
    ldr x17, [x9, #(8 * (ABI_BEFORE + 21))]
    ldr x16, [x9, #(8 * ABI_FN)]
    blr x16

    current
    mov x10, sp
    str x10, [x9, #(8 * ABI_AFTER)]
    ldr x10, [x9, #(8 * ABI_SAVED)]
    mov sp, x10
    words stp, ABI_AFTER + 1, x19, x20
    words stp, ABI_AFTER + 3, x21, x22
    words stp, ABI_AFTER + 5, x23, x24
    words stp, ABI_AFTER + 7, x25, x26
    words stp, ABI_AFTER + 9, x27, x28
    mrs x10, fpcr
    words stp, ABI_AFTER + 11, x29, x18
    str x10, [x9, #(8 * (ABI_AFTER + 13))]
    add x10, x9, #ABI_VEC_AFTER
    vectors st1
    ldr x18, [x9, #(8 * (ABI_BEFORE + 12))]
    ldr x10, [x9, #(8 * (ABI_BEFORE + 13))]
    msr fpcr, x10

    ldp x19, x20, [sp]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #176
    ret
#endif
