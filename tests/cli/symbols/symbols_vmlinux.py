#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--vmlinux: names of the kernel's functions from its ELF file, wherever it was loaded; and what is no such file. --kallsyms of
another boot."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import perf_file  # noqa: E402
import tap  # noqa: E402

LINKED, LOADED = 0xffffffff81000000, 0xffffffff9d400000
FUNCTIONS = ["first_function", "second_function", "third_function"]
ID = bytes(range(20))
vmlinux, capture = tap.path("vmlinux"), tap.path("perf.data")


def lay(path, build_id):
    made = perf_file.PerfFile(flags=perf_file.BUILD_ID if build_id else 0)
    made.thread(10, 10, "some")
    made.map_kernel(LOADED + perf_file.TEXT, 0x800000, LOADED + perf_file.TEXT, build_id)
    for i, name in enumerate(FUNCTIONS):
        for n in range(i + 1):
            at = LOADED + perf_file.TEXT + i * perf_file.FUNCTION + 0x10
            made.sample(10, 10, 1000 + 10 * i + n, [at, at - 4], misc=perf_file.MISC_KERNEL)
    made.write(path)


def rows(tool, *options):
    more = ("--stdio",) if tool == tap.PERF else ()
    got = tap.run(tool, "report", *more, "--no-children", "-g", "none", "--sort", "dso,sym", "-i", capture, *options)
    return [line.split() for line in got.out.split("\n") if line and line[0] != "#"], got


def report(*options):
    return rows(tap.TSTREAM, *options)


EXPECTED = [[percent, "[kernel.kallsyms]", "[k]", name] for percent, name in zip(("50.00%", "33.33%", "16.67%"), FUNCTIONS[::-1])]
perf_file.Program(vmlinux, FUNCTIONS, LINKED, ID, "_text")
lay(capture, ID)
got, ran = report("--vmlinux", vmlinux)
tap.ok(got == EXPECTED and ran.status == 0 and not ran.err, "the functions of a kernel that was loaded elsewhere have their names",
       ran.out + ran.err)
ran = tap.run(tap.TSTREAM, "script", "-F", "ip,sym,symoff", "-k", vmlinux, "-i", capture)
tap.ok(all(ran.out.count(f"{name}+0x10") == i + 1 for i, name in enumerate(FUNCTIONS)), "script prints them, with the offset", ran.out)
ran = tap.run(tap.TSTREAM, "report", "--explain-symbols", "--vmlinux", vmlinux, "-i", capture)
tap.ok(f" symbols from .symtab of {vmlinux}\n" in ran.out
       and f"_text was at 0x{LOADED + perf_file.TEXT:x}, the symbols have it at 0x{LINKED + perf_file.TEXT:x}\n" in ran.out,
       "--explain-symbols says by how much", ran.out + ran.err)

table = tap.path("kallsyms")
with open(table, "w") as f:
    for i, name in enumerate(["_text", *FUNCTIONS]):
        f.write(f"{LINKED + perf_file.TEXT + max(i - 1, 0) * perf_file.FUNCTION:x} T {name}\n")
got, ran = report("--kallsyms", table)
tap.ok([row[3] for row in got] == FUNCTIONS[:0:-1] + [got[-1][3]], "so do those of the kallsyms of another boot", ran.out + ran.err)

perf_file.Program(vmlinux, FUNCTIONS, LINKED, ID[::-1], "_text")
got, ran = report("--vmlinux", vmlinux)
tap.ok(all(row[3][:2] == "0x" for row in got) and ran.status == 0
       and f"warning: cannot use symbols of {vmlinux}: its build-id is not that of the recorded kernel\n" in ran.err,
       "a file of another kernel is not used, and that is told", ran.out + ran.err)
ran = tap.run(tap.TSTREAM, "script", "-F", "ip,sym", "-k", vmlinux, "-i", capture)
tap.ok("its build-id is not that of the recorded kernel\n" in ran.err and FUNCTIONS[0] not in ran.out, "by script, too", ran.err)

lay(capture, b"")
got, ran = report("--vmlinux", vmlinux)
tap.ok(got == EXPECTED, "without a recorded build-id it is taken as it is", ran.out + ran.err)
ran = tap.run(tap.TSTREAM, "report", "--explain-symbols", "--vmlinux", vmlinux, "-i", capture)
tap.ok("the kernel's build-id is not recorded: the file is taken as it is\n" in ran.out, "and --explain-symbols says so", ran.out)

os.mkfifo(tap.path("fifo"))
with open(tap.path("text"), "w") as f:
    f.write("no kernel\n")
for name, words in (("nowhere", "No such file or directory"), ("fifo", "not a regular file"), ("text", "not an ELF file")):
    for command in "report", "script":
        ran = tap.run(tap.TSTREAM, command, "--vmlinux", tap.path(name), "-i", capture)
        tap.ok(ran.status == 2 and ran.err.count("cannot ") == 1 and words in ran.err, f"{command}: {words}", ran.err)
tap.done()
