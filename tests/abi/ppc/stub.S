#include "../abi.h"
#if defined(__powerpc__)

#if defined(__powerpc64__)
#define LOAD ld
#define STORE std
#define STORE_U stdu
#define W 8
#define LR_SAVE 16
#else
#define LOAD lwz
#define STORE stw
#define STORE_U stwu
#define W 4
#define LR_SAVE 4
#endif

/* The stub's own frame: a header, f14 to f31, r14 to r31, cr, v20 to v31, vrsave. */
#define SAVED_F 128
#define SAVED_R (SAVED_F + 8 * 18)
#define SAVED_CR (SAVED_R + 8 * 18)
#define SAVED_VRSAVE (SAVED_CR + 8)
#define SAVED_V (SAVED_VRSAVE + 8)
#define FRAME (SAVED_V + 16 * 12)

/* f0 to f31 by `op` from or to byte `at` of the frame in r11. */
.macro doubles op, at, first=0, base=11
    .set .Ln, \first
    .rept 32 - \first
    \op .Ln, (\at + 8 * (.Ln - \first))(\base)
    .set .Ln, .Ln + 1
    .endr
.endm
/* v0 to v31 likewise; lvx is 103, stvx 231 (Power ISA, book I, 6.7): encoded, since the stub must
 * assemble for CPUs without them. */
.macro vectors opcode, at, first=0, base=11
    .set .Ln, \first
    .rept 32 - \first
    li 0, (\at + 16 * (.Ln - \first))
    .long (31 << 26) | (.Ln << 21) | (\base << 16) | (0 << 11) | (\opcode << 1)
    .set .Ln, .Ln + 1
    .endr
.endm
#define LVX 103
#define STVX 231

/* r14 to r31. */
.macro generals op, at, base
    .set .Ln, 14
    .rept 18
    \op .Ln, (\at + W * (.Ln - 14))(\base)
    .set .Ln, .Ln + 1
    .endr
.endm

abi_func abi_call
    mflr 0
    STORE 0, LR_SAVE(1)
    STORE_U 1, -FRAME(1)
    doubles stfd, SAVED_F, 14, 1
    generals STORE, SAVED_R, 1
    mfcr 0
    STORE 0, SAVED_CR(1)
    mr 11, 3
    LOAD 4, (W * ABI_FLAGS)(11)
    cmpwi 4, 0
    beq 1f
    mfspr 0, 256
    STORE 0, SAVED_VRSAVE(1)
    vectors STVX, SAVED_V, 20, 1
    LOAD 0, (W * (ABI_BEFORE + 22))(11)
    mtspr 256, 0
    vectors LVX, ABI_VEC_BEFORE
1:
    STORE 1, (W * ABI_SAVED)(11)
    LOAD 1, (W * ABI_SP)(11)
    doubles lfd, ABI_FP_BEFORE
    generals LOAD, W * (ABI_BEFORE + 1), 11
    LOAD 0, (W * (ABI_BEFORE + 21))(11)
    mtcr 0
    LOAD 3, (W * (ABI_ARGS + 0))(11)
    LOAD 4, (W * (ABI_ARGS + 1))(11)
    LOAD 5, (W * (ABI_ARGS + 2))(11)
    LOAD 6, (W * (ABI_ARGS + 3))(11)
    LOAD 7, (W * (ABI_ARGS + 4))(11)
    LOAD 8, (W * (ABI_ARGS + 5))(11)
    LOAD 9, (W * (ABI_ARGS + 6))(11)
    LOAD 10, (W * (ABI_ARGS + 7))(11)
    LOAD 12, (W * ABI_FN)(11)
#if ABI_DESCRIPTORS
    ld 2, 8(12)
    ld 12, 0(12)
#endif
    mtctr 12
    LOAD 0, (W * (ABI_BEFORE + 23))(11)
    LOAD 11, (W * (ABI_BEFORE + 24))(11)
    bctrl

    /* r2 may be spoilt: the address comes from the program counter. */
    bcl 20, 31, 2f
2:  mflr 11
    addis 11, 11, (abi_current - 2b)@ha
    addi 11, 11, (abi_current - 2b)@l
    LOAD 11, 0(11)
    STORE 1, (W * ABI_AFTER)(11)
    LOAD 1, (W * ABI_SAVED)(11)
    generals STORE, W * (ABI_AFTER + 1), 11
    STORE 2, (W * (ABI_AFTER + 19))(11)
    STORE 13, (W * (ABI_AFTER + 20))(11)
    mfcr 0
    STORE 0, (W * (ABI_AFTER + 21))(11)
    LOAD 2, (W * (ABI_BEFORE + 19))(11)
    LOAD 13, (W * (ABI_BEFORE + 20))(11)
    doubles stfd, ABI_FP_AFTER
    LOAD 0, (W * (ABI_BEFORE + 22))(11)
    STORE 0, (W * (ABI_AFTER + 22))(11)
    LOAD 4, (W * ABI_FLAGS)(11)
    cmpwi 4, 0
    beq 3f
    mfspr 0, 256
    STORE 0, (W * (ABI_AFTER + 22))(11)
    vectors STVX, ABI_VEC_AFTER
    vectors LVX, SAVED_V, 20, 1
    LOAD 0, SAVED_VRSAVE(1)
    mtspr 256, 0
3:
    LOAD 0, SAVED_CR(1)
    mtcr 0
    generals LOAD, SAVED_R, 1
    doubles lfd, SAVED_F, 14, 1
    addi 1, 1, FRAME
    LOAD 0, LR_SAVE(1)
    mtlr 0
    blr
#endif
