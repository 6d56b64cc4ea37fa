"""Configuration, calls, ELF files and counters, by small programs."""

import random
import struct

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms

from fastchacha.rvvemu import ElfError, EmulatorError, Machine, buffer_address
from fastchacha.rvvemu.memory import Memory

VLENS = [128, 256, 512, 1024, 4096, 65536]
POLICIES = ["max", "half", "random"]
A, B, C = (buffer_address(slot, 4) for slot in range(3))


def call(code, *arguments, vlen=128, **options):
    machine = Machine(vlen, max_steps=100_000, **options)
    machine.load_elf(code)
    return machine.call("f", *arguments)


@pytest.mark.parametrize("vlen", [0, 64, 192, 131072])
def test_vlen_is_validated(vlen):
    with pytest.raises(ValueError, match="VLEN"):
        Machine(vlen)


def test_other_arguments_are_validated():
    with pytest.raises(ValueError, match="vl_policy"):
        Machine(vl_policy="some")
    with pytest.raises(ValueError, match="Zfoo"):
        Machine(extensions=("I", "Zfoo"))
    with pytest.raises(EmulatorError, match="no symbol"):
        Machine().call("nothing")


@pytest.mark.parametrize("vlen", VLENS)
def test_vlmax_and_vlenb(assemble, vlen):
    for sew in (8, 16, 32, 64):
        for lmul, text in ((1, "m1"), (2, "m2"), (8, "m8"), (0.5, "mf2")):
            if sew <= 64 * min(lmul, 1):
                code = assemble(f"vsetvli a0, zero, e{sew}, {text}, ta, ma\nret")
                assert call(code, vlen=vlen) == vlen * lmul // sew
    assert call(assemble("csrr a0, vlenb\nret"), vlen=vlen) == vlen // 8


def test_vl_policies(assemble):
    """V 6.3: AVL up to VLMAX, between there and 2*VLMAX a choice, then VLMAX."""
    code = assemble("vsetvli a0, a0, e32, m1, ta, ma\nret")  # VLMAX 8
    for policy in POLICIES:
        for avl in (0, 1, 7, 8, 16, 17, 1000, 1 << 63):
            assert call(code, avl, vlen=256, vl_policy=policy) == min(avl, 8)
    for avl in range(9, 16):
        assert call(code, avl, vlen=256) == 8
        assert call(code, avl, vlen=256, vl_policy="half") == (avl + 1) // 2
        seen = {call(code, avl, vlen=256, vl_policy="random", seed=s) for s in range(60)}
        assert min(seen) >= (avl + 1) // 2 and max(seen) <= 8
        assert len(seen) > 1 or avl == 15


def test_vsetvl_forms(assemble):
    keep = "vsetivli t0, 3, e32, m1, ta, ma\nvsetvli zero, zero, e{}, {}, ta, ma\ncsrr a0, vl\nret"
    assert call(assemble(keep.format(16, "mf2"))) == 3
    with pytest.raises(EmulatorError, match="reserved"):
        call(assemble(keep.format(8, "m1")))
    vill = "li t1, 0xff\nvsetvl a0, a0, t1\ncsrr a0, vtype\nret"
    assert call(assemble(vill), 5) == 1 << 63
    assert call(assemble("vsetivli t0, 3, e16, mf4, ta, mu\ncsrr a0, vtype\nret")) == 0x4E


def test_fault_only_first_load_shortens_vl(assemble):
    code = assemble("vsetvli t0, a1, e8, m1, ta, ma\nvle8ff.v v8, (a0)\ncsrr a0, vl\nret")

    def vl(size, avl):
        machine = Machine(128)
        machine.load_elf(code)
        machine.map(A, bytes(range(size)), "in", False)
        got = machine.call("f", A, avl)
        assert machine.v[8] & (1 << 8 * got) - 1 == int.from_bytes(bytes(range(got)), "little")
        return got

    assert vl(16, 16) == 16
    assert vl(5, 16) == 5
    assert vl(5, 4) == 4
    with pytest.raises(EmulatorError, match="outside every buffer"):
        vl(0, 4)


def test_vstart_other_than_zero_is_refused(assemble):
    assert call(assemble("csrwi vstart, 0\nli a0, 7\nret")) == 7
    with pytest.raises(EmulatorError, match="vstart"):
        call(assemble("csrwi vstart, 1\nret"))
    with pytest.raises(EmulatorError, match="CSR"):
        call(assemble("csrr a0, cycle\nret"))


def test_registers_hold_rubbish_on_entry(assemble):
    code = assemble("mv a0, t5\nret")
    assert call(code, seed=1) != 0
    assert call(code, seed=1) != call(code, seed=2)


