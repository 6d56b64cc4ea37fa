"""What the emulator's tests share: an assembler, QEMU's runner program, sample buffers."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
for folder in (ROOT / "tools", HERE):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

PROLOGUE = """
    .text
    .option norvc
    .option norelax
    .option arch, +m, +v, +zvkb, +zba, +zbb
    .globl f
    .type f, @function
f:
"""


@pytest.fixture(scope="session")
def target():
    """The riscv64 line of the test bed's targets."""
    from testbed.targets import target

    return target("riscv64")


@pytest.fixture(scope="session")
def assemble(target, tmp_path_factory):
    """A function from assembly text (the body of a function `f`) to an ELF object."""
    from testbed.build import build

    folder = tmp_path_factory.mktemp("asm")
    made: dict[str, bytes] = {}

    def assemble(body: str, prologue: str = PROLOGUE) -> bytes:
        text = prologue + body + "\n"
        if text not in made:
            source = folder / f"emu_test_{len(made)}.S"
            source.write_text(text)
            made[text] = build(target, [source], ["-g0"], link=False).read_bytes()
        return made[text]

    return assemble


@pytest.fixture(scope="session")
def sample_object(target) -> bytes:
    """The sample ChaCha20 (chacha20_sample.S), assembled."""
    from testbed.build import build

    return build(target, [HERE / "chacha20_sample.S"], ["-g0"], link=False).read_bytes()


@pytest.fixture(scope="session")
def qemu_command(target):
    """A function from VLEN to the command line that runs qemu_runner.c's program."""
    from differential import QEMU_CPU
    from testbed import provision
    from testbed.build import build

    program = build(target, [HERE / "qemu_runner.c"], name="qemu_runner")

    def command(vlen: int) -> list[str]:
        qemu = provision.qemu(target.runner)
        return [str(qemu), "-cpu", QEMU_CPU.format(vlen=vlen), str(program)]

    return command
