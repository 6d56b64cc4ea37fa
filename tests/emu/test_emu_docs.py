"""What docs/emulator.md shows is what happens."""

import contextlib
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

TEXT = (Path(__file__).parents[2] / "docs/emulator.md").read_text()


def test_the_python_example():
    first = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)[0]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(first, {})
    assert printed.getvalue() == "00000006000000040000000200000000\n"


def test_the_explain_examples():
    examples = re.findall(r"\$ (python -m fastchacha.rvvemu explain .*)", TEXT)
    assert len(examples) == 2
    for example in examples:
        done = subprocess.run(
            [sys.executable, *shlex.split(example)[1:]], capture_output=True, text=True, check=True
        )
        shown = TEXT.split(example + "\n")[1].splitlines()[0].strip()
        if shown.startswith("v"):
            assert done.stdout.splitlines()[0] == shown


def test_the_switches_exist():
    from fastchacha.rvvemu import Machine

    for name, value in re.findall(r"`(\w+)=(False|True|\"max\")`", TEXT):
        Machine(**{name: {"False": False, "True": True, '"max"': "max"}[value]})
