"""Builds fastchacha._core: Cython, C and every asm/*/*.S (each file is empty on other machines).

pyproject.toml has everything else. Environment:
    FASTCHACHA_NO_ASM=1   leave the assembly out (the `generic` backend only)
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).parent
C_SOURCES = sorted(str(p.relative_to(HERE)) for p in HERE.glob("csrc/*.c"))
ASM_SOURCES = sorted(str(p.relative_to(HERE)) for p in HERE.glob("asm/*/*.S"))
HEADERS = sorted(
    str(p.relative_to(HERE))
    for pattern in ("csrc/*.h", "csrc/*.def", "asm/*.h", "asm/*/*.h")
    for p in HERE.glob(pattern)
)

# A preprocessor's view of the target, for machines whose compiler takes no .S files.
ZIG_TARGETS = {"win-amd64": "x86_64-windows-msvc", "win-arm64": "aarch64-windows-msvc"}


class BuildExt(build_ext):
    """Teaches setuptools the .S files, and adds the flags that each kind of compiler wants."""

    def build_extension(self, ext):
        ext.define_macros.append(("FC_VERSION", self.distribution.get_version()))
        if self.compiler.compiler_type == "msvc":
            self.msvc(ext)
        else:
            self.unix(ext)
        super().build_extension(ext)

    def unix(self, ext):
        # -g0 and -s: the module is what users install, a hundredth of a debug build's size.
        ext.extra_compile_args += ["-std=c11", "-O3", "-g0", "-fvisibility=hidden"]
        if sys.platform == "darwin":
            ext.extra_link_args += ["-Wl,-x"]
        else:
            ext.extra_link_args += ["-Wl,-s", "-Wl,-z,noexecstack"]
        if self.wants_asm() and self.unix_takes_asm():
            self.compiler.src_extensions = [*self.compiler.src_extensions, ".S"]
            ext.sources += ASM_SOURCES
        else:
            self.no_asm(ext)

    def msvc(self, ext):
        ext.extra_compile_args += ["/std:c11", "/O2"]
        objects = self.assemble_for_msvc() if self.wants_asm() else None
        if objects is None:
            self.no_asm(ext)
        else:
            ext.extra_objects += objects

    @staticmethod
    def wants_asm():
        return os.environ.get("FASTCHACHA_NO_ASM", "") in ("", "0")

    @staticmethod
    def no_asm(ext):
        ext.define_macros.append(("FC_NO_ASM", "1"))
        print(
            "fastchacha: WARNING: built without assembly, with the portable `generic` backend only",
            file=sys.stderr,
            flush=True,
        )

    def unix_takes_asm(self):
        """Does this compiler preprocess and assemble the project's own files?"""
        with tempfile.TemporaryDirectory() as tmp:
            for source in ASM_SOURCES:
                command = [*self.compiler.compiler, "-Iasm", "-Icsrc", "-c", source]
                result = subprocess.run(
                    [*command, "-o", os.path.join(tmp, "x.o")], capture_output=True, text=True
                )
                if result.returncode:
                    print(f"{' '.join(command)}\n{result.stderr}", file=sys.stderr, flush=True)
                    return False
        return True

    def assemble_for_msvc(self):
        """The objects of the .S files by clang, or else zig; None where neither is there."""
        target = ZIG_TARGETS.get(self.plat_name)
        if target is None:
            return None
        compilers = (
            ["clang", f"--target={target.replace('windows', 'pc-windows')}"],
            [sys.executable, "-m", "ziglang", "cc", "-target", target.replace("msvc", "gnu")],
        )
        for compiler in compilers:
            objects = []
            try:
                for source in ASM_SOURCES:
                    out = Path(self.build_temp, Path(source).with_suffix(".obj"))
                    out.parent.mkdir(parents=True, exist_ok=True)
                    subprocess.run(
                        [*compiler, "-Iasm", "-Icsrc", "-c", source, "-o", str(out)], check=True
                    )
                    objects.append(str(out))
            except (OSError, subprocess.CalledProcessError) as error:
                print(f"fastchacha: {compiler[0]}: {error}", file=sys.stderr, flush=True)
                continue
            return objects
        return None


setup(
    ext_modules=cythonize(
        Extension(
            "fastchacha._core",
            sources=["src/fastchacha/_core.pyx", *C_SOURCES],
            include_dirs=["csrc", "asm"],
            depends=HEADERS,
        ),
    ),
    cmdclass={"build_ext": BuildExt},
)
