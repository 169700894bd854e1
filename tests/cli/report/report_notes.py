#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What report and script say on stderr of sound captures: that there are no samples, that dumps are too small to unwind;
and that they fail where their output cannot be written."""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

if not tap.can_record_all():
    tap.skip_all("recording needs root")


def record(name, *options):
    where = tap.path(name)
    made = tap.run(tap.TSTREAM, "record", *options, "-o", where, "--", "sh", "-c",
                   "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done")
    if made.status:
        sys.exit(made.err)
    seconds = float(re.search(r"^\[ tstream record: ([0-9.]+) s, ", made.err, re.M)[1])
    has_rate = bool(re.search(r" MB, [0-9.]+ MB/s, ", made.err))
    tap.ok(has_rate if seconds > 0.11 else not has_rate if seconds < 0.09 else True,
           f"{name}: a rate is told from a tenth of a second on", made.err)
    return where


def report(*options):
    return tap.run(tap.TSTREAM, "report", *options)


none = record("none", "-e", "dummy")
got = report("-i", none)
tap.equal((got.status, got.err), (0, f"tstream: warning: {none} has no samples\n"), "a capture without samples says so")
tap.ok("Total Lost" not in got.out, "and has no head of a table", got.out)
if tap.PERF:
    tap.equal(got.out, tap.run(tap.PERF, "report", "--stdio", "-i", none).out, "perf prints the same of it")

hollow = tap.path("hollow")
os.mkdir(hollow)
got = report("-i", hollow)
tap.equal((got.status, got.err), (1, f"tstream: cannot read {hollow}: it is not a capture (no file 'data' in it)\n"
                                     "  hint: give -i the path that was given to record -o\n"), "a directory that is no capture")
missing = tap.path("missing")
for beside, words in ((None, "was given to record -o"), (".new", "that has not begun"), (".old", f"give -i {missing}.old")):
    if beside:
        os.mkdir(missing + beside)
    got = report("-i", missing)
    tap.ok(got.status == 1 and f"  hint: " in got.err and words in got.err, f"nothing there, but {beside}: a hint", got.err)

if shutil.which("setpriv"):
    program = tap.path("tstream")  # the build folder may be closed to others
    shutil.copy(tap.TSTREAM, program)
    os.chmod(program, 0o755)
    os.chmod(tap.scratch, 0o755)
    got = tap.run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", program, "report", "-i", none)
    tap.equal((got.status, got.err), (1, f"tstream: cannot open {none}/data: Permission denied\n"
                                         "  hint: it belongs to root: read it as root, or change its owner with chown\n"),
              "a capture of another says whose it is")
else:
    tap.skip("a capture of another says whose it is", "setpriv is not installed")

dwarf = record("dwarf", "-e", "cpu-clock", "-F", "500", "-m", "8M", "--call-graph", "dwarf")
tap.equal((report("-i", dwarf).status, report("-i", dwarf).err), (0, ""), "nothing is said of stacks that were unwound")
got = report("-v", "-i", dwarf).err
tap.ok(re.search(r"^unwound \d+ samples, \d+ frames; \d+ samples by libdw, ", got, re.M), "but how many with -v", got)
small = record("small", "-e", "cpu-clock", "-F", "500", "-m", "8M", "--call-graph", "dwarf,16")
CUT = r"^tstream: note: \d+ of \d+ stacks were deeper than their dumps: record with --call-graph dwarf,BYTES"
tap.ok(re.search(CUT, report("-i", small).err), "report notes that dumps are too small", report("-i", small).err)
got = tap.run(tap.TSTREAM, "script", "-i", small).err
tap.ok(re.search(CUT, got), "script notes it", got)
tap.equal(report("-q", "-i", small).err, "", "report -q does not")

for clock in ("mono", "mono_raw", "real", "boottime", "tai"):
    plain = record(clock, "-e", "cpu-clock", "-k", clock)
    got = report("--header-only", "-i", plain)
    name = re.search(r"# clockid: (\w+) \(\d+\)", got.out)
    tap.ok(name and name[1].startswith(clock.replace("mono", "monotonic")), f"the header names the clock {clock}", got.out)

EMPTY = f"tstream: warning: {plain} has no samples that match the selection"
for options, words in ((("--time", "5,6"), r": its samples are from \d+\.\d{6} to \d+\.\d{6} s"),
                       (("--cpu", "4000"), r": that machine has \d+ CPUs"), (("--comm", "nosuch"), ": no command is called 'nosuch'; .+"),
                       (("--comm", "nosuch", "--percentage", "relative"), ": no command is called .+")):
    got = report("-i", plain, *options)
    tap.ok(got.status == 0 and re.fullmatch(re.escape(EMPTY) + words + "\n", got.err),
           f"report {' '.join(options)} says that it is empty", got.err)

for command in (f"report -i {plain}", f"script -i {plain}", f"report --stats -i {plain}", f"report --header-only -i {plain}",
                f"report -D -i {plain}"):
    words = " ".join(command.split()[:2]).replace(" -i", "")
    for sink in (">/dev/full", ">&-"):
        got = tap.run(f"{tap.TSTREAM} {command} {sink}")
        tap.ok(got.status == 1 and re.fullmatch(r"tstream: cannot [^\n]*\n", got.err), f"{words} {sink} fails with one sentence",
               f"{got.status} {got.err}")
tap.done()
