"""The encoding table: one line per instruction, and the decoder made from it.

A line is: mnemonic, the 32 bits from bit 31 down to bit 0 (literal bits and named fields),
the operands in assembly order, and flags.

Fields that are no register: `m` is the vector mask bit (0 = masked by v0.t); `immI`, `immS`,
`immB`, `immU`, `immJ` are the immediates of the base formats (S and B in two parts, `hi` and
`lo`); `nf` is a segment count minus one and never 0 (the lines without segments have literal
000 there); `imm5` and `uimm5` are signed and unsigned, `uimm6` is the six-bit shift amount.

A vector operand may carry its effective element width (EEW) after a colon; without one it is
SEW.  `2`: 2*SEW;  `/2 /4 /8`: SEW divided;  `e8 ... e64`: fixed;  `m`: a mask register;
`s`, `2s`: element 0 of one register;  `w1 w2 w4 w8`: that many whole registers.

Flags: `dil` = on the data-independent-latency lists (Zkt, Zvkt);  `move` = only moves data
about (secret marks move with it);  `apart` = vd may not overlap the vector sources;
`end` = may change pc, vl or vtype;  `=f` = implemented by function f.

Chapter numbers: "I", "M", ... are chapters of the RISC-V Unprivileged ISA manual (20240411
numbering), "V n.m" sections of its chapter "V", "Zvbb" its vector cryptography chapter.
"""

from __future__ import annotations

import re
from functools import lru_cache

