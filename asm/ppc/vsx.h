/* Vectors by VSX, at any address: words in memory order in either byte order. */
#ifndef FC_PPC_VSX_H
#define FC_PPC_VSX_H

.macro fc_vload v, a, b
    lxvw4x 32 + \v, \a, \b
.endm
.macro fc_vstore v, a, b
    stxvw4x 32 + \v, \a, \b
.endm

#endif
