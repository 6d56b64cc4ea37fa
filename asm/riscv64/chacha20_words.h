/* What scalar and vector ChaCha20 share: the words of a state or of a block in integer registers, 0-11 in
 * s0-s11 and 12-15 in t3-t6.
 */
#include "arch.h"

/* Words 0-11 and 13-15 from the state at a0. */
.macro load_state
    lw s0, 0(a0)
    lw s1, 4(a0)
    lw s2, 8(a0)
    lw s3, 12(a0)
    lw s4, 16(a0)
    lw s5, 20(a0)
    lw s6, 24(a0)
    lw s7, 28(a0)
    lw s8, 32(a0)
    lw s9, 36(a0)
    lw s10, 40(a0)
    lw s11, 44(a0)
    lw t4, 52(a0)
    lw t5, 56(a0)
    lw t6, 60(a0)
.endm

/* Four words to memory. */
.macro store_words at, base, x0, x1, x2, x3
    sw \x0, \at(\base)
    sw \x1, \at + 4(\base)
    sw \x2, \at + 8(\base)
    sw \x3, \at + 12(\base)
.endm