TABLE = {
    ("I", "I 2.4.1 Integer register-immediate"): """
addi       immI rs1 000 rd 0010011                          rd,rs1,imm        dil
slti       immI rs1 010 rd 0010011                          rd,rs1,imm        dil
sltiu      immI rs1 011 rd 0010011                          rd,rs1,imm        dil
xori       immI rs1 100 rd 0010011                          rd,rs1,imm        dil
ori        immI rs1 110 rd 0010011                          rd,rs1,imm        dil
andi       immI rs1 111 rd 0010011                          rd,rs1,imm        dil
slli       000000 uimm6 rs1 001 rd 0010011                  rd,rs1,uimm       dil
srli       000000 uimm6 rs1 101 rd 0010011                  rd,rs1,uimm       dil
srai       010000 uimm6 rs1 101 rd 0010011                  rd,rs1,uimm       dil
addiw      immI rs1 000 rd 0011011                          rd,rs1,imm        dil
slliw      0000000 uimm5 rs1 001 rd 0011011                 rd,rs1,uimm       dil
srliw      0000000 uimm5 rs1 101 rd 0011011                 rd,rs1,uimm       dil
sraiw      0100000 uimm5 rs1 101 rd 0011011                 rd,rs1,uimm       dil
lui        immU rd 0110111                                  rd,imm            dil
auipc      immU rd 0010111                                  rd,imm            dil
""",
    ("I", "I 2.4.2 Integer register-register"): """
add        0000000 rs2 rs1 000 rd 0110011                   rd,rs1,rs2        dil
sub        0100000 rs2 rs1 000 rd 0110011                   rd,rs1,rs2        dil
sll        0000000 rs2 rs1 001 rd 0110011                   rd,rs1,rs2        dil
slt        0000000 rs2 rs1 010 rd 0110011                   rd,rs1,rs2        dil
sltu       0000000 rs2 rs1 011 rd 0110011                   rd,rs1,rs2        dil
xor        0000000 rs2 rs1 100 rd 0110011                   rd,rs1,rs2        dil
srl        0000000 rs2 rs1 101 rd 0110011                   rd,rs1,rs2        dil
sra        0100000 rs2 rs1 101 rd 0110011                   rd,rs1,rs2        dil
or         0000000 rs2 rs1 110 rd 0110011                   rd,rs1,rs2        dil
and        0000000 rs2 rs1 111 rd 0110011                   rd,rs1,rs2        dil
addw       0000000 rs2 rs1 000 rd 0111011                   rd,rs1,rs2        dil
subw       0100000 rs2 rs1 000 rd 0111011                   rd,rs1,rs2        dil
sllw       0000000 rs2 rs1 001 rd 0111011                   rd,rs1,rs2        dil
srlw       0000000 rs2 rs1 101 rd 0111011                   rd,rs1,rs2        dil
sraw       0100000 rs2 rs1 101 rd 0111011                   rd,rs1,rs2        dil
""",
    ("I", "I 2.5 Control transfer"): """
jal        immJ rd 1101111                                  rd,target         end
jalr       immI rs1 000 rd 1100111                          rd,imm(rs1)       end
beq        immBhi rs2 rs1 000 immBlo 1100011                rs1,rs2,target    end
bne        immBhi rs2 rs1 001 immBlo 1100011                rs1,rs2,target    end
blt        immBhi rs2 rs1 100 immBlo 1100011                rs1,rs2,target    end
bge        immBhi rs2 rs1 101 immBlo 1100011                rs1,rs2,target    end
bltu       immBhi rs2 rs1 110 immBlo 1100011                rs1,rs2,target    end
bgeu       immBhi rs2 rs1 111 immBlo 1100011                rs1,rs2,target    end
""",
    ("I", "I 2.6 Load and store, 4.3 RV64 load and store"): """
lb         immI rs1 000 rd 0000011                          rd,imm(rs1)
lh         immI rs1 001 rd 0000011                          rd,imm(rs1)
lw         immI rs1 010 rd 0000011                          rd,imm(rs1)
ld         immI rs1 011 rd 0000011                          rd,imm(rs1)
lbu        immI rs1 100 rd 0000011                          rd,imm(rs1)
lhu        immI rs1 101 rd 0000011                          rd,imm(rs1)
lwu        immI rs1 110 rd 0000011                          rd,imm(rs1)
sb         immShi rs2 rs1 000 immSlo 0100011                rs2,imm(rs1)
sh         immShi rs2 rs1 001 immSlo 0100011                rs2,imm(rs1)
sw         immShi rs2 rs1 010 immSlo 0100011                rs2,imm(rs1)
sd         immShi rs2 rs1 011 immSlo 0100011                rs2,imm(rs1)
""",
    ("I", "I 2.7 Memory ordering, 2.8 Environment call and breakpoints"): """
fence      0000 iorw4 iorw4 00000 000 00000 0001111         pred,succ
ecall      000000000000 00000 000 00000 1110011             -
ebreak     000000000001 00000 000 00000 1110011             -
""",
    ("Zicsr", "Zicsr 6.1 CSR instructions"): """
csrrw      csr rs1 001 rd 1110011                           rd,csr,rs1
csrrs      csr rs1 010 rd 1110011                           rd,csr,rs1
csrrc      csr rs1 011 rd 1110011                           rd,csr,rs1
csrrwi     csr zimm5 101 rd 1110011                         rd,csr,zimm
csrrsi     csr zimm5 110 rd 1110011                         rd,csr,zimm
csrrci     csr zimm5 111 rd 1110011                         rd,csr,zimm
""",
    ("M", "M 12.1 Multiplication"): """
mul        0000001 rs2 rs1 000 rd 0110011                   rd,rs1,rs2        dil
mulh       0000001 rs2 rs1 001 rd 0110011                   rd,rs1,rs2        dil
mulhsu     0000001 rs2 rs1 010 rd 0110011                   rd,rs1,rs2        dil
mulhu      0000001 rs2 rs1 011 rd 0110011                   rd,rs1,rs2        dil
mulw       0000001 rs2 rs1 000 rd 0111011                   rd,rs1,rs2        dil
""",
    ("M", "M 12.2 Division"): """
div        0000001 rs2 rs1 100 rd 0110011                   rd,rs1,rs2
divu       0000001 rs2 rs1 101 rd 0110011                   rd,rs1,rs2
rem        0000001 rs2 rs1 110 rd 0110011                   rd,rs1,rs2
remu       0000001 rs2 rs1 111 rd 0110011                   rd,rs1,rs2
divw       0000001 rs2 rs1 100 rd 0111011                   rd,rs1,rs2
divuw      0000001 rs2 rs1 101 rd 0111011                   rd,rs1,rs2
remw       0000001 rs2 rs1 110 rd 0111011                   rd,rs1,rs2
remuw      0000001 rs2 rs1 111 rd 0111011                   rd,rs1,rs2
""",
    ("Zba", "B 28.4.1 Zba: address generation"): """
sh1add     0010000 rs2 rs1 010 rd 0110011                   rd,rs1,rs2
sh2add     0010000 rs2 rs1 100 rd 0110011                   rd,rs1,rs2
sh3add     0010000 rs2 rs1 110 rd 0110011                   rd,rs1,rs2
add.uw     0000100 rs2 rs1 000 rd 0111011                   rd,rs1,rs2
sh1add.uw  0010000 rs2 rs1 010 rd 0111011                   rd,rs1,rs2
sh2add.uw  0010000 rs2 rs1 100 rd 0111011                   rd,rs1,rs2
sh3add.uw  0010000 rs2 rs1 110 rd 0111011                   rd,rs1,rs2
slli.uw    000010 uimm6 rs1 001 rd 0011011                  rd,rs1,uimm
""",
    ("Zbb", "B 28.4.2 Zbb: basic bit manipulation"): """
andn       0100000 rs2 rs1 111 rd 0110011                   rd,rs1,rs2        dil
orn        0100000 rs2 rs1 110 rd 0110011                   rd,rs1,rs2        dil
xnor       0100000 rs2 rs1 100 rd 0110011                   rd,rs1,rs2        dil
clz        011000000000 rs1 001 rd 0010011                  rd,rs1
ctz        011000000001 rs1 001 rd 0010011                  rd,rs1
cpop       011000000010 rs1 001 rd 0010011                  rd,rs1
clzw       011000000000 rs1 001 rd 0011011                  rd,rs1
ctzw       011000000001 rs1 001 rd 0011011                  rd,rs1
cpopw      011000000010 rs1 001 rd 0011011                  rd,rs1
min        0000101 rs2 rs1 100 rd 0110011                   rd,rs1,rs2
minu       0000101 rs2 rs1 101 rd 0110011                   rd,rs1,rs2
max        0000101 rs2 rs1 110 rd 0110011                   rd,rs1,rs2
maxu       0000101 rs2 rs1 111 rd 0110011                   rd,rs1,rs2
sext.b     011000000100 rs1 001 rd 0010011                  rd,rs1
sext.h     011000000101 rs1 001 rd 0010011                  rd,rs1
zext.h     000010000000 rs1 100 rd 0111011                  rd,rs1            dil
rol        0110000 rs2 rs1 001 rd 0110011                   rd,rs1,rs2        dil
ror        0110000 rs2 rs1 101 rd 0110011                   rd,rs1,rs2        dil
rori       011000 uimm6 rs1 101 rd 0010011                  rd,rs1,uimm       dil
rolw       0110000 rs2 rs1 001 rd 0111011                   rd,rs1,rs2        dil
rorw       0110000 rs2 rs1 101 rd 0111011                   rd,rs1,rs2        dil
roriw      0110000 uimm5 rs1 101 rd 0011011                 rd,rs1,uimm       dil
rev8       011010111000 rs1 101 rd 0010011                  rd,rs1            dil
orc.b      001010000111 rs1 101 rd 0010011                  rd,rs1
""",
    ("V", "V 6 Configuration-setting"): """
vsetvli    0 zimm11 rs1 111 rd 1010111                      rd,rs1,vtype      end
vsetivli   11 zimm10 zimm5 111 rd 1010111                   rd,zimm,vtype     end
vsetvl     1000000 rs2 rs1 111 rd 1010111                   rd,rs1,rs2        end
""",
    # The memory instructions come once for each EEW: see expand() below.
    ("V", "V 7.4 Unit-stride loads and stores"): """
vle{e}.v      000 000 m 00000 rs1 {w} vd 0000111      vd:e{e},(rs1),vm      move =load_unit
vse{e}.v      000 000 m 00000 rs1 {w} vs3 0100111     vs3:e{e},(rs1),vm     move =store_unit
""",
    ("V", "V 7.4 Unit-stride mask loads and stores"): """
vlm.v           000 000 1 01011 rs1 000 vd 0000111          vd:m,(rs1)              move =load_mask
vsm.v           000 000 1 01011 rs1 000 vs3 0100111         vs3:m,(rs1)             move =store_mask
""",
    ("V", "V 7.5 Strided loads and stores"): """
vlse{e}.v     000 010 m rs2 rs1 {w} vd 0000111        vd:e{e},(rs1),rs2,vm  move =load_strided
vsse{e}.v     000 010 m rs2 rs1 {w} vs3 0100111       vs3:e{e},(rs1),rs2,vm move =store_strided
""",
    ("V", "V 7.6 Indexed loads and stores"): """
vluxei{e}.v   000 001 m vs2 rs1 {w} vd 0000111        vd,(rs1),vs2:e{e},vm  move =load_indexed
vloxei{e}.v   000 011 m vs2 rs1 {w} vd 0000111        vd,(rs1),vs2:e{e},vm  move =load_indexed
vsuxei{e}.v   000 001 m vs2 rs1 {w} vs3 0100111       vs3,(rs1),vs2:e{e},vm move =store_indexed
vsoxei{e}.v   000 011 m vs2 rs1 {w} vs3 0100111       vs3,(rs1),vs2:e{e},vm move =store_indexed
""",
    ("V", "V 7.7 Unit-stride fault-only-first loads"): """
vle{e}ff.v    000 000 m 10000 rs1 {w} vd 0000111      vd:e{e},(rs1),vm      move end =load_first
""",
    ("V", "V 7.8 Segment loads and stores"): """
vlseg{nf}e{e}.v    nf 000 m 00000 rs1 {w} vd 0000111  vd:e{e},(rs1),vm      move =load_unit
vsseg{nf}e{e}.v    nf 000 m 00000 rs1 {w} vs3 0100111 vs3:e{e},(rs1),vm     move =store_unit
vlseg{nf}e{e}ff.v  nf 000 m 10000 rs1 {w} vd 0000111  vd:e{e},(rs1),vm      move end =load_first
vlsseg{nf}e{e}.v   nf 010 m rs2 rs1 {w} vd 0000111    vd:e{e},(rs1),rs2,vm  move =load_strided
vssseg{nf}e{e}.v   nf 010 m rs2 rs1 {w} vs3 0100111   vs3:e{e},(rs1),rs2,vm move =store_strided
vluxseg{nf}ei{e}.v nf 001 m vs2 rs1 {w} vd 0000111    vd,(rs1),vs2:e{e},vm  move apart =load_indexed
vloxseg{nf}ei{e}.v nf 011 m vs2 rs1 {w} vd 0000111    vd,(rs1),vs2:e{e},vm  move apart =load_indexed
vsuxseg{nf}ei{e}.v nf 001 m vs2 rs1 {w} vs3 0100111   vs3,(rs1),vs2:e{e},vm move =store_indexed
vsoxseg{nf}ei{e}.v nf 011 m vs2 rs1 {w} vs3 0100111   vs3,(rs1),vs2:e{e},vm move =store_indexed
""",
    ("V", "V 7.9 Whole-register loads and stores"): """
vl1re{e}.v 000 000 1 01000 rs1 {w} vd 0000111  vd:w1,(rs1)  move =load_whole
vl2re{e}.v 001 000 1 01000 rs1 {w} vd 0000111  vd:w2,(rs1)  move =load_whole
vl4re{e}.v 011 000 1 01000 rs1 {w} vd 0000111  vd:w4,(rs1)  move =load_whole
vl8re{e}.v 111 000 1 01000 rs1 {w} vd 0000111  vd:w8,(rs1)  move =load_whole
vs1r.v     000 000 1 01000 rs1 000 vs3 0100111 vs3:w1,(rs1) move =store_whole
vs2r.v     001 000 1 01000 rs1 000 vs3 0100111 vs3:w2,(rs1) move =store_whole
vs4r.v     011 000 1 01000 rs1 000 vs3 0100111 vs3:w4,(rs1) move =store_whole
vs8r.v     111 000 1 01000 rs1 000 vs3 0100111 vs3:w8,(rs1) move =store_whole
""",
    ("V", "V 11.1 Single-width add and subtract"): """
vadd.vv    000000 m vs2 vs1 000 vd 1010111                  vd,vs2,vs1,vm     dil
vadd.vx    000000 m vs2 rs1 100 vd 1010111                  vd,vs2,rs1,vm     dil
vadd.vi    000000 m vs2 imm5 011 vd 1010111                 vd,vs2,imm,vm     dil
vsub.vv    000010 m vs2 vs1 000 vd 1010111                  vd,vs2,vs1,vm     dil
vsub.vx    000010 m vs2 rs1 100 vd 1010111                  vd,vs2,rs1,vm     dil
vrsub.vx   000011 m vs2 rs1 100 vd 1010111                  vd,vs2,rs1,vm     dil
vrsub.vi   000011 m vs2 imm5 011 vd 1010111                 vd,vs2,imm,vm     dil
""",
    ("V", "V 11.2 Widening add and subtract"): """
vwaddu.vv  110000 m vs2 vs1 010 vd 1010111                  vd:2,vs2,vs1,vm   dil
vwaddu.vx  110000 m vs2 rs1 110 vd 1010111                  vd:2,vs2,rs1,vm   dil
vwadd.vv   110001 m vs2 vs1 010 vd 1010111                  vd:2,vs2,vs1,vm   dil
vwadd.vx   110001 m vs2 rs1 110 vd 1010111                  vd:2,vs2,rs1,vm   dil
vwsubu.vv  110010 m vs2 vs1 010 vd 1010111                  vd:2,vs2,vs1,vm   dil
vwsubu.vx  110010 m vs2 rs1 110 vd 1010111                  vd:2,vs2,rs1,vm   dil
vwsub.vv   110011 m vs2 vs1 010 vd 1010111                  vd:2,vs2,vs1,vm   dil
vwsub.vx   110011 m vs2 rs1 110 vd 1010111                  vd:2,vs2,rs1,vm   dil
vwaddu.wv  110100 m vs2 vs1 010 vd 1010111                  vd:2,vs2:2,vs1,vm dil
vwaddu.wx  110100 m vs2 rs1 110 vd 1010111                  vd:2,vs2:2,rs1,vm dil
vwadd.wv   110101 m vs2 vs1 010 vd 1010111                  vd:2,vs2:2,vs1,vm dil
vwadd.wx   110101 m vs2 rs1 110 vd 1010111                  vd:2,vs2:2,rs1,vm dil
vwsubu.wv  110110 m vs2 vs1 010 vd 1010111                  vd:2,vs2:2,vs1,vm dil
vwsubu.wx  110110 m vs2 rs1 110 vd 1010111                  vd:2,vs2:2,rs1,vm dil
vwsub.wv   110111 m vs2 vs1 010 vd 1010111                  vd:2,vs2:2,vs1,vm dil
vwsub.wx   110111 m vs2 rs1 110 vd 1010111                  vd:2,vs2:2,rs1,vm dil
""",
    ("V", "V 11.3 Integer extension"): """
vzext.vf8  010010 m vs2 00010 010 vd 1010111                vd,vs2:/8,vm      dil
vsext.vf8  010010 m vs2 00011 010 vd 1010111                vd,vs2:/8,vm      dil
vzext.vf4  010010 m vs2 00100 010 vd 1010111                vd,vs2:/4,vm      dil
vsext.vf4  010010 m vs2 00101 010 vd 1010111                vd,vs2:/4,vm      dil
vzext.vf2  010010 m vs2 00110 010 vd 1010111                vd,vs2:/2,vm      dil
vsext.vf2  010010 m vs2 00111 010 vd 1010111                vd,vs2:/2,vm      dil
""",
    ("V", "V 11.4 Add-with-carry and subtract-with-borrow"): """
vadc.vvm   010000 0 vs2 vs1 000 vd 1010111                  vd,vs2,vs1,v0     dil
vadc.vxm   010000 0 vs2 rs1 100 vd 1010111                  vd,vs2,rs1,v0     dil
vadc.vim   010000 0 vs2 imm5 011 vd 1010111                 vd,vs2,imm,v0     dil
vmadc.vvm  010001 0 vs2 vs1 000 vd 1010111                  vd:m,vs2,vs1,v0   dil
vmadc.vxm  010001 0 vs2 rs1 100 vd 1010111                  vd:m,vs2,rs1,v0   dil
vmadc.vim  010001 0 vs2 imm5 011 vd 1010111                 vd:m,vs2,imm,v0   dil
vmadc.vv   010001 1 vs2 vs1 000 vd 1010111                  vd:m,vs2,vs1      dil =vmadc_v
vmadc.vx   010001 1 vs2 rs1 100 vd 1010111                  vd:m,vs2,rs1      dil =vmadc_v
vmadc.vi   010001 1 vs2 imm5 011 vd 1010111                 vd:m,vs2,imm      dil =vmadc_v
vsbc.vvm   010010 0 vs2 vs1 000 vd 1010111                  vd,vs2,vs1,v0     dil
vsbc.vxm   010010 0 vs2 rs1 100 vd 1010111                  vd,vs2,rs1,v0     dil
vmsbc.vvm  010011 0 vs2 vs1 000 vd 1010111                  vd:m,vs2,vs1,v0   dil
vmsbc.vxm  010011 0 vs2 rs1 100 vd 1010111                  vd:m,vs2,rs1,v0   dil
vmsbc.vv   010011 1 vs2 vs1 000 vd 1010111                  vd:m,vs2,vs1      =vmsbc_v
vmsbc.vx   010011 1 vs2 rs1 100 vd 1010111                  vd:m,vs2,rs1      =vmsbc_v
""",
    ("V", "V 11.5 Bitwise logical"): """
vand.vv    001001 m vs2 vs1 000 vd 1010111                  vd,vs2,vs1,vm     dil
vand.vx    001001 m vs2 rs1 100 vd 1010111                  vd,vs2,rs1,vm     dil
vand.vi    001001 m vs2 imm5 011 vd 1010111                 vd,vs2,imm,vm     dil
vor.vv     001010 m vs2 vs1 000 vd 1010111                  vd,vs2,vs1,vm     dil
vor.vx     001010 m vs2 rs1 100 vd 1010111                  vd,vs2,rs1,vm     dil
vor.vi     001010 m vs2 imm5 011 vd 1010111                 vd,vs2,imm,vm     dil
vxor.vv    001011 m vs2 vs1 000 vd 1010111                  vd,vs2,vs1,vm     dil
vxor.vx    001011 m vs2 rs1 100 vd 1010111                  vd,vs2,rs1,vm     dil
vxor.vi    001011 m vs2 imm5 011 vd 1010111                 vd,vs2,imm,vm     dil
""",
    ("V", "V 11.6 Single-width shifts"): """
vsll.vv    100101 m vs2 vs1 000 vd 1010111                  vd,vs2,vs1,vm     dil
vsll.vx    100101 m vs2 rs1 100 vd 1010111                  vd,vs2,rs1,vm     dil
vsll.vi    100101 m vs2 uimm5 011 vd 1010111                vd,vs2,uimm,vm    dil
vsrl.vv    101000 m vs2 vs1 000 vd 1010111                  vd,vs2,vs1,vm     dil
vsrl.vx    101000 m vs2 rs1 100 vd 1010111                  vd,vs2,rs1,vm     dil
vsrl.vi    101000 m vs2 uimm5 011 vd 1010111                vd,vs2,uimm,vm    dil
vsra.vv    101001 m vs2 vs1 000 vd 1010111                  vd,vs2,vs1,vm     dil
vsra.vx    101001 m vs2 rs1 100 vd 1010111                  vd,vs2,rs1,vm     dil
vsra.vi    101001 m vs2 uimm5 011 vd 1010111                vd,vs2,uimm,vm    dil
""",
    ("V", "V 11.7 Narrowing right shifts"): """
vnsrl.wv   101100 m vs2 vs1 000 vd 1010111                  vd,vs2:2,vs1,vm   dil
vnsrl.wx   101100 m vs2 rs1 100 vd 1010111                  vd,vs2:2,rs1,vm   dil
vnsrl.wi   101100 m vs2 uimm5 011 vd 1010111                vd,vs2:2,uimm,vm  dil
vnsra.wv   101101 m vs2 vs1 000 vd 1010111                  vd,vs2:2,vs1,vm   dil
vnsra.wx   101101 m vs2 rs1 100 vd 1010111                  vd,vs2:2,rs1,vm   dil
vnsra.wi   101101 m vs2 uimm5 011 vd 1010111                vd,vs2:2,uimm,vm  dil
""",
    ("V", "V 11.8 Integer compare"): """
vmseq.vv   011000 m vs2 vs1 000 vd 1010111                  vd:m,vs2,vs1,vm   dil
vmseq.vx   011000 m vs2 rs1 100 vd 1010111                  vd:m,vs2,rs1,vm   dil
vmseq.vi   011000 m vs2 imm5 011 vd 1010111                 vd:m,vs2,imm,vm   dil
vmsne.vv   011001 m vs2 vs1 000 vd 1010111                  vd:m,vs2,vs1,vm   dil
vmsne.vx   011001 m vs2 rs1 100 vd 1010111                  vd:m,vs2,rs1,vm   dil
vmsne.vi   011001 m vs2 imm5 011 vd 1010111                 vd:m,vs2,imm,vm   dil
vmsltu.vv  011010 m vs2 vs1 000 vd 1010111                  vd:m,vs2,vs1,vm   dil
vmsltu.vx  011010 m vs2 rs1 100 vd 1010111                  vd:m,vs2,rs1,vm   dil
vmslt.vv   011011 m vs2 vs1 000 vd 1010111                  vd:m,vs2,vs1,vm   dil
vmslt.vx   011011 m vs2 rs1 100 vd 1010111                  vd:m,vs2,rs1,vm   dil
vmsleu.vv  011100 m vs2 vs1 000 vd 1010111                  vd:m,vs2,vs1,vm   dil
vmsleu.vx  011100 m vs2 rs1 100 vd 1010111                  vd:m,vs2,rs1,vm   dil
vmsleu.vi  011100 m vs2 imm5 011 vd 1010111                 vd:m,vs2,imm,vm   dil
vmsle.vv   011101 m vs2 vs1 000 vd 1010111                  vd:m,vs2,vs1,vm   dil
vmsle.vx   011101 m vs2 rs1 100 vd 1010111                  vd:m,vs2,rs1,vm   dil
vmsle.vi   011101 m vs2 imm5 011 vd 1010111                 vd:m,vs2,imm,vm   dil
vmsgtu.vx  011110 m vs2 rs1 100 vd 1010111                  vd:m,vs2,rs1,vm   dil
vmsgtu.vi  011110 m vs2 imm5 011 vd 1010111                 vd:m,vs2,imm,vm   dil
vmsgt.vx   011111 m vs2 rs1 100 vd 1010111                  vd:m,vs2,rs1,vm   dil
vmsgt.vi   011111 m vs2 imm5 011 vd 1010111                 vd:m,vs2,imm,vm   dil
""",
    ("V", "V 11.9 Minimum and maximum"): """
vminu.vv   000100 m vs2 vs1 000 vd 1010111                  vd,vs2,vs1,vm
vminu.vx   000100 m vs2 rs1 100 vd 1010111                  vd,vs2,rs1,vm
vmin.vv    000101 m vs2 vs1 000 vd 1010111                  vd,vs2,vs1,vm
vmin.vx    000101 m vs2 rs1 100 vd 1010111                  vd,vs2,rs1,vm
vmaxu.vv   000110 m vs2 vs1 000 vd 1010111                  vd,vs2,vs1,vm
vmaxu.vx   000110 m vs2 rs1 100 vd 1010111                  vd,vs2,rs1,vm
vmax.vv    000111 m vs2 vs1 000 vd 1010111                  vd,vs2,vs1,vm
vmax.vx    000111 m vs2 rs1 100 vd 1010111                  vd,vs2,rs1,vm
""",
    ("V", "V 11.10 Single-width multiply"): """
vmulhu.vv  100100 m vs2 vs1 010 vd 1010111                  vd,vs2,vs1,vm     dil
vmulhu.vx  100100 m vs2 rs1 110 vd 1010111                  vd,vs2,rs1,vm     dil
vmul.vv    100101 m vs2 vs1 010 vd 1010111                  vd,vs2,vs1,vm     dil
vmul.vx    100101 m vs2 rs1 110 vd 1010111                  vd,vs2,rs1,vm     dil
vmulhsu.vv 100110 m vs2 vs1 010 vd 1010111                  vd,vs2,vs1,vm     dil
vmulhsu.vx 100110 m vs2 rs1 110 vd 1010111                  vd,vs2,rs1,vm     dil
vmulh.vv   100111 m vs2 vs1 010 vd 1010111                  vd,vs2,vs1,vm     dil
vmulh.vx   100111 m vs2 rs1 110 vd 1010111                  vd,vs2,rs1,vm     dil
""",
    ("V", "V 11.11 Integer divide"): """
vdivu.vv   100000 m vs2 vs1 010 vd 1010111                  vd,vs2,vs1,vm
vdivu.vx   100000 m vs2 rs1 110 vd 1010111                  vd,vs2,rs1,vm
vdiv.vv    100001 m vs2 vs1 010 vd 1010111                  vd,vs2,vs1,vm
vdiv.vx    100001 m vs2 rs1 110 vd 1010111                  vd,vs2,rs1,vm
vremu.vv   100010 m vs2 vs1 010 vd 1010111                  vd,vs2,vs1,vm
vremu.vx   100010 m vs2 rs1 110 vd 1010111                  vd,vs2,rs1,vm
vrem.vv    100011 m vs2 vs1 010 vd 1010111                  vd,vs2,vs1,vm
vrem.vx    100011 m vs2 rs1 110 vd 1010111                  vd,vs2,rs1,vm
""",
    ("V", "V 11.12 Widening multiply"): """
vwmulu.vv  111000 m vs2 vs1 010 vd 1010111                  vd:2,vs2,vs1,vm   dil
vwmulu.vx  111000 m vs2 rs1 110 vd 1010111                  vd:2,vs2,rs1,vm   dil
vwmulsu.vv 111010 m vs2 vs1 010 vd 1010111                  vd:2,vs2,vs1,vm   dil
vwmulsu.vx 111010 m vs2 rs1 110 vd 1010111                  vd:2,vs2,rs1,vm   dil
vwmul.vv   111011 m vs2 vs1 010 vd 1010111                  vd:2,vs2,vs1,vm   dil
vwmul.vx   111011 m vs2 rs1 110 vd 1010111                  vd:2,vs2,rs1,vm   dil
""",
    ("V", "V 11.13 Single-width multiply-add"): """
vmadd.vv   101001 m vs2 vs1 010 vd 1010111                  vd,vs1,vs2,vm     dil
vmadd.vx   101001 m vs2 rs1 110 vd 1010111                  vd,rs1,vs2,vm     dil
vnmsub.vv  101011 m vs2 vs1 010 vd 1010111                  vd,vs1,vs2,vm     dil
vnmsub.vx  101011 m vs2 rs1 110 vd 1010111                  vd,rs1,vs2,vm     dil
vmacc.vv   101101 m vs2 vs1 010 vd 1010111                  vd,vs1,vs2,vm     dil
vmacc.vx   101101 m vs2 rs1 110 vd 1010111                  vd,rs1,vs2,vm     dil
vnmsac.vv  101111 m vs2 vs1 010 vd 1010111                  vd,vs1,vs2,vm     dil
vnmsac.vx  101111 m vs2 rs1 110 vd 1010111                  vd,rs1,vs2,vm     dil
""",
    ("V", "V 11.14 Widening multiply-add"): """
vwmaccu.vv  111100 m vs2 vs1 010 vd 1010111                 vd:2,vs1,vs2,vm   dil
vwmaccu.vx  111100 m vs2 rs1 110 vd 1010111                 vd:2,rs1,vs2,vm   dil
vwmacc.vv   111101 m vs2 vs1 010 vd 1010111                 vd:2,vs1,vs2,vm   dil
vwmacc.vx   111101 m vs2 rs1 110 vd 1010111                 vd:2,rs1,vs2,vm   dil
vwmaccsu.vv 111111 m vs2 vs1 010 vd 1010111                 vd:2,vs1,vs2,vm   dil
vwmaccsu.vx 111111 m vs2 rs1 110 vd 1010111                 vd:2,rs1,vs2,vm   dil
vwmaccus.vx 111110 m vs2 rs1 110 vd 1010111                 vd:2,rs1,vs2,vm   dil
""",
    ("V", "V 11.15 Merge, 11.16 Move"): """
vmerge.vvm 010111 0 vs2 vs1 000 vd 1010111                  vd,vs2,vs1,v0     dil
vmerge.vxm 010111 0 vs2 rs1 100 vd 1010111                  vd,vs2,rs1,v0     dil
vmerge.vim 010111 0 vs2 imm5 011 vd 1010111                 vd,vs2,imm,v0     dil
vmv.v.v    010111 1 00000 vs1 000 vd 1010111                vd,vs1            dil
vmv.v.x    010111 1 00000 rs1 100 vd 1010111                vd,rs1            dil
vmv.v.i    010111 1 00000 imm5 011 vd 1010111               vd,imm            dil
""",
    ("V", "V 12.1 Fixed-point: saturating add and subtract"): """
vsaddu.vv  100000 m vs2 vs1 000 vd 1010111                  vd,vs2,vs1,vm
vsaddu.vx  100000 m vs2 rs1 100 vd 1010111                  vd,vs2,rs1,vm
vsaddu.vi  100000 m vs2 imm5 011 vd 1010111                 vd,vs2,imm,vm
vsadd.vv   100001 m vs2 vs1 000 vd 1010111                  vd,vs2,vs1,vm
vsadd.vx   100001 m vs2 rs1 100 vd 1010111                  vd,vs2,rs1,vm
vsadd.vi   100001 m vs2 imm5 011 vd 1010111                 vd,vs2,imm,vm
vssubu.vv  100010 m vs2 vs1 000 vd 1010111                  vd,vs2,vs1,vm
vssubu.vx  100010 m vs2 rs1 100 vd 1010111                  vd,vs2,rs1,vm
vssub.vv   100011 m vs2 vs1 000 vd 1010111                  vd,vs2,vs1,vm
vssub.vx   100011 m vs2 rs1 100 vd 1010111                  vd,vs2,rs1,vm
""",
    ("V", "V 12.2 Fixed-point: averaging add and subtract"): """
vaaddu.vv  001000 m vs2 vs1 010 vd 1010111                  vd,vs2,vs1,vm
vaaddu.vx  001000 m vs2 rs1 110 vd 1010111                  vd,vs2,rs1,vm
vaadd.vv   001001 m vs2 vs1 010 vd 1010111                  vd,vs2,vs1,vm
vaadd.vx   001001 m vs2 rs1 110 vd 1010111                  vd,vs2,rs1,vm
vasubu.vv  001010 m vs2 vs1 010 vd 1010111                  vd,vs2,vs1,vm
vasubu.vx  001010 m vs2 rs1 110 vd 1010111                  vd,vs2,rs1,vm
vasub.vv   001011 m vs2 vs1 010 vd 1010111                  vd,vs2,vs1,vm
vasub.vx   001011 m vs2 rs1 110 vd 1010111                  vd,vs2,rs1,vm
""",
    ("V", "V 12.3 Fixed-point: fractional multiply, 12.4 scaling shifts, 12.5 narrowing clip"): """
vsmul.vv   100111 m vs2 vs1 000 vd 1010111                  vd,vs2,vs1,vm
vsmul.vx   100111 m vs2 rs1 100 vd 1010111                  vd,vs2,rs1,vm
vssrl.vv   101010 m vs2 vs1 000 vd 1010111                  vd,vs2,vs1,vm
vssrl.vx   101010 m vs2 rs1 100 vd 1010111                  vd,vs2,rs1,vm
vssrl.vi   101010 m vs2 uimm5 011 vd 1010111                vd,vs2,uimm,vm
vssra.vv   101011 m vs2 vs1 000 vd 1010111                  vd,vs2,vs1,vm
vssra.vx   101011 m vs2 rs1 100 vd 1010111                  vd,vs2,rs1,vm
vssra.vi   101011 m vs2 uimm5 011 vd 1010111                vd,vs2,uimm,vm
vnclipu.wv 101110 m vs2 vs1 000 vd 1010111                  vd,vs2:2,vs1,vm
vnclipu.wx 101110 m vs2 rs1 100 vd 1010111                  vd,vs2:2,rs1,vm
vnclipu.wi 101110 m vs2 uimm5 011 vd 1010111                vd,vs2:2,uimm,vm
vnclip.wv  101111 m vs2 vs1 000 vd 1010111                  vd,vs2:2,vs1,vm
vnclip.wx  101111 m vs2 rs1 100 vd 1010111                  vd,vs2:2,rs1,vm
vnclip.wi  101111 m vs2 uimm5 011 vd 1010111                vd,vs2:2,uimm,vm
""",
    ("V", "V 14 Reductions"): """
vredsum.vs   000000 m vs2 vs1 010 vd 1010111                vd:s,vs2,vs1:s,vm
vredand.vs   000001 m vs2 vs1 010 vd 1010111                vd:s,vs2,vs1:s,vm
vredor.vs    000010 m vs2 vs1 010 vd 1010111                vd:s,vs2,vs1:s,vm
vredxor.vs   000011 m vs2 vs1 010 vd 1010111                vd:s,vs2,vs1:s,vm
vredminu.vs  000100 m vs2 vs1 010 vd 1010111                vd:s,vs2,vs1:s,vm
vredmin.vs   000101 m vs2 vs1 010 vd 1010111                vd:s,vs2,vs1:s,vm
vredmaxu.vs  000110 m vs2 vs1 010 vd 1010111                vd:s,vs2,vs1:s,vm
vredmax.vs   000111 m vs2 vs1 010 vd 1010111                vd:s,vs2,vs1:s,vm
vwredsumu.vs 110000 m vs2 vs1 000 vd 1010111                vd:2s,vs2,vs1:2s,vm
vwredsum.vs  110001 m vs2 vs1 000 vd 1010111                vd:2s,vs2,vs1:2s,vm
""",
    ("V", "V 15.1 Mask-register logical"): """
vmandn.mm  011000 1 vs2 vs1 010 vd 1010111                  vd:m,vs2:m,vs1:m  dil
vmand.mm   011001 1 vs2 vs1 010 vd 1010111                  vd:m,vs2:m,vs1:m  dil
vmor.mm    011010 1 vs2 vs1 010 vd 1010111                  vd:m,vs2:m,vs1:m  dil
vmxor.mm   011011 1 vs2 vs1 010 vd 1010111                  vd:m,vs2:m,vs1:m  dil
vmorn.mm   011100 1 vs2 vs1 010 vd 1010111                  vd:m,vs2:m,vs1:m  dil
vmnand.mm  011101 1 vs2 vs1 010 vd 1010111                  vd:m,vs2:m,vs1:m  dil
vmnor.mm   011110 1 vs2 vs1 010 vd 1010111                  vd:m,vs2:m,vs1:m  dil
vmxnor.mm  011111 1 vs2 vs1 010 vd 1010111                  vd:m,vs2:m,vs1:m  dil
""",
    (
        "V",
        "V 15.2 vcpop.m, 15.3 vfirst.m, 15.4-6 set-before/including/only-first, 15.8 iota, 15.9 id",
    ): """
vcpop.m    010000 m vs2 10000 010 rd 1010111                rd,vs2:m,vm
vfirst.m   010000 m vs2 10001 010 rd 1010111                rd,vs2:m,vm
vmsbf.m    010100 m vs2 00001 010 vd 1010111                vd:m,vs2:m,vm     apart
vmsof.m    010100 m vs2 00010 010 vd 1010111                vd:m,vs2:m,vm     apart
vmsif.m    010100 m vs2 00011 010 vd 1010111                vd:m,vs2:m,vm     apart
viota.m    010100 m vs2 10000 010 vd 1010111                vd,vs2:m,vm       apart
vid.v      010100 m 00000 10001 010 vd 1010111              vd,vm
""",
    # Zvkt names "vmv.v.s", which does not exist; it is read as vmv.x.s.
    ("V", "V 16.1 Integer scalar moves"): """
vmv.x.s    010000 1 vs2 00000 010 rd 1010111                rd,vs2:s          dil
vmv.s.x    010000 1 00000 rs1 110 vd 1010111                vd:s,rs1          dil
""",
    ("V", "V 16.3 Slides"): """
vslideup.vx    001110 m vs2 rs1 100 vd 1010111              vd,vs2,rs1,vm     dil move apart
vslideup.vi    001110 m vs2 uimm5 011 vd 1010111            vd,vs2,uimm,vm    dil move apart
vslidedown.vx  001111 m vs2 rs1 100 vd 1010111              vd,vs2,rs1,vm     dil move
vslidedown.vi  001111 m vs2 uimm5 011 vd 1010111            vd,vs2,uimm,vm    dil move
vslide1up.vx   001110 m vs2 rs1 110 vd 1010111              vd,vs2,rs1,vm     dil move apart
vslide1down.vx 001111 m vs2 rs1 110 vd 1010111              vd,vs2,rs1,vm     dil move
""",
    ("V", "V 16.4 Register gather, 16.5 Compress, 16.6 Whole-register move"): """
vrgather.vv     001100 m vs2 vs1 000 vd 1010111             vd,vs2,vs1,vm     dil move apart
vrgather.vx     001100 m vs2 rs1 100 vd 1010111             vd,vs2,rs1,vm     dil move apart
vrgather.vi     001100 m vs2 uimm5 011 vd 1010111           vd,vs2,uimm,vm    dil move apart
vrgatherei16.vv 001110 m vs2 vs1 000 vd 1010111             vd,vs2,vs1:e16,vm dil move apart
vcompress.vm    010111 1 vs2 vs1 010 vd 1010111             vd,vs2,vs1:m      apart
vmv1r.v         100111 1 vs2 00000 011 vd 1010111           vd:w1,vs2:w1      dil move =vmv_whole
vmv2r.v         100111 1 vs2 00001 011 vd 1010111           vd:w2,vs2:w2      dil move =vmv_whole
vmv4r.v         100111 1 vs2 00011 011 vd 1010111           vd:w4,vs2:w4      dil move =vmv_whole
vmv8r.v         100111 1 vs2 00111 011 vd 1010111           vd:w8,vs2:w8      dil move =vmv_whole
""",
    ("Zvkb", "Zvbb, the part that is also Zvkb"): """
vandn.vv   000001 m vs2 vs1 000 vd 1010111                  vd,vs2,vs1,vm     dil
vandn.vx   000001 m vs2 rs1 100 vd 1010111                  vd,vs2,rs1,vm     dil
vbrev8.v   010010 m vs2 01000 010 vd 1010111                vd,vs2,vm         dil
vrev8.v    010010 m vs2 01001 010 vd 1010111                vd,vs2,vm         dil
vrol.vv    010101 m vs2 vs1 000 vd 1010111                  vd,vs2,vs1,vm     dil
vrol.vx    010101 m vs2 rs1 100 vd 1010111                  vd,vs2,rs1,vm     dil
vror.vv    010100 m vs2 vs1 000 vd 1010111                  vd,vs2,vs1,vm     dil
vror.vx    010100 m vs2 rs1 100 vd 1010111                  vd,vs2,rs1,vm     dil
vror.vi    01010 uimm6hi m vs2 uimm6lo 011 vd 1010111       vd,vs2,uimm,vm    dil
""",
    ("Zvbb", "Zvbb, the rest"): """
vbrev.v    010010 m vs2 01010 010 vd 1010111                vd,vs2,vm         dil
vclz.v     010010 m vs2 01100 010 vd 1010111                vd,vs2,vm         dil
vctz.v     010010 m vs2 01101 010 vd 1010111                vd,vs2,vm         dil
vcpop.v    010010 m vs2 01110 010 vd 1010111                vd,vs2,vm         dil
vwsll.vv   110101 m vs2 vs1 000 vd 1010111                  vd:2,vs2,vs1,vm   dil
vwsll.vx   110101 m vs2 rs1 100 vd 1010111                  vd:2,vs2,rs1,vm   dil
vwsll.vi   110101 m vs2 uimm5 011 vd 1010111                vd:2,vs2,uimm,vm  dil
""",
}

