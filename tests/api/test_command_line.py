"""`python -m fastchacha` and `python -m fastchacha bench`."""

import json
import re
import runpy
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from support import IS_EMULATED, check_python, clean_environment

import fastchacha
from fastchacha import _core


def command(*arguments, status=0, **variables):
    result = subprocess.run(
        [sys.executable, "-m", "fastchacha", *arguments],
        env=clean_environment(**variables),
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert result.returncode == status, f"{result.returncode}: {result.stderr}{result.stdout}"
    return result


@pytest.fixture(scope="module")
def plain():
    return command().stdout


@pytest.fixture(scope="module")
def found():
    return json.loads(command("--json").stdout)


def test_it_shows_version_features_and_backends(plain):
    assert fastchacha.__version__ in plain
    for feature in fastchacha.cpu_features():
        assert feature in plain
    for backend in fastchacha.backends():
        line = next(s for s in plain.splitlines() if re.match(rf"\s*{backend.name}\b", s))
        if backend.available:
            assert "passed" in line
        else:
            assert backend.reason in line


def test_json(found):
    assert found["version"] == fastchacha.__version__
    assert found["cpu_features"] == sorted(fastchacha.cpu_features())
    assert [row["name"] for row in found["backends"]] == [b.name for b in fastchacha.backends()]
    for row, backend in zip(found["backends"], fastchacha.backends(), strict=True):
        assert row["available"] == backend.available
        assert row["reason"] == backend.reason
        assert sorted(row["features"]) == sorted(backend.features)


def test_the_forced_backend_is_shown():
    assert (
        json.loads(command("--json", FASTCHACHA_BACKEND="generic").stdout)["backend"] == "generic"
    )


@pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
def test_a_failing_self_test_is_exit_status_1(form, monkeypatch, capsys):
    """A kernel that is wrong in one bit: here its result is spoiled on the way."""
    real = _core.Poly1305.generate_tag

    class Spoiled:
        @staticmethod
        def generate_tag(key, data):
            tag = real(key, data)
            return bytes([tag[0] ^ 1]) + tag[1:]

        def __init__(self, *arguments):
            raise AssertionError("not expected here")

    monkeypatch.setattr(_core, "Poly1305", Spoiled)
    monkeypatch.setattr(sys, "argv", ["fastchacha", *form])
    backend = _core.backend()
    with pytest.raises(SystemExit) as caught:
        runpy.run_module("fastchacha", run_name="__main__", alter_sys=True)
    assert caught.value.code == 1
    shown = capsys.readouterr()
    assert "FAILED" in shown.out or '"passed": false' in shown.out
    assert _core.backend() == backend  # what was in use is again


def test_an_unknown_option_is_a_clear_error():
    assert "usage" in command("--nonsense", status=2).stderr
    assert "usage" in command("bench", "--nonsense", status=2).stderr


@pytest.mark.needs("cryptography")
@pytest.mark.skipif(IS_EMULATED, reason="speed on an emulated backend says nothing")
def test_bench(tmp_path):
    report = tmp_path / "report.json"
    result = command(
        "bench",
        *("--sizes", "64"),
        *("--operations", "encrypt"),
        *("--backends", "generic"),
        *("--against", "cryptography"),
        *("--json", str(report)),
    )
    assert "generic" in result.stdout and "cryptography" in result.stdout
    text = report.read_text(encoding="utf-8")
    json.loads(text)
    assert "generic" in text and "cryptography" in text and "64" in text


def test_bench_refuses_what_it_does_not_know():
    for arguments in (
        ("--backends", "nonsense"),
        ("--against", "nonsense"),
        ("--sizes", "1.5"),
        ("--operations", "nonsense"),
        ("--sizes", "many"),
    ):
        result = subprocess.run(
            [sys.executable, "-m", "fastchacha", "bench", *arguments],
            env=clean_environment(),
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert result.returncode > 0 and "Traceback" not in result.stderr, result.stderr
        assert arguments[1] in result.stderr


def test_bench_plot_or_a_clear_message(tmp_path):
    """matplotlib is an optional extra."""
    plot = tmp_path / "plot.svg"
    arguments = [
        "--sizes",
        "64",
        "--operations",
        "encrypt",
        "--backends",
        "generic",
        "--plot",
        str(plot),
    ]
    has = check_python(
        "import importlib.util; print(importlib.util.find_spec('matplotlib') is not None)"
    ).strip()
    if has == "True":
        command("bench", *arguments)
        assert ElementTree.parse(plot).getroot().tag.endswith("svg")
    else:
        result = subprocess.run(
            [sys.executable, "-m", "fastchacha", "bench", *arguments],
            env=clean_environment(),
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert result.returncode > 0
        assert "matplotlib" in result.stderr and "Traceback" not in result.stderr
