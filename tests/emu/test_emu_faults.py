"""Deliberately faulty kernels: each must be caught by the check that is there for it.

Every kernel is `f(key, in, out, length)`; the sound one XORs `length` bytes with key[0].
"""

import pytest

from fastchacha.rvvemu import (
    CallingConvention,
    IllegalInstruction,
    Machine,
    MemoryFault,
    Misaligned,
    SecretDependence,
    StepLimit,
    buffer_address,
)

KEY, IN, OUT = buffer_address(0, 1), buffer_address(1, 1), buffer_address(2, 3)
LENGTH = 100

SOUND = """
    lbu t1, 0(a0)
1:  beqz a3, 2f
    vsetvli t0, a3, e8, m1, ta, ma
    vle8.v v8, (a1)
    vxor.vx v8, v8, t1
    vse8.v v8, (a2)
    add a1, a1, t0
    add a2, a2, t0
    sub a3, a3, t0
    j 1b
2:  ret
"""


def run(code, *, length=LENGTH, vlen=128, symbol="f", secret=(), **options):
    """The output of one call; marks the named buffers secret first."""
    machine = Machine(vlen, max_steps=100_000, secrets=bool(secret), **options)
    machine.load_elf(code)
    key, data, out = bytes([0x5A]) * 32, bytes(i & 255 for i in range(length)), bytearray(length)
    for base, buffer, name, writable in (
        (KEY, key, "key", False), (IN, data, "in", False), (OUT, out, "out", True),
    ):  # fmt: skip
        machine.map(base, buffer, name, writable)
        if name in secret:
            machine.secrets.mark(base, len(buffer))
    machine.call(symbol, KEY, IN, OUT, length)
    return bytes(out)


EXPECTED = bytes(i & 255 ^ 0x5A for i in range(LENGTH))


@pytest.mark.parametrize("vlen", [128, 256, 4096, 65536])
@pytest.mark.parametrize("vl_policy", ["max", "half", "random"])
def test_the_sound_kernel_passes_every_check(assemble, vlen, vl_policy):
    code = assemble(SOUND)
    assert run(code, vlen=vlen, vl_policy=vl_policy, secret=("key", "in")) == EXPECTED


def test_reads_one_byte_too_many(assemble):
    code = assemble("vsetvli t0, a3, e8, m8, ta, ma\naddi a1, a1, 1\nvle8.v v8, (a1)\nret")
    with pytest.raises(MemoryFault, match=r"offset 100 of in \(100 bytes") as caught:
        run(code)
    assert caught.value.symbol == "f+0x8"
    assert caught.value.disassembly == "vle8.v v8, (a1)"
    assert caught.value.address % 4 == 0
    assert "vle8.v v8, (a1)" in str(caught.value) and "<f+0x8>" in str(caught.value)


def test_reads_one_byte_before(assemble):
    with pytest.raises(MemoryFault, match="1 bytes before in"):
        run(assemble("lbu t0, -1(a1)\nret"))


def test_writes_one_byte_too_many(assemble):
    code = assemble("add a2, a2, a3\nsb zero, 0(a2)\nret")
    with pytest.raises(MemoryFault, match="write of 1 bytes"):
        run(code)
    whole = assemble("vsetvli t0, a3, e8, m8, ta, ma\nvmv.v.i v8, 0\nvs8r.v v8, (a2)\nret")
    with pytest.raises(MemoryFault, match="write of 128 bytes"):
        run(whole)


def test_writes_its_input(assemble):
    with pytest.raises(MemoryFault, match="in is read-only"):
        run(assemble("sb zero, 0(a1)\nret"))
    with pytest.raises(MemoryFault, match="in is read-only"):
        run(assemble("vsetivli t0, 4, e8, m1, ta, ma\nvse8.v v0, (a1)\nret"))