EXTENSIONS = ("I", "M", "Zicsr", "Zba", "Zbb", "V", "Zvkb", "Zvbb")

# V 7.3: the width field of vector loads and stores
WIDTH_CODE = {8: "000", 16: "101", 32: "110", 64: "111"}

FIELD_WIDTH = {
    "rd": 5, "rs1": 5, "rs2": 5, "vd": 5, "vs1": 5, "vs2": 5, "vs3": 5, "m": 1, "nf": 3,
    "immI": 12, "immU": 20, "immJ": 20, "immShi": 7, "immSlo": 5, "immBhi": 7, "immBlo": 5,
    "imm5": 5, "uimm5": 5, "uimm6": 6, "uimm6hi": 1, "uimm6lo": 5, "iorw4": 4, "csr": 12,
    "zimm5": 5, "zimm10": 10, "zimm11": 11,
}  # fmt: skip

ABI_NAMES = (
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1",
    *(f"a{i}" for i in range(8)), *(f"s{i}" for i in range(2, 12)), *(f"t{i}" for i in range(3, 7)),
)  # fmt: skip


def signed(value: int, bits: int) -> int:
    """The low `bits` bits of `value` as a two's complement number."""
    sign = 1 << (bits - 1)
    return (value & ((1 << bits) - 1) ^ sign) - sign


