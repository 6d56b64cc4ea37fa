"""Which code runs: backends(), cpu_features(), and the environment variables, in new processes.

Test ids are the names of the table's rows.
"""

import json
import os
import re

import model
import pytest
from support import KEY, NONCE12, NONCE24, check_python, pattern, run_python

import fastchacha
from fastchacha import _core

ROWS = _core._rows()
HERE = {row["name"]: row for row in ROWS if row["here"]}

# Every name of the contract, by the architectures that have it; emulated ones are everywhere.
NAMES = {
    "rv64": {"riscv64"},
    "zbb": {"riscv64"},
    "rvv": {"riscv64"},
    "zvkb": {"riscv64"},
    "neon": {"aarch64", "arm"},
    "ppc": {"ppc"},
    "altivec": {"ppc"},
    "vsx": {"ppc"},
    "power8": {"ppc"},
    "power9": {"ppc"},
    "power10": {"ppc"},
    "avx2": {"x86_64"},
    "avx512": {"x86_64"},
}
FEATURES = ["zba", "zbb", "v", "zvkb", "neon", "altivec", "vsx", "arch_2_07", "arch_3_00"]
FEATURES += ["arch_3_1", "bmi2", "avx2", "avx512f", "avx512vl", "avx512bw", "avx512dq"]
FEATURES += ["avx512ifma"]

SHOW = """
import json, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import fastchacha
print(json.dumps({
    "backend": fastchacha.backend(),
    "available": [b.name for b in fastchacha.backends() if b.available],
    "reasons": {b.name: b.reason for b in fastchacha.backends()},
    "features": sorted(fastchacha.cpu_features()),
    "warnings": [[w.category.__name__, str(w.message)] for w in caught],
}))
"""


def show(**variables):
    """What the package says of itself in a new process with this environment."""
    return json.loads(check_python(SHOW, **variables))


def import_error(**variables):
    """The message of the ImportError that the import raises: no crash, and nothing else."""
    result = run_python("import fastchacha", **variables)
    assert result.returncode == 1, f"exit status {result.returncode}: {result.stderr}"
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: "), result.stderr
    return last


def named(name, message):
    return re.search(rf"(?<![\w]){re.escape(name)}(?![\w])", message)


@pytest.fixture(scope="module")
def plain():
    """The package in a new process with none of the variables."""
    return show()


AVAILABLE = [b.name for b in fastchacha.backends() if b.available]
UNAVAILABLE = [b.name for b in fastchacha.backends() if not b.available]
EMULATED = [name for name, row in HERE.items() if row["emulated"]]


# ---- what the functions say ---------------------------------------------------------------------
def test_backends():
    backends = fastchacha.backends()
    assert type(backends) is tuple
    names = [b.name for b in backends]
    assert len(set(names)) == len(names)
    assert "generic" in names
    # Best first: native rows, `generic`, emulated ones.
    emulated = [HERE[name]["emulated"] for name in names]
    assert names.index("generic") == emulated.count(False) - 1
    assert emulated == sorted(emulated)
    for b in backends:
        assert type(b).__name__ == "Backend"
        for attribute in ("name", "chacha20", "poly1305"):
            assert type(getattr(b, attribute)) is str and getattr(b, attribute)
        assert type(b.available) is bool
        assert all(type(feature) is str for feature in b.features)
        assert bool(b.reason) != b.available
        assert b.name in repr(b)
        if b.available:
            assert set(b.features) <= fastchacha.cpu_features()
    generic = next(b for b in backends if b.name == "generic")
    assert generic.available and not generic.features
    assert (generic.chacha20, generic.poly1305) == ("generic", "generic")


def test_backends_cannot_be_changed_or_made():
    backend = fastchacha.backends()[0]
    for attribute in ("name", "available", "reason", "features"):
        with pytest.raises((AttributeError, TypeError)):
            setattr(backend, attribute, None)
    with pytest.raises(TypeError):
        type(backend)()


def test_slots_that_point_to_generic_have_a_reason():
    for row in ROWS:
        points = [slot for slot, kernel in row["kernels"].items() if kernel == "generic"]
        if row["name"] != "generic" and points:
            assert row["note"], f"{row['name']} of {row['arch']}: {points} without a reason"


