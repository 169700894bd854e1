#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""script -F srcline and --inline: source lines and inlined functions, as perf has them from addr2line."""
import difflib
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

if not tap.can_record_all():
    tap.skip_all("recording needs root")
if os.uname().machine != "x86_64":
    tap.skip_all("the callers are unwound, which is for x86-64")

PROGRAM = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/deep_calls")
SOURCE = os.path.join(os.environ.get("abs_srcdir", "."), "tests/programs/deep_calls.c")
# The C library runs at a start; where its DWARF is installed, perf has other names and lines of it.
LATER = ("-D", "20")
cap, flat = tap.path("cap"), tap.path("flat")
for where, options in ((cap, ["--call-graph", "dwarf"]), (flat, [])):
    made = tap.run(tap.TSTREAM, "record", "-q", "-e", "cpu-clock:u", "-F", "500", "-m", "8M", *options, *LATER,
                   "-o", where, "--", PROGRAM, "150")
    tap.ok(made.status == 0, "recorded " + " ".join(options), made.err)


def script(tool, capture, *options):
    return tap.run(tool, "script", "-i", capture, *options)


def frames(text):
    """(function, line) of frames of the program, which perf and we unwind alike; a line follows its frame."""
    found = re.findall(r"^\s+[0-9a-f]+ (\w+)(?: \(inlined\))?(?:\n  (deep_calls\.c:\d+)( \(inlined\))?)?", text, re.M)
    return [(name, line, bool(inlined)) for name, line, inlined in found if line]


with open(SOURCE) as f:
    lines = f.read().split("\n")
got = script(tap.TSTREAM, cap, "-F", "time,ip,sym,srcline")
ours = frames(got.out)
calls = {line for name, line, _ in ours if name == "through_alloca"}
tap.ok(calls and all("through_realigned(" in lines[int(line.split(":")[1]) - 1] for line in calls), "a caller's line is that of its call",
       f"{calls} {got.err}")
inlined = script(tap.TSTREAM, cap, "--inline", "-F", "time,ip,sym,srcline")
parts = [f for f in frames(inlined.out) if f[2]]
tap.ok(parts and {name for name, _, _ in parts} <= {"mixed", "cpu_ns"}, "what is inlined has the name of its function", parts[:3])
alone = script(tap.TSTREAM, flat, "-F", "ip,sym,srcline")
tap.ok(re.search(r"^\s+[0-9a-f]+ in_handler\n  deep_calls\.c:\d+$", alone.out, re.M), "a sample without callers has its line",
       alone.out[:300])
for options, words in ((("-F", "comm,srcline"), "without ip"), (("-F", "ip,srccode"), "cannot print the field srccode")):
    got = script(tap.TSTREAM, cap, *options)
    tap.ok(got.status in (1, 2) and words in got.err, f"{options[1]} is refused", got.err)


def rows(tool, key, *options):
    """Of the program's own lines."""
    found = tap.run(tool, "report", "--stdio", "-i", flat, "-s", key, *options).out.splitlines()
    return sorted(line.split() for line in found if "deep_calls.c" in line)


counted = rows(tap.TSTREAM, "srcline")
tap.ok(len(counted) > 1 and all(re.fullmatch(r"deep_calls\.c:\d+", row[1]) for row in counted), "rows are lines", counted)
tap.ok(all(row[1].startswith("/") for row in rows(tap.TSTREAM, "srcline", "--full-source-path")), "or paths and lines")
callers = tap.run(tap.TSTREAM, "report", "-i", cap, "-g", "none", "-s", "srcline").out
by_symbol = tap.run(tap.TSTREAM, "report", "-i", cap, "-g", "none", "-s", "sym").out
main = re.search(r"^\s+(\S+%)\s+0\.00%\s+\[\.\] main$", by_symbol, re.M)  # the program's start was sampled, too, where it took long
tap.ok(main and any(row.split()[:2] == [main[1], "0.00%"] and row.split()[2] in calls for row in callers.splitlines() if "%" in row),
       "callers' rows are the lines of their calls", by_symbol + callers)
got = tap.run(tap.TSTREAM, "report", "-i", flat, "-s", "srcline,srcfile")
tap.ok(got.status in (1, 2) and "at once" in got.err, "both keys at once are refused", got.err)


NESTED = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/inlined_calls")
nested, again = tap.path("nested"), tap.path("again")


def graph(tool, *options):
    """Rows and graphs; of a function of the C library, which has several names, perf prefers that in DWARF."""
    text = tap.run(tool, "report", "--stdio", "-i", nested, *options).out
    text = re.sub(r"__libc_start_main[\w@.]*( \(inlined\))?", "__libc_start_main", text)
    return [line.rstrip() for line in text.splitlines() if line.strip() and line[0] != "#"]


