#if defined(__x86_64__)
#include "arch.h"
#include "avx2.h"

#define H0 r8
#define H1 r9
#define H2 r10
#define T0 r11
#define T1 rbx
#define T2 r12
#define T3 r13
#define R0 r14
#define R1 [rdi + 32]
#define S1 r15
#define LEFT rax

fc_func fc_poly1305_blocks_avx2
    fc_enter 0, 4, rbx, r12, r13, r14, r15
    mov LEFT, rdx
    test rdx, rdx
    jz 4f
    mov H0, [rdi]
    mov H1, [rdi + 8]
    mov H2, [rdi + 16]
    mov R0, [rdi + 24]
    mov rdx, [rdi + 32]
    mov S1, rdx
    shr S1, 2
    add S1, rdx
    mov ecx, ecx

    add H0, [rsi]
    adc H1, [rsi + 8]
    adc H2, rcx
    sub LEFT, 1
    jz 3f
    .p2align 4
2:
    poly_block H0, H1, H2, T0, T1, T2, T3, R0, R1, S1, [rsi + 16], [rsi + 24], rcx
    mov H0, T0
    mov H1, T2
    add rsi, 16
    sub LEFT, 1
    jnz 2b
3:
    poly_block H0, H1, H2, T0, T1, T2, T3, R0, R1, S1
    mov [rdi], T0
    mov [rdi + 8], T2
    mov [rdi + 16], H2
4:
    .irp reg, rdx, r8, r9, r10, r11
    xor \reg, \reg
    .endr
    fc_leave rbx, r12, r13, r14, r15
fc_endfunc fc_poly1305_blocks_avx2
#endif
