/* RISC-V (RV64, little-endian): what its assembly files share. Include it inside
 * `#if defined(__riscv) && __riscv_xlen == 64`.
 *
 * No compressed instruction and no linker relaxation, and only instructions that every assembler
 * encodes alike: GNU as, clang and zig then give the same bytes. An extension is switched on for a
 * function (fc_extension ... fc_extension_end), never for the file or the command line.
 *
 * gp and tp (x3, x4) are never touched.
 */
#ifndef FC_RISCV64_ARCH_H
#define FC_RISCV64_ARCH_H

#include "../fc_asm.h"

    .option norvc
    .option norelax

/* fc_extension +v ... fc_extension_end: the code between may use the extension. */
.macro fc_extension name
    .option push
    .option arch, \name
    .option norvc
    .option norelax
.endm
.macro fc_extension_end
    .option pop
.endm

/* Saves the callee-saved registers and ra above `size` bytes of scratch at sp (a multiple of 16). */
.macro fc_enter size
    addi sp, sp, -112
    .cfi_def_cfa_offset 112
    sd ra, 104(sp)
    sd s0, 96(sp)
    sd s1, 88(sp)
    sd s2, 80(sp)
    sd s3, 72(sp)
    sd s4, 64(sp)
    sd s5, 56(sp)
    sd s6, 48(sp)
    sd s7, 40(sp)
    sd s8, 32(sp)
    sd s9, 24(sp)
    sd s10, 16(sp)
    sd s11, 8(sp)
    .cfi_offset ra, -8
    .cfi_offset s0, -16
    .cfi_offset s1, -24
    .cfi_offset s2, -32
    .cfi_offset s3, -40
    .cfi_offset s4, -48
    .cfi_offset s5, -56
    .cfi_offset s6, -64
    .cfi_offset s7, -72
    .cfi_offset s8, -80
    .cfi_offset s9, -88
    .cfi_offset s10, -96
    .cfi_offset s11, -104
.if \size
    addi sp, sp, -(\size)
    .cfi_def_cfa_offset \size + 112
.endif
.endm

/* Restores what fc_enter saved. `size` below 2048. */
.macro fc_leave size
.if \size
    addi sp, sp, \size
    .cfi_def_cfa_offset 112
.endif
    ld ra, 104(sp)
    ld s0, 96(sp)
    ld s1, 88(sp)
    ld s2, 80(sp)
    ld s3, 72(sp)
    ld s4, 64(sp)
    ld s5, 56(sp)
    ld s6, 48(sp)
    ld s7, 40(sp)
    ld s8, 32(sp)
    ld s9, 24(sp)
    ld s10, 16(sp)
    ld s11, 8(sp)
    addi sp, sp, 112
    .cfi_def_cfa_offset 0
.endm

/* Zeros registers: fc_clear t0, t1. */
.macro fc_clear x:vararg
    .irp reg, \x
    li \reg, 0
    .endr
.endm

/* vd = vs2 >>> n: vror.vi, Zvkb (RISC-V Vector Cryptography 1.0, section vror.[vv,vx,vi]), encoded by
 * its fields because binutils has it from 2.42 only. The registers are numbers, n is below 32. */
.macro fc_vror vd, vs2, n
    .insn r 0x57, 3, 0x29, x\vd, x\n, x\vs2
.endm

#endif