def _immediate(names: set[str], word: int) -> dict[str, int]:
    """The immediates of one machine word (I 2.3), by operand name."""

    def bits(high: int, low: int) -> int:
        return word >> low & ((1 << (high - low + 1)) - 1)

    if "immI" in names:
        return {"imm": signed(bits(31, 20), 12)}
    if "immShi" in names:
        return {"imm": signed(bits(31, 25) << 5 | bits(11, 7), 12)}
    if "immBhi" in names:
        offset = bits(31, 31) << 12 | bits(7, 7) << 11 | bits(30, 25) << 5 | bits(11, 8) << 1
        return {"target": signed(offset, 13)}
    if "immU" in names:
        return {"imm": signed(bits(31, 12), 20)}
    if "immJ" in names:
        offset = bits(31, 31) << 20 | bits(19, 12) << 12 | bits(20, 20) << 11 | bits(30, 21) << 1
        return {"target": signed(offset, 21)}
    if "imm5" in names:
        return {"imm": signed(bits(19, 15), 5)}
    if "uimm6" in names:
        return {"uimm": bits(25, 20)}
    if "uimm6hi" in names:
        return {"uimm": bits(26, 26) << 5 | bits(19, 15)}
    if "uimm5" in names:
        scalar = word & 0x7F in (0x13, 0x1B)  # shamt stands in the place of rs2
        return {"uimm": bits(24, 20) if scalar else bits(19, 15)}
    if "iorw4" in names:
        return {"pred": bits(27, 24), "succ": bits(23, 20)}
    found = {}
    if "csr" in names:
        found["csr"] = bits(31, 20)
    if "zimm5" in names:
        found["zimm"] = bits(19, 15)
    if "zimm11" in names:
        found["vtype"] = bits(30, 20)
    if "zimm10" in names:
        found["vtype"] = bits(29, 20)
    return found


