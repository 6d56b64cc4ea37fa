"""The calling-convention check, natively. Other architectures: `python tools/testbed abi`."""

import json
import re

import native
import pytest


@pytest.fixture(scope="module")
def abi(tmp_path_factory):
    folder = native.ROOT / "tests/abi"
    own = [p for pattern in ("*.c", "*/*.c", "*/*.S") for p in sorted(folder.glob(pattern))]
    return native.build(tmp_path_factory.mktemp("abi") / "abi", own + native.library())


def test_cheating_kernels_are_caught(abi):
    out = native.run(abi, "--self-test")
    tried, escaped = map(
        int, re.search(r"(\d+) kernels that cheat, (\d+) not caught", out).groups()
    )
    assert tried >= 10
    assert escaped == 0


def test_every_available_row(abi, pytestconfig):
    listed = [json.loads(line) for line in native.run(abi, "--list").splitlines()]
    available = {row["name"] for row in listed if row["available"]}
    thorough = ["--thorough"] if pytestconfig.getoption("--thorough") else []
    out = native.run(abi, *thorough)
    assert set(re.findall(r"^(\w+): ran [\d]+ checks", out, re.MULTILINE)) == available
