"""`python -m fastchacha.rvvemu`."""

import json
import subprocess
import sys

import pytest


@pytest.fixture(scope="session")
def emulate():
    """A function that runs the command line and returns (status, output, errors)."""

    def emulate(*arguments):
        done = subprocess.run(
            [sys.executable, "-m", "fastchacha.rvvemu", *map(str, arguments)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    return emulate


@pytest.fixture
def adder(assemble, tmp_path):
    """`f(in, out, n)`: out[i] = in[i] + 1."""
    path = tmp_path / "adder.o"
    path.write_bytes(
        assemble("""
1:  beqz a2, 2f
    vsetvli t0, a2, e8, m1, ta, ma
    vle8.v v8, (a0)
    vadd.vi v8, v8, 1
    vse8.v v8, (a1)
    add a0, a0, t0
    add a1, a1, t0
    sub a2, a2, t0
    j 1b
2:  li a0, 7
    ret
""")
    )
    return path


def test_run(emulate, adder):
    status, output, errors = emulate("run", adder, "f", "hex:0102ff", "out:3", 3)
    assert (status, errors) == (0, "")
    assert output == "a0: 0x7\nargument 1: 020300\n"


def test_json_and_counts(emulate, adder):
    status, output, _ = emulate(
        "run", adder, "f", "--vlen", 256, "--json", "--count", "random:64", "out:64", 64
    )
    result = json.loads(output)
    assert status == 0 and result["a0"] == "0x7"
    assert result["counts"]["by_kind"]["vadd.vi"] == [2, 2]
    assert result["counts"]["instructions"] == 21
    assert result["counts"]["per_byte"] == 21 / 64
    status, output, _ = emulate("run", adder, "f", "--count", "random:64", "out:64", 64)
    assert status == 0 and "a byte" in output and "vadd.vi" in output


def test_trace(emulate, adder):
    status, _, errors = emulate("run", adder, "f", "--trace", "hex:01", "out:1", 1)
    assert status == 0
    lines = errors.splitlines()
    assert len(lines) == 12
    assert "vsetvli t0, a2, e8, m1, ta, ma" in lines[1]
    assert "t0=0x1" in lines[1] and "vl=1" in lines[1]
    assert f"v8={'f' * 30}02" in lines[3]


def test_errors_name_the_instruction(emulate, adder):
    status, output, errors = emulate("run", adder, "f", "hex:01", "out:3", 3)
    assert status == 1 and output == ""
    assert errors.startswith("MemoryFault:") and "vle8.v v8, (a0)" in errors


def test_secrets(emulate, adder):
    assert emulate("run", adder, "f", "--secrets", "secret:hex:01", "out:1", 1)[0] == 0
    status, _, errors = emulate("run", adder, "f", "secret:hex:01", "out:1", 1)
    assert status == 1 and "needs --secrets" in errors


def test_misuse(emulate, adder):
    assert emulate()[0] == 2
    assert emulate("run", adder, "f", "--nonsense")[0] == 2
    assert emulate("explain", "vadd", "vsub")[0] == 2
    status, _, errors = emulate("run", adder, "f", "list:1")
    assert status == 1 and "list" in errors
    status, _, errors = emulate("run", adder, "g")
    assert status == 1 and "no symbol 'g'" in errors
    status, _, errors = emulate("run", adder, "f", "--vlen", 100)
    assert status == 1 and "VLEN" in errors


def test_disassemble_and_explain(emulate, adder):
    status, output, _ = emulate("disassemble", adder, "--symbol", "f")
    assert status == 0 and output.startswith("f:\n") and "vadd.vi v8, v8, 1" in output
    status, output, _ = emulate("explain", "00c58533")
    assert status == 0 and output.startswith("add a0, a1, a2") and "chapter I 2.4.2" in output
    status, output, _ = emulate("explain", "vadd")
    assert status == 0 and output.count("vadd.") >= 3
    assert emulate("explain", "vnothing")[0] == 1
