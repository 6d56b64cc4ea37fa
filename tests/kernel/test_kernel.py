"""The kernel check program, natively: it finds what is wrong, and nothing wrong in this build.

Other architectures run it under emulation: `python tools/testbed kernel`.
"""

import json
import re

import native
import pytest


@pytest.fixture(scope="module")
def check(tmp_path_factory):
    own = sorted((native.ROOT / "tests/kernel").glob("*.c"))
    return native.build(tmp_path_factory.mktemp("kernel") / "check", own + native.library())


def test_wrong_kernels_are_caught(check):
    out = native.run(check, "--self-test")
    total, escaped = map(int, re.search(r"(\d+) wrong kernels, (\d+) not caught", out).groups())
    assert total >= 20
    assert escaped == 0


def test_a_wrong_kernel_is_named_with_length_and_byte(check):
    out = native.run(check, "--cheat", "wrong_at_1023", status=1)
    assert re.search(r"FAILED wrong_at_1023 ChaCha20: length 1023 in\+\d+ out\+\d+", out)
    assert "first wrong byte 500" in out


def test_an_unknown_row_is_an_error(check):
    assert "no such row" in native.run(check, "--row", "no_such_row", status=2)


def test_every_available_row(check, pytestconfig):
    listed = [json.loads(line) for line in native.run(check, "--list").splitlines()]
    available = {row["name"] for row in listed if row["available"]}
    assert "generic" in available
    thorough = ["--thorough"] if pytestconfig.getoption("--thorough") else []
    out = native.run(check, *thorough)
    ran = dict(re.findall(r"^(\w+): ran ([\d,]+) checks", out, re.MULTILINE))
    assert set(ran) == available
    assert all(int(count.replace(",", "")) > 100_000 for count in ran.values())