def test_leaves_the_stack(assemble):
    assert run(assemble("addi sp, sp, -16\nsd ra, 8(sp)\nld ra, 8(sp)\naddi sp, sp, 16\nret"))
    with pytest.raises(MemoryFault, match="stack"):
        run(assemble("sd ra, 0(sp)\nret"))


def test_relies_on_tail_elements(assemble):
    """Loads 4 bytes over zeros, then uses 16: with agnostic tails those are not zeros."""
    code = assemble("""
    vsetivli t0, 16, e8, m1, ta, ma
    vmv.v.i v8, 0
    vsetivli t0, 4, e8, m1, ta, ma
    vle8.v v8, (a1)
    vsetivli t0, 16, e8, m1, ta, ma
    vse8.v v8, (a2)
    ret
    """)
    wanted = bytes([0, 1, 2, 3]) + bytes(12)
    assert run(code, agnostic_ones=False)[:16] == wanted  # the fault would go unseen
    assert run(code)[:16] == wanted[:4] + b"\xff" * 12


def test_relies_on_inactive_elements(assemble):
    code = assemble("""
    vsetivli t0, 16, e8, m1, ta, ma
    vmv.v.i v8, 0
    vid.v v9
    vmsltu.vx v0, v9, t0
    vmseq.vi v0, v9, 3
    vadd.vi v8, v8, 7, v0.t
    vse8.v v8, (a2)
    ret
    """)
    assert run(code, agnostic_ones=False)[:16] == bytes([0, 0, 0, 7] + [0] * 12)
    assert run(code)[:16] == bytes([255, 255, 255, 7] + [255] * 12)


def test_misaligned_vector_elements(assemble):
    code = assemble("vsetivli t0, 4, e32, m1, ta, ma\nvle32.v v8, (a1)\nvse32.v v8, (a2)\nret")
    with pytest.raises(Misaligned, match="4-byte vector element"):
        run(code)
    assert run(code, strict_alignment=False)[:16] == bytes(range(16))
    store = assemble("vsetivli t0, 4, e64, m1, ta, ma\nvsse64.v v8, (a2), a3\nret")
    with pytest.raises(Misaligned, match="8-byte vector element"):
        run(store)


def test_misaligned_scalar_access(assemble):
    code = assemble("ld t0, 0(a1)\nsd t0, 0(a2)\nret")
    assert run(code)[:8] == bytes(range(8))
    with pytest.raises(Misaligned, match="load of 8 bytes"):
        run(code, misaligned_scalar=False)


@pytest.mark.parametrize("register", ["s0", "s1", "s5", "s11", "gp", "tp", "sp"])
def test_clobbers_a_saved_register(assemble, register):
    with pytest.raises(CallingConvention, match=f"^{register} was") as caught:
        run(assemble(f"nop\naddi {register}, {register}, 16\nret"))
    assert caught.value.disassembly == f"addi {register}, {register}, 16"
    assert caught.value.symbol == "f+0x4"


def test_restores_saved_registers(assemble):
    run(assemble("mv t0, s3\nli s3, 5\nmv s3, t0\nret"))


def test_assumes_vl_is_vlmax(assemble):
    """Advances by VLMAX bytes whatever vl came back: right only where vl = min(AVL, VLMAX)."""
    code = assemble(
        SOUND.replace(
            "add a1, a1, t0", "csrr t0, vlenb\nbltu t0, a3, 3f\nmv t0, a3\n3: add a1, a1, t0"
        )
    )
    assert run(code) == EXPECTED
    assert run(code, vl_policy="half") != EXPECTED
    assert any(run(code, vl_policy="random", seed=s) != EXPECTED for s in range(5))


def test_assumes_a_vtype_on_entry(assemble):
    for instruction in ("vadd.vv v8, v8, v9", "vle8.v v8, (a1)", "vmv1r.v v8, v9"):
        with pytest.raises(IllegalInstruction, match="vill"):
            run(assemble(instruction + "\nret"))
    run(assemble("vl1re8.v v8, (a1)\nret"))  # whole-register loads need no vtype (V 3.4.4)