class Line:
    """One line of the table."""

    def __init__(self, text: str, extension: str, chapter: str):
        self.text, self.extension, self.chapter = text, extension, chapter
        self.mnemonic, *tokens = text.split()
        self.mask = self.match = 0
        self.fields: set[str] = set()
        position = 32
        while position:
            token = tokens.pop(0)
            if token in FIELD_WIDTH:
                self.fields.add(token)
                position -= FIELD_WIDTH[token]
            else:
                position -= len(token)
                self.mask |= ((1 << len(token)) - 1) << position
                self.match |= int(token, 2) << position
            if position < 0:
                raise ValueError(f"more than 32 bits: {text}")
        operands = tokens.pop(0)
        self.operands = [] if operands == "-" else operands.split(",")
        self.flags = set(tokens)
        self.function = next((t[1:] for t in tokens if t.startswith("=")), None)
        #: EEW code of each vector operand: {"vd": "2", "vs2": "", ...}
        self.eew = {}
        for operand in self.operands:
            name, _, eew = operand.partition(":")
            if name in ("vd", "vs1", "vs2", "vs3"):
                self.eew[name] = eew
        self.is_vector = extension[:2] == "Zv" or extension == "V"
        self.masked_form = "vm" in self.operands

    def matches(self, word: int) -> bool:
        """Whether `word` is this instruction."""
        return word & self.mask == self.match and ("nf" not in self.fields or word >> 29 != 0)

    def overlaps(self, other: Line) -> bool:
        """Whether some word would match both lines."""
        common = self.mask & other.mask
        if (self.match ^ other.match) & common:
            return False
        for one, two in ((self, other), (other, self)):
            if "nf" in one.fields and two.mask >> 29 == 7 and two.match >> 29 == 0:
                return False
        return True


