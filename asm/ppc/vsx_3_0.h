/* Vectors by VSX of ISA 3.0, at any address: whole, in the mode's byte order. In little-endian mode lane 0
 * of words in memory order is then the one that instructions call 3. */
#ifndef FC_PPC_VSX_3_0_H
#define FC_PPC_VSX_3_0_H

.macro fc_vload v, a, b
    lxvx 32 + \v, \a, \b
.endm
.macro fc_vstore v, a, b
    stxvx 32 + \v, \a, \b
.endm

#endif
