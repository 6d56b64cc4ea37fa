"""Where things lie, how the tools speak, and how they call other programs."""

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The checkout."""

CACHE = Path(os.environ.get("FASTCHACHA_CACHE") or ROOT / ".cache").resolve()
"""Downloads, toolchains and foreign roots; FASTCHACHA_CACHE may point several checkouts to one."""

BUILD = ROOT / ".cache" / "build"
"""What is built from this checkout's sources: never shared between checkouts."""


class Failure(Exception):
    """Something is missing or went wrong; the message is one clear line for the user, and more
    lines of detail below it where they help."""


_start = time.monotonic()


def say(text: str) -> None:
    """Prints a line of progress with the time since the start, in seconds."""
    print(f"[{time.monotonic() - _start:6.1f} s] {text}", flush=True)


def call(command, *, what: str, cwd=None, env=None, quiet: bool = True) -> str:
    """Runs a program to its end and returns its standard output.

    `what` names the deed in the message of the Failure that any other exit status than 0 raises.
    With quiet=False the output goes to the terminal instead, and "" is returned.
    """
    command = [str(c) for c in command]
    try:
        done = subprocess.run(
            command,
            check=False,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if quiet else None,
            stderr=subprocess.PIPE if quiet else None,
            text=True,
            errors="replace",
        )
    except FileNotFoundError:
        raise Failure(f"{what}: there is no program {command[0]}") from None
    if done.returncode:
        detail = "\n".join((done.stderr or done.stdout or "").strip().splitlines()[-40:])
        raise Failure(
            f"{what}: {Path(command[0]).name} ended with status {done.returncode}\n"
            f"  {' '.join(command)}\n{detail}"
        )
    return done.stdout or ""


def main(entry) -> None:
    """Runs a command line's entry point; a Failure becomes one line on stderr and exit status 1."""
    try:
        status = entry()
    except Failure as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
        status = 1
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)