def test_cpu_features():
    features = fastchacha.cpu_features()
    assert type(features) is frozenset
    assert all(type(feature) is str for feature in features)


def test_backend_follows_the_environment():
    asked = os.environ.get("FASTCHACHA_BACKEND", "")
    if asked not in ("", "auto"):
        assert fastchacha.backend() == asked
    else:
        assert fastchacha.backend() == AVAILABLE[0]


def test_auto_is_the_best_available_and_never_emulated(plain):
    native = [name for name in plain["available"] if not HERE[name]["emulated"]]
    assert plain["backend"] == native[0]
    for asked in ("", "auto"):
        assert show(FASTCHACHA_BACKEND=asked) == plain
    assert plain["warnings"] == []


# ---- each available backend ---------------------------------------------------------------------
COMPUTE = """
import json, sys, warnings
warnings.simplefilter("ignore", RuntimeWarning)
import fastchacha as f
from fastchacha import _core
h = bytes.fromhex
results = []
for name, *arguments in json.load(sys.stdin):
    _core._count_calls(True)
    if name == "stream":
        cls, key, nonce, counter, rounds, data = arguments
        stream = getattr(f, cls)(h(key), h(nonce), counter=counter, rounds=rounds)
        _core._count_calls(True)
        result = stream.encrypt(h(data))
    elif name == "hchacha20":
        key, nonce, rounds = arguments
        result = f.hchacha20(h(key), h(nonce), rounds=rounds)
    elif name == "mac":
        key, data = arguments
        result = f.Poly1305.generate_tag(h(key), h(data))
    else:
        cls, key, nonce, data, aad = arguments
        aead = getattr(f, cls)(h(key))
        result = aead.encrypt(h(nonce), h(data), h(aad))
        if name == "open":
            _core._count_calls(True)
            assert aead.decrypt(h(nonce), result, h(aad)) == h(data)
    calls = [[row, slot, n] for (row, slot), n in _core._calls().items()]
    _core._count_calls(False)
    assert _core._calls() == {}
    results.append([result.hex(), calls])
print(json.dumps([f.backend(), results]))
"""


def run_cases(name, cases):
    """[(result, {(row, slot): calls}), ...] of the cases on backend `name`."""
    told = check_python(COMPUTE, stdin=json.dumps(cases), FASTCHACHA_BACKEND=name)
    used, results = json.loads(told)
    assert used == name
    return [(bytes.fromhex(r), {(row, slot): n for row, slot, n in c}) for r, c in results]


def long_length(row):
    """Enough for every kernel of the row, in whole blocks."""
    least = 512 if row["emulated"] else 2048
    return max(least, *(2 * n for n in row["min"].values())) // 64 * 64 + 64


def scalar_row(name):
    """Where short input of a row may go: itself, or a scalar row of its own kind."""
    row = HERE[name]
    if row["scalar"]:
        return name
    if row["emulated"]:
        rows = [n for n in HERE if HERE[n]["emulated"]]
        return next((n for n in rows if HERE[n]["scalar"]), name)
    return next(n for n in AVAILABLE if HERE[n]["scalar"] and not HERE[n]["emulated"])


@pytest.mark.parametrize("name", AVAILABLE)
def test_the_named_kernels_run(name):
    """Call counters: long input runs the row's own kernels and no others."""
    row, n = HERE[name], long_length(HERE[name])
    key, data = KEY.hex(), pattern(n).hex()
    whole = 2 * n + 1024  # one call may give the first kilobyte to another slot of the row
    cases = [
        ["stream", "ChaCha20", key, NONCE12.hex(), 0, 20, data],
        ["hchacha20", key, bytes(16).hex(), 20],
        ["mac", key, data],
        ["seal", "ChaCha20Poly1305", key, NONCE12.hex(), pattern(whole).hex(), ""],
        ["open", "ChaCha20Poly1305", key, NONCE12.hex(), pattern(whole).hex(), ""],
    ]
    stream, hchacha, mac, sealed, opened = (calls for _, calls in run_cases(name, cases))
    assert set(stream) == {(name, "chacha20")}
    assert set(hchacha) == {(name, "hchacha20")}
    assert set(mac) == {(name, "poly1305")}
    for calls in (sealed, opened):
        assert (name, "chacha20") in calls
        if row["kernels"]["aead"] != "none":
            assert (name, "aead") in calls
        else:
            assert (name, "poly1305") in calls
            assert not any(slot == "aead" for _, slot in calls)
        assert {used for used, _ in calls} <= {name, scalar_row(name)}