class Instruction:
    """A decoded machine word: the table line and its operand values."""

    __slots__ = ("line", "masked", "mnemonic", "operand", "word")

    def __init__(self, line: Line, word: int):
        self.line, self.word = line, word
        self.operand: dict[str, int] = _immediate(line.fields, word)
        for name in line.fields & {"rd", "vd", "vs3"}:
            self.operand[name] = word >> 7 & 31
        for name in line.fields & {"rs1", "vs1"}:
            self.operand[name] = word >> 15 & 31
        for name in line.fields & {"rs2", "vs2"}:
            self.operand[name] = word >> 20 & 31
        #: number of fields of a segment access, 1 for all else
        self.operand["nf"] = (word >> 29) + 1 if "nf" in line.fields else 1
        self.masked = line.masked_form and not word >> 25 & 1
        self.mnemonic = line.mnemonic.replace("{nf}", str(self.operand["nf"]))


def _read_table() -> list[Line]:
    lines = []
    for (extension, chapter), text in TABLE.items():
        for row in text.strip().splitlines():
            sizes = WIDTH_CODE if "{e}" in row else [0]
            for eew in sizes:
                full = row.replace("{e}", str(eew)).replace("{w}", WIDTH_CODE.get(eew, ""))
                lines.append(Line(full, extension, chapter))
    return lines


