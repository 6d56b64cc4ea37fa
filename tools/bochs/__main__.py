"""Runs a static x86-64 Linux program on an emulated machine with AVX-512: `python tools/bochs PROGRAM
[ARGUMENT...]`. QEMU and valgrind do not know AVX-512; Bochs does (model Ice Lake: F, VL, BW, DQ, IFMA).

Without an operating system: boot.S and kernel.c load the program and serve the few system calls that a
program needs that computes and prints. It starts in about two seconds; Bochs does some 100 million
instructions a second. The program's exit status is the tool's; 3 after an exception.

Needs Debian's bochs and bochs-term, isolinux, syslinux-common, xorriso, and cc, ld, objcopy.
"""

import argparse
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ISOLINUX = Path("/usr/lib/ISOLINUX/isolinux.bin")
MODULES = Path("/usr/lib/syslinux/modules/bios")

CONFIGURATION = """\
cpu: model=corei7_icelake_u, count=1, ips=80000000, reset_on_triple_fault=0
memory: guest=192, host=192
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
ata0-master: type=cdrom, path=image.iso, status=inserted
boot: cdrom
log: bochs.log
panic: action=fatal
display_library: term
port_e9_hack: enabled=1
clock: sync=none
"""

BOOT_MENU = "default x\nprompt 0\nlabel x\n kernel mboot.c32\n append /kernel\n"


def missing():
    """What is not installed, as a list of names."""
    tools = ["bochs-bin", "xorriso", "cc", "objcopy"]
    files = [ISOLINUX, MODULES / "mboot.c32", Path("/usr/share/bochs/BIOS-bochs-latest")]
    return [t for t in tools if shutil.which(t) is None] + [
        str(f) for f in files if not f.exists()
    ]


def make_image(folder, program, arguments):
    """image.iso in the folder: boot loader and kernel, with program and arguments inside it."""
    (folder / "program").write_bytes(Path(program).read_bytes())
    (folder / "arguments").write_bytes(b"".join(os.fsencode(a) + b"\0" for a in arguments))
    subprocess.run(
        # fmt: off
        ["cc", "-m64", "-O1", "-std=gnu11", "-ffreestanding", "-fno-pic", "-no-pie", "-nostdlib",
         "-static", "-mno-red-zone", "-mgeneral-regs-only", "-fno-stack-protector",
         "-fcf-protection=none", "-Wl,--build-id=none", "-Wl,--no-warn-rwx-segments",
         f"-Wa,-I{folder}", "-T", str(HERE / "kernel.ld"), str(HERE / "boot.S"),
         str(HERE / "kernel.c"), "-o", str(folder / "kernel64")],
        # fmt: on
        check=True,
    )
    disc = folder / "disc"
    (disc / "isolinux").mkdir(parents=True)
    for file in (ISOLINUX, *(MODULES / f"{m}.c32" for m in ("ldlinux", "mboot", "libcom32"))):
        shutil.copy(file, disc / "isolinux")
    (disc / "isolinux/isolinux.cfg").write_text(BOOT_MENU)
    # Multiboot loaders want a 32-bit file.
    subprocess.run(
        ["objcopy", "-O", "elf32-i386", str(folder / "kernel64"), str(disc / "kernel")], check=True
    )
    subprocess.run(
        # fmt: off
        ["xorriso", "-as", "mkisofs", "-quiet", "-o", str(folder / "image.iso"),
         "-b", "isolinux/isolinux.bin", "-c", "isolinux/boot.cat", "-no-emul-boot",
         "-boot-load-size", "4", "-boot-info-table", str(disc)],
        # fmt: on
        check=True,
        stderr=subprocess.DEVNULL,
    )


def run(folder, timeout):
    """Boots the image; the machine's output as text."""
    (folder / "bochsrc").write_text(CONFIGURATION)
    (folder / "commands").write_text("continue\n")
    leader, follower = pty.openpty()  # the terminal display wants one
    process = subprocess.Popen(
        ["bochs-bin", "-q", "-f", "bochsrc", "-rc", "commands"],
        cwd=folder,
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={**os.environ, "TERM": "xterm"},
        start_new_session=True,
    )
    os.close(follower)
    killer = subprocess.Popen(["sleep", str(timeout)])
    output = b""
    try:
        import select

        while True:
            ready, _, _ = select.select([leader], [], [], 1)
            if ready:
                try:
                    chunk = os.read(leader, 65536)
                except OSError:  # the other side is closed
                    break
                if not chunk:
                    break
                output += chunk
            if killer.poll() is not None or b"bochs: exit" in output and process.poll() is not None:
                break
    finally:
        killer.kill()
        killer.wait()
        process.kill()
        process.wait()
        os.close(leader)
    return output.decode(errors="replace").replace("\r", "")


def main():
    parser = argparse.ArgumentParser(prog="python tools/bochs", description=__doc__)
    parser.add_argument("--timeout", type=float, default=600, help="seconds (default 600)")
    parser.add_argument("program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if lacking := missing():
        sys.exit(f"bochs: missing: {', '.join(lacking)}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_image(folder, options.program, [options.program, *options.arguments])
        output = run(folder, options.timeout)
    # The program's output begins after the debugger's first prompt line, which shows the reset vector.
    text = output.partition("ea5be000f0\n")[2] or output
    end = re.search(r"\nbochs: exit 0x([0-9a-f]+)\n", text)
    if not end:
        sys.exit(f"{text}\nbochs: the program did not end within {options.timeout:g} s")
    sys.stdout.write(text[: end.start()])
    sys.exit(int(end[1], 16))


if __name__ == "__main__":
    main()