@pytest.mark.parametrize("name", AVAILABLE)
def test_short_input_runs_the_scalar_row(name):
    row = HERE[name]
    cases = [
        ["stream", "ChaCha20", KEY.hex(), NONCE12.hex(), 0, 20, bytes(1).hex()],
        ["mac", KEY.hex(), bytes(16).hex()],
        ["seal", "ChaCha20Poly1305", KEY.hex(), NONCE12.hex(), bytes(1).hex(), ""],
    ]
    stream, mac, seal = (calls for _, calls in run_cases(name, cases))
    short = scalar_row(name)
    assert {used for used, _ in stream} == {short if row["min"]["chacha20"] > 1 else name}
    assert {used for used, _ in mac} == {short if row["min"]["poly1305"] > 16 else name}
    assert {used for used, _ in seal} <= {name, short}
    assert not any(slot == "aead" for _, slot in seal)


@pytest.mark.needs("cryptography")
@pytest.mark.parametrize("name", AVAILABLE)
def test_each_backend_computes_the_right_thing(name, thorough):
    from cryptography.hazmat.primitives import poly1305 as peer_poly1305
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305 as PeerAEAD

    emulated = HERE[name]["emulated"]
    n = long_length(HERE[name])
    if emulated:
        lengths = [0, 1, 17, 64, 65, 200, n + 3]
    else:
        lengths = [*range(0, 600 if thorough else 300), 511, 512, 513, 1023, 1024, 1025]
        lengths += [n - 1, n, n + 1, 4095, 4096, 4097, 10007, 65536]
    key = pattern(32, "key")
    cases, expected = [], []

    def case(right, *what):
        cases.append([w.hex() if isinstance(w, bytes) else w for w in what])
        expected.append(right)

    peer = PeerAEAD(key)
    subkey = model.hchacha(key, NONCE24[:16])
    for i, length in enumerate(lengths):
        data, aad = pattern(length), pattern(i % 40, "aad")
        counter = (0, 1, 2**32 - 2000)[i % 3]
        whole = counter.to_bytes(4, "little") + NONCE12
        right = Cipher(algorithms.ChaCha20(key, whole), None).encryptor().update(data)
        case(right, "stream", "ChaCha20", key, NONCE12, counter, 20, data)
        case(peer_poly1305.Poly1305.generate_tag(key, data), "mac", key, data)
        case(peer.encrypt(NONCE12, data, aad), "seal", "ChaCha20Poly1305", key, NONCE12, data, aad)
        case(peer.encrypt(NONCE12, data, aad), "open", "ChaCha20Poly1305", key, NONCE12, data, aad)
        right = PeerAEAD(subkey).encrypt(bytes(4) + NONCE24[16:], data, aad)
        case(right, "seal", "XChaCha20Poly1305", key, NONCE24, data, aad)
    for rounds in (8, 12, 20):
        case(model.hchacha(key, NONCE24[:16], rounds), "hchacha20", key, NONCE24[:16], rounds)
        for length in (1, 64, 300, n + 3):
            # The counter's low word wraps in the middle.
            start = 2**38 - 64 * (length // 128 + 1)
            stream = model.keystream(key, NONCE24, start, length, rounds)
            what = ("XChaCha20", key, NONCE24, start // 64, rounds)
            case(model.xor(pattern(length), stream), "stream", *what, pattern(length))
    results = run_cases(name, cases)
    assert len(results) == len(expected)
    for what, right, (result, _) in zip(cases, expected, results, strict=True):
        assert result == right, f"{what[0]} of {len(what[-1]) // 2} bytes"


@pytest.mark.parametrize("name", EMULATED)
def test_emulated_backends_warn(name):
    told = show(FASTCHACHA_BACKEND=name)
    assert [category for category, _ in told["warnings"]] == ["RuntimeWarning"]
    assert name in told["warnings"][0][1]
    result = run_python(
        "import fastchacha", options=("-W", "error::RuntimeWarning"), FASTCHACHA_BACKEND=name
    )
    assert result.returncode == 1 and "RuntimeWarning" in result.stderr


@pytest.mark.parametrize("vlen", ["128", "256", "1024", "65536"])
@pytest.mark.parametrize("name", EMULATED)
def test_emulated_vector_length(name, vlen):
    code = """
import warnings
warnings.simplefilter("ignore")
import fastchacha
print(fastchacha.ChaCha20Poly1305(bytes(32)).encrypt(bytes(12), bytes(300)).hex())
"""
    told = check_python(code, FASTCHACHA_BACKEND=name, FASTCHACHA_EMU_VLEN=vlen)
    assert bytes.fromhex(told) == model.aead_encrypt(bytes(32), bytes(12), bytes(300))


@pytest.mark.parametrize("name", AVAILABLE)
def test_forcing_each_available_backend(name):
    told = show(FASTCHACHA_BACKEND=name)
    assert told["backend"] == name
    assert told["available"] == AVAILABLE or os.environ.get("FASTCHACHA_DISABLE")


# ---- names that do not work ---------------------------------------------------------------------
@pytest.mark.parametrize("name", ["nonsense", "AVX2", "generic ", "generic,avx2", "0", "none"])
def test_unknown_backend(name, plain):
    message = import_error(FASTCHACHA_BACKEND=name)
    assert name in message
    for works in plain["available"]:
        assert named(works, message)


OTHERS = sorted({row["name"] for row in ROWS} - set(HERE))


@pytest.mark.parametrize("name", OTHERS)
def test_backend_of_another_architecture(name, plain):
    """The message says whose it is, and what this build is for."""
    message = import_error(FASTCHACHA_BACKEND=name)
    assert named(name, message)
    assert any(named(arch, message) for arch in NAMES[name]), message
    assert "build" in message
    for works in plain["available"]:
        assert named(works, message)


@pytest.mark.parametrize("name", UNAVAILABLE)
def test_backend_that_this_cpu_or_build_cannot_run(name, plain):
    message = import_error(FASTCHACHA_BACKEND=name)
    reason = plain["reasons"][name]
    assert named(name, message)
    assert reason and reason in message
    for works in plain["available"]:
        assert named(works, message)


def test_each_row_has_a_name_of_the_contract():
    """Names are fixed; a row comes into the table when its kernels do."""
    rows = {(row["name"], row["arch"]) for row in ROWS}
    belong = {(name, arch) for name, architectures in NAMES.items() for arch in architectures}
    belong |= {(name, "any") for name in ("generic", "rvv_emu", "zvkb_emu")}
    assert rows <= belong, f"not in the contract: {sorted(rows - belong)}"
    assert "generic" in HERE


# ---- FASTCHACHA_DISABLE -------------------------------------------------------------------------
NEEDING = [(b.name, f) for b in fastchacha.backends() if b.available for f in sorted(b.features)]


@pytest.mark.parametrize("name, feature", NEEDING)
def test_forcing_a_backend_whose_feature_is_disabled(name, feature):
    message = import_error(FASTCHACHA_BACKEND=name, FASTCHACHA_DISABLE=feature)
    assert named(name, message)
    assert named(feature, message)
    assert "FASTCHACHA_DISABLE" in message
    assert named("generic", message)


@pytest.mark.parametrize("name, feature", NEEDING)
def test_a_disabled_feature_is_hidden(name, feature):
    told = show(FASTCHACHA_DISABLE=feature)
    assert feature not in told["features"]
    assert name not in told["available"]
    assert feature in told["reasons"][name] and "disabled" in told["reasons"][name]
    native = [n for n in told["available"] if not HERE[n]["emulated"]]
    assert told["backend"] == native[0]


def test_everything_disabled_leaves_the_portable_code(plain):
    every = ",".join(FEATURES)
    told = show(FASTCHACHA_DISABLE=every)
    assert told["features"] == []
    left = {n for n in plain["available"] if not HERE[n]["features"]}
    assert set(told["available"]) == left
    assert told["backend"] in left


def test_features_of_other_architectures_are_accepted_and_do_nothing(plain):
    arches = {row["arch"] for row in ROWS if row["here"]}
    own = {f for row in ROWS if row["here"] for f in row["features"]} | set(plain["features"])
    if "x86_64" in arches:
        own |= {f for f in FEATURES if f.startswith(("avx", "bmi"))}
    others = [f for f in FEATURES if f not in own]
    assert len(others) >= 8
    told = show(FASTCHACHA_DISABLE=",".join(others))
    assert told["features"] == plain["features"]
    assert told["backend"] == plain["backend"]


@pytest.mark.parametrize("value", ["", ",", " ", " , ,", "{0} ", " {0},{0}, {1}"])
def test_disable_is_a_forgiving_list(value):
    told = show(FASTCHACHA_DISABLE=value.format(*FEATURES))
    assert told["backend"]


@pytest.mark.parametrize("variable", ["FASTCHACHA_DISABLE", "FASTCHACHA_ENABLE"])
@pytest.mark.parametrize("value", ["nonsense", "avx2,nonsense", "AVX2", "avx2 zvkb", "generic"])
def test_unknown_feature(variable, value):
    message = import_error(**{variable: value})
    assert variable in message
    assert value.split(",")[-1] in message
    assert named("avx512f", message)  # it lists what is known


# ---- FASTCHACHA_ENABLE --------------------------------------------------------------------------
@pytest.mark.parametrize("feature", FEATURES)
def test_enable(feature, plain):
    """Present: nothing changes. Absent: tried in a child process. Foreign: not enabled."""
    result = run_python(SHOW, FASTCHACHA_ENABLE=feature)
    if feature in plain["features"]:
        assert json.loads(result.stdout) == plain
    elif result.returncode == 0:
        # The CPU has what the system did not report.
        told = json.loads(result.stdout)
        assert set(told["features"]) == {*plain["features"], feature}
    else:
        assert result.returncode == 1, f"exit status {result.returncode}"
        last = result.stderr.strip().splitlines()[-1]
        assert last.startswith("ImportError: ")
        assert "FASTCHACHA_ENABLE" in last and named(feature, last)


@pytest.mark.parametrize("value", ["", " ", ","])
def test_enable_nothing(value, plain):
    assert show(FASTCHACHA_ENABLE=value) == plain


def test_enable_and_disable_of_one_feature_is_refused_or_disables(plain):
    for feature in plain["features"]:
        result = run_python(SHOW, FASTCHACHA_ENABLE=feature, FASTCHACHA_DISABLE=feature)
        if result.returncode == 0:
            assert feature not in json.loads(result.stdout)["features"]
        else:
            last = result.stderr.strip().splitlines()[-1]
            assert last.startswith("ImportError: ") and named(feature, last)


# ---- the import ---------------------------------------------------------------------------------
def test_the_import_brings_in_little():
    """No emulator, no benchmark, no self-test before they are asked for; nothing outside."""
    told = check_python(
        "import sys\n"
        "before = set(sys.modules)\n"
        "import fastchacha\n"
        "print(*sorted(set(sys.modules) - before))\n"
    )
    extra = set(told.split())
    assert {m for m in extra if m.startswith("fastchacha")} <= {"fastchacha", "fastchacha._core"}
    assert not extra & {"numpy", "cryptography", "ctypes", "subprocess", "argparse", "json"}


def test_all_names_are_exported():
    streams = ["ChaCha20", "XChaCha20", "hchacha20"]
    others = ["Poly1305", "ChaCha20Poly1305", "XChaCha20Poly1305", "InvalidTag"]
    functions = ["backend", "backends", "cpu_features"]
    for name in streams + others + functions:
        assert name in fastchacha.__all__
        assert hasattr(fastchacha, name)
        assert getattr(fastchacha, name).__doc__
