#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where symbols come from: separate debug files, .gnu_debugdata, --symfs, --kallsyms; as perf finds them; and --explain-symbols."""
import lzma
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

if not tap.can_record_all():
    tap.skip_all("recording needs root")
if not shutil.which("objcopy"):
    tap.skip_all("objcopy is not installed")

BUILT = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/deep_calls")
HOT = "in_handler"
program, debug, cap = tap.path("program"), tap.path("program.debug"), tap.path("cap")


def objcopy(*options):
    made = tap.run("objcopy", *options)
    if made.status:
        sys.exit(made.err)


def rows(tool, *options):
    more = ("--stdio",) if tool == tap.PERF else ()
    got = tap.run(tool, "report", *more, "--sort", "dso,sym", "-i", cap, *options)
    return sorted(" ".join(line.split()) for line in got.out.split("\n") if line and not line.startswith("#"))


def names_hot(*options):
    return any(row.endswith(f" [.] {HOT}") for row in rows(tap.TSTREAM, *options))


def explained(*options):
    return tap.run(tap.TSTREAM, "report", "--explain-symbols", "-i", cap, *options)


def carry(data):
    """Gives the program's file a .gnu_debugdata."""
    with open(tap.path("mini"), "wb") as f:
        f.write(data)
    objcopy("--add-section", f".gnu_debugdata={tap.path('mini')}", program, tap.path("carrying"))
    return tap.path("carrying")


def part_of(text, module):
    """What is said of a module."""
    return re.search(rf"^ +\d+ +\d+  {re.escape(module)}\n((?: {{24}}.*\n)*)", text, re.M)


objcopy("--only-keep-debug", BUILT, debug)
objcopy("--strip-all", f"--add-gnu-debuglink={debug}", BUILT, program)
made = tap.run(tap.TSTREAM, "record", "-q", "-e", "cpu-clock:u", "-F", "1000", "-o", cap, "--", program, "100")
tap.ok(made.status == 0, "a program that was stripped is recorded", made.err)

tap.ok(names_hot(), "its debug file beside it has the symbols")
if tap.PERF:
    tap.equal(rows(tap.TSTREAM), rows(tap.PERF, "--no-inline"), "perf reports the same")
got = explained()
part = part_of(got.out, program)
tap.ok(got.status == 0 and part and re.search(rf"^ +\d+ symbols from \.symtab of {re.escape(debug)}$", part[1], re.M)
       and re.search(r"^ +build-id [0-9a-f]{40}$", part[1], re.M), "--explain-symbols names the file", got.out + got.err)

os.mkdir(tap.path(".debug"))
hidden = tap.path(".debug/program.debug")
os.rename(debug, hidden)
tap.ok(names_hot() and f"of {hidden}\n" in explained().out, "and in .debug there")
if tap.PERF:
    tap.equal(rows(tap.TSTREAM), rows(tap.PERF, "--no-inline"), "as perf does")

objcopy("--only-keep-debug", os.path.join(os.path.dirname(BUILT), "numbered_calls"), hidden)
part = part_of(explained().out, program)
tap.ok(not names_hot() and part and f"cannot use {hidden}: its build-id is not that of the object\n" in part[1],
       "the debug file of another is not taken, and that is said", part and part[1])
os.unlink(hidden)
part = part_of(explained().out, program)
tap.ok(not names_hot() and part and f"cannot open {debug} for its symbols: No such file or directory\n" in part[1],
       "what was not there is named", part and part[1])

objcopy("--only-keep-debug", BUILT, tap.path("whole.debug"))
objcopy("--strip-debug", "--keep-symbol", HOT, tap.path("whole.debug"))
with open(tap.path("whole.debug"), "rb") as f:
    small = lzma.compress(f.read())
plain = tap.path("plain")
os.rename(program, plain)
for data, words in ((small, r"\d+ symbols from \.gnu_debugdata and \.dynsym of PATH"),
                    (small[:-60], r"cannot expand \.gnu_debugdata of PATH: it is cut off"),
                    (lzma.compress(b"x" * 5000), r"cannot read \.gnu_debugdata: not an ELF file")):
    shutil.copy(plain, program)
    os.replace(carry(data), program)
    part = part_of(explained().out, program)
    tap.ok(names_hot() == (data is small) and part and re.search(words.replace("PATH", re.escape(program)), part[1]),
           f"of a small debug file that the object carries: {words}", part and part[1])
