# A plain ChaCha20 for the emulator's own tests: whole 64-byte blocks, one block a lane,
# Zvkb rotates, in and out 4-byte aligned.  void sample_chacha20(const uint32_t state[16], const uint8_t *in,
# uint8_t *out, size_t blocks)
        .text
        .option norvc
        .option arch, +v, +zvkb
        .globl sample_chacha20
        .type sample_chacha20, @function

        .macro quarter a, b, c, d
        vadd.vv \a, \a, \b
        vxor.vv \d, \d, \a
        vror.vi \d, \d, 16
        vadd.vv \c, \c, \d
        vxor.vv \b, \b, \c
        vror.vi \b, \b, 20
        vadd.vv \a, \a, \b
        vxor.vv \d, \d, \a
        vror.vi \d, \d, 24
        vadd.vv \c, \c, \d
        vxor.vv \b, \b, \c
        vror.vi \b, \b, 25
        .endm

        .macro initial i
        lw      t1, 4*\i(a0)
        vmv.v.x v\i, t1
        .endm

        .macro addback i
        lw      t1, 4*\i(a0)
        vadd.vx v\i, v\i, t1
        .endm

sample_chacha20:
        li      t0, 0                   # blocks done
        li      t4, 64                  # stride
1:      beqz    a3, 9f
        vsetvli t2, a3, e32, m1, ta, ma
        initial 0
        initial 1
        initial 2
        initial 3
        initial 4
        initial 5
        initial 6
        initial 7
        initial 8
        initial 9
        initial 10
        initial 11
        initial 12
        initial 13
        initial 14
        initial 15
        vid.v   v16
        vadd.vx v16, v16, t0            # counters of this group
        vadd.vv v12, v12, v16
        li      t3, 10
2:      quarter v0, v4, v8, v12
        quarter v1, v5, v9, v13
        quarter v2, v6, v10, v14
        quarter v3, v7, v11, v15
        quarter v0, v5, v10, v15
        quarter v1, v6, v11, v12
        quarter v2, v7, v8, v13
        quarter v3, v4, v9, v14
        addi    t3, t3, -1
        bnez    t3, 2b
        addback 0
        addback 1
        addback 2
        addback 3
        addback 4
        addback 5
        addback 6
        addback 7
        addback 8
        addback 9
        addback 10
        addback 11
        addback 12
        addback 13
        addback 14
        addback 15
        vadd.vv v12, v12, v16
        vlsseg8e32.v v16, (a1), t4
        vxor.vv v0, v0, v16
        vxor.vv v1, v1, v17
        vxor.vv v2, v2, v18
        vxor.vv v3, v3, v19
        vxor.vv v4, v4, v20
        vxor.vv v5, v5, v21
        vxor.vv v6, v6, v22
        vxor.vv v7, v7, v23
        vssseg8e32.v v0, (a2), t4
        addi    a1, a1, 32
        addi    a2, a2, 32
        vlsseg8e32.v v16, (a1), t4
        vxor.vv v8, v8, v16
        vxor.vv v9, v9, v17
        vxor.vv v10, v10, v18
        vxor.vv v11, v11, v19
        vxor.vv v12, v12, v20
        vxor.vv v13, v13, v21
        vxor.vv v14, v14, v22
        vxor.vv v15, v15, v23
        vssseg8e32.v v8, (a2), t4
        slli    t1, t2, 6
        addi    a1, a1, -32
        addi    a2, a2, -32
        add     a1, a1, t1
        add     a2, a2, t1
        add     t0, t0, t2
        sub     a3, a3, t2
        j       1b
9:      ret
        .size sample_chacha20, .-sample_chacha20