def difference(perfs, ours):
    return "\n".join(difflib.unified_diff(perfs, ours, "perf", "tstream", n=2, lineterm=""))[:3000]


def row(text, name):
    found = [line.split() for line in text if line.endswith(f"[.] {name}")]
    return found[0][:2] if found else None


def recorded():
    """perf 6.1 ends the stacks of some captures one frame early (docs/long-tests.md): then another one is recorded, twice at most."""
    for _ in range(3):
        result = tap.run(tap.TSTREAM, "record", "-q", "-e", "cpu-clock:u", "-F", "500", "-m", "8M", "--call-graph", "dwarf", *LATER, "-o", nested,
                         "--", NESTED, "3000")
        if not tap.PERF or row(graph(tap.PERF, "-g", "none"), "_start") == row(graph(tap.TSTREAM, "-g", "none"), "_start"):
            break
    return result


made = recorded()
tap.ok(made.status == 0, "recorded functions within functions", made.err)
with_inlined = graph(tap.TSTREAM, "--inline", "-g", "caller")
without = graph(tap.TSTREAM, "-g", "none")
tap.ok(row(with_inlined, "middle (inlined)") and row(with_inlined, "middle (inlined)")[1] == "0.00%",
       "report --inline has rows of inlined functions, which no sample counts as", with_inlined[:9])
tap.equal([row(with_inlined, name) for name in ("first", "second", "outermost", "main")],
          [row(without, name) for name in ("first", "second", "outermost", "main")], "and counts the others as before")
tap.ok(not any("(inlined)" in line for line in without), "which it has only when asked")
shutil.copytree(nested, again)
tap.equal(graph(tap.TSTREAM, "--inline", "-i", again), graph(tap.TSTREAM, "--inline"), "captures that are joined share them")

if not tap.PERF or not shutil.which("addr2line"):
    tap.skip("perf has the same lines", "perf or addr2line is not installed")
else:
    theirs = frames(script(tap.PERF, cap, "--no-inline", "-F", "time,ip,sym,srcline").out)
    tap.ok(theirs, "perf has lines")
    tap.equal(sorted(set(ours)), sorted(set(theirs)), "perf has the same lines")
    tap.equal(sorted(set(frames(inlined.out))), sorted(set(frames(script(tap.PERF, cap, "-F", "time,ip,sym,srcline").out))),
              "and the same inlined functions")
    for options in ([], ["--no-children"], ["-G"], ["--no-children", "-g", "folded"], ["--max-stack", "4"]):
        got, wanted = graph(tap.TSTREAM, "--inline", *options), graph(tap.PERF, *options)
        tap.ok(got == wanted and got, "perf has the same inlined functions in its graphs " + " ".join(options), difference(wanted, got))
    for key in ("srcline", "srcfile", "sym,srcline"):
        tap.equal(rows(tap.TSTREAM, key), rows(tap.PERF, key), f"perf has the same rows by {key}")
    tap.equal(rows(tap.TSTREAM, "srcline", "--full-source-path"), rows(tap.PERF, "srcline", "--full-source-path"), "and paths")
    # A machine may sample the loader, too, of which it depends on what is installed whether perf finds lines.
    of_program = ("--dsos", os.path.basename(PROGRAM))
    for options, sentence in ((("-F", "ip,srcline", "--full-source-path"), "of samples, too"),
                              (("-F", "ip,sym,srcline"), "and prints samples without callers alike")):
        got, wanted = (script(tool, flat, *of_program, *options).out for tool in (tap.TSTREAM, tap.PERF))
        tap.ok(got == wanted and got.count("deep_calls.c:") > 10, sentence, f"got:    {got}\nwanted: {wanted}")
    stripped, plain = tap.path("stripped"), tap.path("plain")
    without = tap.run("strip", "-o", stripped, NESTED).status + tap.run("strip", "-g", "-o", plain, NESTED).status
    for program in (stripped, plain) if not without else ():
        calls = tap.path(os.path.basename(program) + ".calls")
        tap.run(tap.TSTREAM, "record", "-q", "-e", "cpu-clock", "-F", "500", "-m", "8M", "-g", *LATER, "-o", calls, "--", program, "600")
        # By DWARF the C library has several files for one address; of those perf takes another one.
        # Where the loader's DWARF is installed and tells no line, perf prints ":0" (docs/differences.md).
        texts = (script(tool, calls, "-F", "comm,ip,sym,srcline", *more).out
                 for tool, more in ((tap.TSTREAM, ()), (tap.PERF, ("--no-inline",))))
        got, wanted = (re.sub(r"^  :0\n", "", re.sub(r"libc[-_]start\S+", "libc", text), flags=re.M) for text in texts)
        tap.ok(got == wanted and ("  stripped[" in got) == (program == stripped), f"frames of a {os.path.basename(program)} program have perf's lines",
               difference(wanted.splitlines(), got.splitlines()))
tap.done()