LINES = _read_table()


def _bucket(word: int) -> int:
    return word & 0x707F  # opcode and funct3: literal in nearly all lines


_BUCKETS: dict[int, list[Line]] = {}
for _line in LINES:
    _has_funct3 = _line.mask & 0x7000
    for _funct3 in [_line.match >> 12 & 7] if _has_funct3 else range(8):
        _BUCKETS.setdefault(_line.match & 0x7F | _funct3 << 12, []).append(_line)


@lru_cache(maxsize=65536)
def decode(word: int) -> Instruction | None:
    """The instruction that the 32-bit `word` is, or None."""
    for line in _BUCKETS.get(_bucket(word), ()):
        if line.matches(word):
            return Instruction(line, word)
    return None


# --- disassembly: plain operands, no aliases (llvm-objdump -M no-aliases) ---

CSR_NAMES = {
    0x008: "vstart", 0x009: "vxsat", 0x00A: "vxrm", 0x00F: "vcsr",
    0xC20: "vl", 0xC21: "vtype", 0xC22: "vlenb",
}  # fmt: skip


def vtype_text(vtype: int) -> str:
    """`e32, m2, ta, ma` for a legal vtype immediate, else its number."""
    sew, lmul = vtype >> 3 & 7, vtype & 7
    if sew > 3 or lmul == 4 or vtype >> 8:
        return str(vtype)
    size = f"m{1 << lmul}" if lmul < 4 else f"mf{1 << (8 - lmul)}"
    tail, mask = ("ta" if vtype & 64 else "tu"), ("ma" if vtype & 128 else "mu")
    return f"e{8 << sew}, {size}, {tail}, {mask}"


