"""The two tables, and every source of csrc/ and asm/ as an object for each architecture."""

import json
import re
import subprocess
import sys
from dataclasses import dataclass

import native
import pytest

sys.path.insert(0, str(native.ROOT / "tools"))  # testbed

TARGETS = ("x86_64", "x86_64-windows", "aarch64", "armv7", "riscv64", "ppc64le", "ppc64", "ppc32")
"""Targets of the test bed whose objects are looked at: each architecture, word size and format."""

SYMBOLS = {
    "chacha20": "fc_chacha20_",
    "hchacha20": "fc_hchacha20_",
    "poly1305": "fc_poly1305_blocks_",
    "aead": "fc_aead_",
}


@dataclass(frozen=True)
class Row:
    """One line of backends.def."""

    name: str
    arch: str
    features: frozenset[str]
    emulated: bool
    kernels: dict[str, str]
    """Token by slot."""
    note: str

    @property
    def symbols(self):
        """The symbols of its kernels."""
        return {SYMBOLS[slot] + k for slot, k in self.kernels.items() if k != "none"}


@pytest.fixture(scope="session")
def tables(tmp_path_factory):
    """(features by architecture, rows), as the C preprocessor reads the .def files."""
    program = native.build(
        tmp_path_factory.mktemp("tables") / "tables", [native.ROOT / "tests/table/tables.c"]
    )
    features, rows = {}, []
    for line in native.run(program).splitlines():
        entry = json.loads(line)
        if entry.pop("table") == "features":
            features.setdefault(entry["arch"], {})[entry["name"]] = entry["bit"]
            continue
        rows.append(
            Row(
                entry["name"],
                entry["arch"],
                frozenset(re.findall(r"FC_NEED\((\w+)\)", entry["features"])),
                "FC_EMULATED" in entry["flags"],
                {slot: entry[slot] for slot in SYMBOLS},
                entry["note"],
            )
        )
    assert features, "features.def has no line"
    assert rows, "backends.def has no line"
    return features, rows


@pytest.fixture(scope="session")
def rows(tables):
    return tables[1]


@pytest.fixture(scope="session")
def features(tables):
    return tables[0]


@pytest.fixture(scope="session")
def objects():
    """A function from a target's name to its objects, {source path below the checkout: object}."""
    from testbed.build import build
    from testbed.targets import target

    made = {}

    def objects(name):
        if name not in made:
            made[name] = {
                str(source.relative_to(native.ROOT)): build(
                    target(name),
                    [source],
                    ["-g0", "-O3", "-fvisibility=hidden"],
                    name="-".join(source.relative_to(native.ROOT).with_suffix("").parts),
                    link=False,
                )
                for source in native.library()
            }
        return made[name]

    return objects


def llvm_objdump():
    """llvm-objdump, new enough for every extension that the kernels use (Zvkb: 19)."""
    from testbed.common import Failure
    from testbed.provision import llvm

    try:
        found = llvm("objdump")
    except Failure as failure:
        pytest.fail(str(failure))
    return found


def disassemble(command):
    """[(symbol, instruction's text)] of what objdump prints; an instruction that it does not know
    is given as it prints it."""
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    symbol, found = "", []
    for line in done.stdout.splitlines():
        if label := re.match(r"^[0-9a-f]+ <(.+)>:$", line):
            symbol = label[1]
        elif code := re.match(r"^\s+[0-9a-f]+:\s+(\S.*)$", line):
            found.append((symbol, code[1].strip()))
    return found
