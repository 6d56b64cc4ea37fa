"""``python tools/bochs PROGRAM [ARGUMENT...]``: a static x86-64 Linux program on an emulated CPU.

QEMU and valgrind do not know AVX-512; Bochs does (model Ice Lake: F, VL, BW, DQ, IFMA). There is no
operating system: boot.S and kernel.c load the program and serve the few system calls that a program
needs that computes and prints. It starts in about two seconds, and Bochs does some fifty million
instructions a second. The exit status is the program's; 3 after an exception.

Needs Debian's bochs, bochs-term, isolinux, syslinux-common and xorriso, and cc and objcopy.
"""

import argparse
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
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
    return [t for t in tools if shutil.which(t) is None] + [str(f) for f in files if not f.exists()]


def make_image(folder, program, arguments):
    """image.iso in the folder: boot loader and kernel, with program and arguments inside it."""
    (folder / "program").write_bytes(Path(program).read_bytes())
    (folder / "arguments").write_bytes(b"".join(os.fsencode(a) + b"\0" for a in arguments))
    flags = (
        "-m64 -O1 -std=gnu11 -ffreestanding -fno-pic -no-pie -nostdlib -static -mno-red-zone "
        "-mgeneral-regs-only -fno-stack-protector -fcf-protection=none -Wl,--build-id=none"
    )
    command = [
        "cc",
        *flags.split(),
        f"-Wa,-I{folder}",
        "-T",
        HERE / "kernel.ld",
        "-Wl,-z,noexecstack",
    ]
    kernel = folder / "kernel64"
    subprocess.run([*command, HERE / "boot.S", HERE / "kernel.c", "-o", kernel], check=True)
    disc = folder / "disc"
    (disc / "isolinux").mkdir(parents=True)
    for file in (ISOLINUX, *(MODULES / f"{m}.c32" for m in ("ldlinux", "mboot", "libcom32"))):
        shutil.copy(file, disc / "isolinux")
    (disc / "isolinux/isolinux.cfg").write_text(BOOT_MENU)
    # Multiboot loaders want a 32-bit file.
    subprocess.run(["objcopy", "-O", "elf32-i386", kernel, disc / "kernel"], check=True)
    boot = "-b isolinux/isolinux.bin -c isolinux/boot.cat -no-emul-boot -boot-load-size 4 "
    boot += "-boot-info-table"
    subprocess.run(
        ["xorriso", "-as", "mkisofs", "-quiet", "-o", folder / "image.iso", *boot.split(), disc],
        check=True,
        stderr=subprocess.DEVNULL,
    )


def run(folder, timeout):
    """Boots the image; the machine's output as text."""
    (folder / "bochsrc").write_text(CONFIGURATION)
    (folder / "commands").write_text("continue\n")
    # The display wants a terminal; when this process dies, the terminal takes Bochs along.
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.environ["TERM"] = "xterm"
        os.execvp("bochs-bin", ["bochs-bin", "-q", "-f", "bochsrc", "-rc", "commands"])
    end = time.monotonic() + timeout
    output = b""
    try:
        while time.monotonic() < end:
            if not select.select([terminal], [], [], 1)[0]:
                continue
            try:
                output += os.read(terminal, 65536)
            except OSError:  # the other side is closed
                break
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)
    return output.decode(errors="replace").replace("\r", "")


def main():
    parser = argparse.ArgumentParser(prog="python tools/bochs", description=__doc__)
    parser.add_argument("--timeout", type=float, default=7200, help="seconds (default 7200)")
    parser.add_argument("program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if lacking := missing():
        sys.exit(f"bochs: missing: {', '.join(lacking)}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_image(folder, options.program, [options.program, *options.arguments])
        output = run(folder, options.timeout)
    # The debugger's first prompt shows the reset vector; the program's output follows.
    text = output.partition("ea5be000f0\n")[2] or output
    end = re.search(r"\nbochs: exit 0x([0-9a-f]+)\n", text)
    if not end:
        sys.exit(f"{text}\nbochs: the program did not end within {options.timeout:g} s")
    text = text[: end.start()]
    sys.stderr.write("".join(re.findall("\x0e([^\x0f]*)\x0f", text)))
    sys.stdout.write(re.sub("\x0e[^\x0f]*\x0f", "", text))
    sys.exit(int(end[1], 16))


if __name__ == "__main__":
    main()