os.replace(plain, program)

moved = tap.path("root" + os.path.dirname(program))
os.makedirs(moved)
shutil.copy(BUILT, os.path.join(moved, "program"))
tap.ok(names_hot("--symfs", tap.path("root")), "--symfs takes files from below a folder")
got = tap.run(tap.TSTREAM, "script", "-F", "ip,sym", "--symfs", tap.path("root"), "-i", cap)
tap.ok(HOT in got.out, "script does", got.err)
os.unlink(program)
part = part_of(explained().out, program)
tap.ok(part and f"cannot open {program} for its symbols: No such file or directory" in part[1], "a module that is gone is told of",
       part and part[1])
os.rename(os.path.join(moved, "program"), program)
with open(program, "ab") as f:
    f.write(b"x")
objcopy("--remove-section=.note.gnu.build-id", program)
part = part_of(explained().out, program)
tap.ok(part and "its build-id is not the recorded one" in part[1], "and one that is another now", part and part[1])

known, linked = tap.path("known"), tap.path("known.debug")
objcopy("--remove-section=.note.gnu.build-id", BUILT, tap.path("unknown"))
objcopy("--only-keep-debug", tap.path("unknown"), linked)
objcopy("--strip-all", f"--add-gnu-debuglink={linked}", tap.path("unknown"), known)
other = cap
cap = tap.path("by-checksum")
tap.run(tap.TSTREAM, "record", "-q", "-e", "cpu-clock:u", "-F", "1000", "-o", cap, "--", known, "100")
tap.ok(names_hot(), "an object without a build-id has the debug file of its checksum", explained().out)
if tap.PERF:
    tap.equal(rows(tap.TSTREAM), rows(tap.PERF, "--no-inline"), "as with perf")
with open(linked, "ab") as f:
    f.write(b"x")
got = explained().out
tap.ok(not names_hot() and f"cannot use {linked}: its checksum is not that in .gnu_debuglink of the object\n" in got,
       "and no file with another one", got)
objcopy("--remove-section=.gnu_debuglink", known)
got = explained().out
tap.ok(not names_hot() and "neither a build-id nor a .gnu_debuglink" in got, "an object with neither has none", got)
cap = other

for options, words in ((("--symfs", tap.path("nowhere")), "cannot look for symbols in "),
                       (("--symfs", cap + "/data"), "not a directory"),
                       (("--kallsyms", tap.path("nowhere")), "cannot read the kernel's symbols from ")):
    got = tap.run(tap.TSTREAM, "report", *options, "-i", cap)
    tap.ok(got.status == 2 and words in got.err, f"{options[0]}: {words}", got.err)

kernel = tap.path("kernel")
made = tap.run(tap.TSTREAM, "record", "-q", "-e", "cpu-clock", "-F", "4000", "-o", kernel, "--", "dd", "if=/dev/zero", "of=/dev/null",
               "bs=1", "count=100000")
table = tap.path("kallsyms")
with open("/proc/kallsyms") as f, open(table, "w") as out:
    for line in f:
        # perf knows where the kernel was loaded by symbols that begin with an underscore
        out.write(re.sub(r"^([0-9a-f]+ \S) ([^_\s]\S*)", r"\1 my_\2", line))
got = tap.run(tap.TSTREAM, "report", "--sort", "sym", "--kallsyms", table, "-i", kernel).out
names = re.findall(r"\[k\] (\S+)$", got, re.M)
tap.ok(names and all(name[:1] == "_" or name[:3] == "my_" or name[:2] == "0x" for name in names)
       and any(name[:3] == "my_" for name in names), "--kallsyms names the kernel's functions", names[:5])
if tap.PERF:
    theirs = tap.run(tap.PERF, "report", "--stdio", "--sort", "sym", "--kallsyms", table, "-i", kernel).out
    tap.equal(sorted(names), sorted(re.findall(r"\[k\] (\S+)$", re.sub(r" +$", "", theirs, flags=re.M), re.M)), "as perf does with it")
tap.done()
