"""The tables against the sources: tokens, symbols, visibility, reasons."""

import re
import subprocess

import native
import pytest
from sources import SYMBOLS, TARGETS

KERNEL = re.compile("|".join(f"(?:{prefix})\\w+" for prefix in SYMBOLS.values()))


def test_tokens_are_unique(rows, features):
    for arch in {row.arch for row in rows}:
        names = [row.name for row in rows if row.arch == arch]
        assert len(names) == len(set(names)), f"two rows of {arch} have one name"
    for arch, bits in features.items():
        assert len(set(bits.values())) == len(bits), f"two features of {arch} have one bit"
        assert all(0 <= bit < 64 for bit in bits.values())


def test_rows_need_features_of_their_architecture(rows, features):
    for row in rows:
        if row.arch == "any":
            assert not row.features, f"{row.name} needs features of one architecture"
        else:
            unknown = row.features - set(features[row.arch])
            assert not unknown, f"{row.name} needs {unknown}, which features.def has not"


def test_generic_comes_after_native_rows_and_emulated_rows_last(rows):
    kinds = [2 if row.emulated else 1 if row.name == "generic" else 0 for row in rows]
    assert kinds == sorted(kinds)
    assert kinds.count(1) == 1


def test_a_slot_that_points_to_generic_has_a_reason(rows):
    for row in rows:
        if row.name == "generic":
            continue
        borrowed = [slot for slot, kernel in row.kernels.items() if kernel == "generic"]
        if borrowed:
            assert row.note, (
                f"{row.name} ({row.arch}): {borrowed} are generic's, for no reason given"
            )
        else:
            assert not row.note, f"{row.name} ({row.arch}): a reason, but no slot is generic's"


@pytest.mark.parametrize("document", ["README.md", "docs/security.md"])
def test_documents_have_a_line_for_each_row(rows, document):
    text = (native.ROOT / document).read_text()
    lines = re.findall(r"^\| `(\w+)` \| (\w+) \|", text, re.MULTILINE)
    assert lines == [(row.name, row.arch) for row in rows]


# The layers above the kernels, some of whose functions have names that kernels might have.
LAYERS = ("csrc/chacha20.c", "csrc/poly1305.c", "csrc/aead.c")


def kernel_symbols(path):
    """{name: (binding, visibility)} of the kernels that an ELF object defines."""
    out = native.run(native.tool("readelf", "llvm-readelf"), "-sW", path)
    found = {}
    for line in out.splitlines():
        fields = line.split()
        if len(fields) >= 8 and fields[6] != "UND" and KERNEL.fullmatch(fields[-1]):
            # ppc64 shows the offset of the local entry point between visibility and section.
            found[fields[-1]] = (fields[4], fields[5])
    return found


ONLY_64_BIT = {"vsx"}
"""Features that 32-bit processes are not offered, though their architecture's token is the same."""


@pytest.mark.parametrize("name", [t for t in TARGETS if t != "x86_64-windows"])
def test_every_kernel_exists_once_is_hidden_and_is_in_the_table(name, rows, objects):
    from testbed.targets import target

    arch = target(name).arch
    wanted = set()
    for row in rows:
        if target(name).bits == 32 and ONLY_64_BIT & row.features:
            continue  # nor has backends.def the row there
        if row.arch in (arch, "any") and not row.emulated:
            wanted |= row.symbols
    defined = {}
    for source, path in objects(name).items():
        if source in LAYERS:
            continue
        for symbol, (binding, visibility) in kernel_symbols(path).items():
            assert symbol not in defined, f"{symbol} is in {defined[symbol]} and in {source}"
            defined[symbol] = source
            assert binding == "GLOBAL", f"{symbol} ({source}) is {binding}"
            assert visibility == "HIDDEN", f"{symbol} ({source}) is {visibility}, not hidden"
    emulated = {s for row in rows if row.emulated for s in row.symbols}
    assert wanted - set(defined) == set(), "rows name kernels that no source has"
    assert set(defined) - wanted - emulated == set(), "kernels that no row names"


def test_a_kernel_that_is_not_hidden_is_noticed(tmp_path):
    source = tmp_path / "x.c"
    source.write_text("void fc_chacha20_wrong(void) {}\n")
    path = native.build(tmp_path / "x.o", [source], "-c")
    assert kernel_symbols(path) == {"fc_chacha20_wrong": ("GLOBAL", "DEFAULT")}


def exports(module):
    """The dynamic symbols that a shared object defines."""
    done = subprocess.run(
        [native.tool("nm", "llvm-nm"), "-D", "--defined-only", str(module)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return {line.split()[-1] for line in done.stdout.splitlines()}


def test_the_module_exports_its_init_function_alone():
    import fastchacha._core

    # Some linkers (Debian 12's ld) export these two of the C start files.
    assert exports(fastchacha._core.__file__) - {"_init", "_fini"} == {"PyInit__core"}


def test_the_library_as_a_shared_object_exports_no_kernel(tmp_path, rows):
    shared = native.build(
        tmp_path / "library.so", native.library(), "-shared", "-fPIC", "-fvisibility=hidden"
    )
    assert not {s for s in exports(shared) if s.startswith("fc_")}