def _fence_set(bits: int) -> str:
    return "".join(c for c, bit in zip("iorw", (8, 4, 2, 1), strict=True) if bits & bit) or "0"


def disassemble(word: int, pc: int = 0, symbolise=None) -> str:
    """One machine word as assembly text; `pc` turns branch offsets into addresses.

    `symbolise(address)`, when given, adds the name of a branch target.
    """
    instruction = decode(word)
    if instruction is None:
        return f".4byte {word:#010x}"
    value = instruction.operand
    shown = []
    for text in instruction.line.operands:
        name = re.sub(r":[^,)]*", "", text)
        if name == "vm":
            if instruction.masked:
                shown.append("v0.t")
        elif name == "v0":
            shown.append("v0")
        elif name == "imm(rs1)":
            shown.append(f"{value['imm']}({ABI_NAMES[value['rs1']]})")
        elif name == "(rs1)":
            shown.append(f"({ABI_NAMES[value['rs1']]})")
        elif name in ("rd", "rs1", "rs2"):
            shown.append(ABI_NAMES[value[name]])
        elif name in ("vd", "vs1", "vs2", "vs3"):
            shown.append(f"v{value[name]}")
        elif name == "target":
            address = (pc + value["target"]) & ((1 << 64) - 1)
            label = symbolise(address) if symbolise else None
            shown.append(f"{address:#x}" + (f" <{label}>" if label else ""))
        elif name == "vtype":
            shown.append(vtype_text(value["vtype"]))
        elif name == "csr":
            shown.append(CSR_NAMES.get(value["csr"], str(value["csr"])))
        elif name in ("pred", "succ"):
            shown.append(_fence_set(value[name]))
        elif name == "imm" and "immU" in instruction.line.fields:
            shown.append(str(value["imm"] & 0xFFFFF))
        else:
            shown.append(str(value[name]))
    return f"{instruction.mnemonic} {', '.join(shown)}".rstrip()
