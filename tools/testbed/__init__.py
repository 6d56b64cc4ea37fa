"""The test bed: every architecture's kernels built, run and checked on one x86-64 Debian machine.

Run it as ``python tools/testbed COMMAND``; docs/testing.md is the guide. From Python (with
``tools/`` on the path)::

    from testbed.build import build, run
    from testbed.targets import target

    t = target("riscv64")
    program = build(t, ["check.c", "kernel.S"], ["-Icsrc"])
    result = run(t, t.cpu("zvkb256"), program, ["--list"])
    print(result.returncode, result.stdout)
"""