def test_relocations_of_an_object(assemble):
    code = assemble(
        """
    lla t0, table
    lw a0, 4(t0)
    call helper
    ret
helper:
    addi a0, a0, 1
    ret
    .section .rodata
    .balign 4
table: .word 11, 22, 33
    """.replace("call helper\n    ret", "mv t1, ra\n call helper\n jr t1")
    )
    assert call(code) == 23


@pytest.mark.parametrize(
    "image",
    [b"", b"MZ" + bytes(100), b"\x7fELF\x01\x01" + bytes(100), b"\x7fELF\x02\x01" + bytes(20)],
)
def test_no_elf_file(image):
    with pytest.raises(ElfError):
        Machine().load_elf(image)


def test_memory_regions_do_not_overlap():
    memory = Memory()
    memory.map(100, bytes(10), "a", False)
    with pytest.raises(ValueError, match="overlaps"):
        memory.map(109, bytes(1), "b", False)
    memory.map(110, bytes(1), "b", False)
    with pytest.raises(EmulatorError):
        memory.load(109, 2)  # not even over the border of two regions
    with pytest.raises(ValueError, match="read-only"):
        memory.map(200, bytes(1), "c", True)


def test_counts(assemble):
    machine = Machine(128)
    machine.load_elf(
        assemble("vsetvli t0, zero, e8, m4, ta, ma\nli t1, 5\n1: vadd.vv v8, v8, v8\n"
                 "addi t1, t1, -1\nbnez t1, 1b\nret")
    )  # fmt: skip
    machine.call("f")
    counts, weights = machine.counts()
    assert counts == {"vsetvli": 1, "addi": 6, "vadd.vv": 5, "bne": 5, "jalr": 1}
    assert weights["vadd.vv"] == 20 and weights["addi"] == 6
    machine.reset_counts()
    machine.call("f")
    machine.call("f")
    assert machine.counts()[0]["vadd.vv"] == 10


def run_sample(code, vlen, blocks, **options):
    """Output of the sample ChaCha20, and what `cryptography` makes of the same."""
    rng = random.Random(f"{vlen}/{blocks}")
    key, nonce, data = rng.randbytes(32), rng.randbytes(12), rng.randbytes(64 * blocks)
    state = b"expand 32-byte k" + key + struct.pack("<I", 1) + nonce
    out = bytearray(64 * blocks)
    machine = Machine(vlen, **options)
    machine.load_elf(code)
    machine.map(A, state, "state", False)
    machine.map(B, data, "in", False)
    machine.map(C, out, "out", True)
    if machine.secrets:
        machine.secrets.mark(A + 16, 32)
        machine.secrets.mark(B, len(data))
    machine.call("sample_chacha20", A, B, C, blocks)
    cipher = Cipher(algorithms.ChaCha20(key, struct.pack("<I", 1) + nonce), None)
    return bytes(out), cipher.encryptor().update(data)


@pytest.mark.parametrize("vlen", VLENS)
@pytest.mark.parametrize("vl_policy", POLICIES)
def test_sample_chacha20(sample_object, vlen, vl_policy):
    lanes = vlen // 32
    for blocks in {1, lanes - 1, lanes, lanes + 1, 2 * lanes}:
        ours, theirs = run_sample(sample_object, vlen, blocks, vl_policy=vl_policy)
        assert ours == theirs


def test_sample_chacha20_keeps_secrets(sample_object):
    ours, theirs = run_sample(sample_object, 256, 13, secrets=True)
    assert ours == theirs


@pytest.mark.parametrize("kind", ["-no-pie", "-fPIE"])
def test_linked_programs(target, tmp_path, kind):
    """Executables at their own addresses, position-independent ones wherever they are put."""
    from testbed.build import build

    source = tmp_path / f"emu_linked{kind}.S"
    source.write_text(
        ".text\n.option norvc\n.option norelax\n.balign 4\n.globl f\n"
        "f: lla t0, number\nlw a0, 0(t0)\naddi a0, a0, 1\nsw a0, 0(t0)\nret\n"
        ".data\n.balign 4\nnumber: .word 41\n"
    )
    flags = ["-nostdlib", "-g0", "-Wl,-e,f", kind, *(["-pie"] if kind == "-fPIE" else [])]
    image = build(target, [source], flags).read_bytes()
    assert image[16] == {"-no-pie": 2, "-fPIE": 3}[kind]
    machine = Machine()
    machine.load_elf(image)
    assert machine.call("f") == 42
    assert machine.call("f") == 43