def test_asks_for_an_unsupported_vtype(assemble):
    code = assemble("vsetvli t0, a3, e64, mf2, ta, ma\nvadd.vv v8, v8, v9\nret")
    with pytest.raises(IllegalInstruction, match="vill"):
        run(code)


def test_reserved_operands(assemble):
    for words, message in {
        "vsetvli t0, a3, e8, m2, ta, ma\n.insn 4, 0x02108057": "no group of 2",  # v0, v1, v1
        "vsetvli t0, a3, e8, m1, ta, ma\n.insn 4, 0x00108057": "v0",  # vadd.vv v0, v1, v1, v0.t
    }.items():
        with pytest.raises(IllegalInstruction, match=message):
            run(assemble(words + "\nret"))


@pytest.mark.parametrize(
    "extension, instruction",
    [
        ("Zvkb", "vsetvli t0, a3, e8, m1, ta, ma\nvror.vi v8, v8, 3"),
        ("V", "vsetvli t0, a3, e8, m1, ta, ma"),
        ("Zbb", "rori t0, t0, 3"),
        ("Zba", "sh1add t0, t0, t0"),
        ("M", "mul t0, t0, t0"),
    ],
)
def test_an_extension_that_is_off(assemble, extension, instruction):
    code = assemble(instruction + "\nret")
    run(code)
    off = {"Zvkb": {"Zvkb", "Zvbb"}}.get(extension, {extension})
    left = [e for e in ("I", "M", "Zicsr", "Zba", "Zbb", "V", "Zvkb", "Zvbb") if e not in off]
    with pytest.raises(IllegalInstruction, match=f"extension {extension} is off"):
        run(code, extensions=left)


def test_unknown_instructions(assemble):
    with pytest.raises(IllegalInstruction, match="unknown instruction"):
        run(assemble(".insn 4, 0x0000000b"))
    with pytest.raises(IllegalInstruction, match="compressed"):
        run(assemble(".2byte 0x8082, 0x8082"))
    with pytest.raises(IllegalInstruction, match="ecall"):
        run(assemble("ecall\nret"))


def test_jumps_into_nowhere(assemble):
    with pytest.raises(MemoryFault, match="no code"):
        run(assemble("jr a1"))
    with pytest.raises(MemoryFault, match="multiple of 4"):
        run(assemble("auipc t0, 0\njr 10(t0)\nnop\nnop\nnop"))


def test_never_returns(assemble):
    with pytest.raises(StepLimit):
        run(assemble("1: j 1b"))


# --- secrets ---

LEAKS = {
    "branches on the key": ("lbu t0, 0(a0)\nbeqz t0, 1f\nnop\n1: ret", "branch"),
    "jumps by the key": ("lbu t0, 0(a0)\nadd t0, t0, ra\njr t0", "jump target"),
    "reads a table at the key": ("lbu t0, 0(a0)\nadd t0, t0, a1\nlbu t0, 0(t0)\nret", "address"),
    "writes to a table at the key": (
        "lbu t0, 0(a0)\nadd t0, t0, a2\nsb zero, 0(t0)\nret", "address",
    ),
    "vector index from the key": (
        "vsetivli t0, 4, e8, m1, ta, ma\nvle8.v v8, (a0)\nvluxei8.v v9, (a1), v8\nret", "index",
    ),
    "gather index from the key": (
        "vsetivli t0, 4, e8, m1, ta, ma\nvle8.v v8, (a0)\nvrgather.vv v10, v9, v8\nret", "gather",
    ),
    "slides by the key": (
        "lbu t1, 0(a0)\nvsetivli t0, 4, e8, m1, ta, ma\nvslidedown.vx v10, v9, t1\nret", "slide",
    ),
    "stride from the key": (
        "lbu t1, 0(a0)\nvsetivli t0, 2, e8, m1, ta, ma\nvlse8.v v10, (a1), t1\nret", "stride",
    ),
    "vl from the key": ("lbu t0, 0(a0)\nvsetvli t0, t0, e8, m1, ta, ma\nret", "vl depends"),
    "mask from the key": (
        "vsetivli t0, 4, e8, m1, ta, ma\nvle8.v v8, (a0)\nvmseq.vi v0, v8, 0\n"
        "vadd.vi v9, v9, 1, v0.t\nret", "mask",
    ),
    "divides the key": ("lbu t0, 0(a0)\nremu t0, t0, a3\nret", "remu is not on the Zkt list"),
    "counts the key's bits": ("ld t0, 0(a0)\ncpop t0, t0\nret", "cpop is not on the Zkt list"),
    "reduces the key": (
        "vsetivli t0, 4, e8, m1, ta, ma\nvle8.v v8, (a0)\nvredsum.vs v9, v8, v9\nret",
        "vredsum.vs is not on the Zvkt list",
    ),
    "saturates the key": (
        "vsetivli t0, 4, e8, m1, ta, ma\nvle8.v v8, (a0)\nvsaddu.vi v9, v8, 1\nret",
        "vsaddu.vi is not on the Zvkt list",
    ),
    "leaks through the stack": (
        "ld t0, 0(a0)\naddi sp, sp, -16\nsd t0, 0(sp)\nlbu t1, 7(sp)\naddi sp, sp, 16\n"
        "bnez t1, 1f\n1: ret", "branch",
    ),
    "leaks through a vector": (
        "vsetivli t0, 4, e8, m1, ta, ma\nvle8.v v8, (a0)\n"
        "vsetivli t0, 4, e16, m1, ta, ma\nvzext.vf2 v10, v8\nvwmulu.vx v12, v10, a3\n"
        "vsetivli t0, 4, e32, m1, ta, ma\nvslidedown.vi v14, v12, 3\nvmv.x.s t1, v14\n"
        "bnez t1, 1f\n1: ret", "branch",
    ),
}  # fmt: skip


@pytest.mark.parametrize("leak", LEAKS)
def test_secrets_that_leak(assemble, leak):
    body, message = LEAKS[leak]
    with pytest.raises(SecretDependence, match=message):
        run(assemble(body), secret=("key",))


@pytest.mark.parametrize("leak", [leak for leak in LEAKS if leak != "jumps by the key"])
def test_the_same_code_on_public_data_passes(assemble, leak):
    """Nothing but the secret is what the check objects to."""
    try:
        run(assemble(LEAKS[leak][0]), secret=("in",))
    except MemoryFault:
        pytest.fail("the example itself is broken")


def test_marks_are_per_byte_and_element(assemble):
    """Element 3 is secret, the others are not: each may be used only accordingly."""
    body = """
    vsetivli t0, 16, e8, m1, ta, ma
    vle8.v v8, (a0)
    vadd.vi v8, v8, 1
    vslidedown.vi v9, v8, {}
    vmv.x.s t1, v9
    bnez t1, 1f
1:  ret
    """

    def attempt(element):
        machine = Machine(128, secrets=True)
        machine.load_elf(assemble(body.format(element)))
        machine.map(KEY, bytes(32), "key", False)
        machine.secrets.mark(KEY + 3, 1)
        machine.call("f", KEY)

    attempt(2)
    attempt(4)
    with pytest.raises(SecretDependence):
        attempt(3)


def test_marks_reach_the_output(assemble):
    machine = Machine(128, secrets=True)
    machine.load_elf(assemble(SOUND))
    out = bytearray(8)
    machine.map(KEY, bytes(32), "key", False)
    machine.map(IN, bytes(8), "in", False)
    machine.map(OUT, out, "out", True)
    machine.secrets.mark(IN + 2, 3)
    machine.call("f", KEY, IN, OUT, 8)
    assert machine.secrets.marked(OUT, 8) == bytes([0, 0, 255, 255, 255, 0, 0, 0])
