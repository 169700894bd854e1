#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Code made at run time has the names of a jitdump file, each for its time, as perf has them when it rewrites the capture."""
import collections
import glob
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

if not tap.can_record_all():
    tap.skip_all("recording needs root")
if os.uname().machine != "x86_64":
    tap.skip_all("the code is x86-64's")

PROGRAM = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/jit_dump")
NAMES = ["first_work", "second_work", "third_work"]
WITHOUT = "perf was built without inject --jit"
EVENT = ("-e", "cpu-clock:u", "-F", "1000")
folder, cap = tap.path("dumps"), tap.path("cap")
os.mkdir(folder)


def rows(tool, capture, *options):
    """{function: percentage}"""
    out = tap.run(tool, "report", "--stdio", "-i", capture, "-s", "sym", *options).out
    return {line.split()[2]: float(line.split()[0].rstrip("%")) for line in out.splitlines() if "%" in line and line[0] != "#"}


def is_named(capture=cap, *options):
    return all(rows(tap.TSTREAM, capture, *options).get(n, 0) > 0 for n in NAMES)


def pages(capture):
    """{function: the pages that samples of it are in}, counted from the first."""
    found = {n: set() for n in NAMES}
    for line in tap.run(tap.TSTREAM, "script", "-i", capture, "-F", "ip,sym").out.splitlines():
        ip, name = line.split()
        if name in found:
            found[name].add(int(ip, 16) // 4096)
    first = min(min(p, default=0) for p in found.values())
    return {n: sorted(page - first for page in p) for n, p in found.items()}


def complaint(*options):
    return tap.run(tap.TSTREAM, "report", "-i", cap, *options).err


def injected(name, *options):
    """A capture of perf's of the program, and the one that perf rewrites it to; None where perf is built without that. The records
    have build-ids, as those of any recorder beside it may have: perf 6.1 aborts over their flag where it did not ask for them."""
    theirs, rewritten = tap.path(name + ".data"), tap.path(name + ".injected")
    for command in (("record", "-q", "-k", "mono", "--buildid-mmap", "-o", theirs, *EVENT, *options),
                    ("inject", "--jit", "-i", theirs, "-o", rewritten)):
        done = tap.run(tap.PERF, *command)
        if "option `jit'" in done.err:
            return None
        if done.status:
            tap.ok(False, f"perf {command[0]} for {name}", f"{done.status} {done.err}")
    return theirs, rewritten


made = tap.run(tap.TSTREAM, "record", "-q", *EVENT, "-o", cap, "--", PROGRAM, folder, "100")
tap.ok(made.status == 0, "a program that makes code is recorded", made.err)
dump = glob.glob(folder + "/jit-*.dump")[0]
tap.ok(is_named(), "code in the same place has the name that it had then", rows(tap.TSTREAM, cap))
tap.equal(pages(cap), {"first_work": [0], "second_work": [0, 1], "third_work": [0]}, "and code that was moved keeps its name")
explained = tap.run(tap.TSTREAM, "report", "--explain-symbols", "-i", cap).out
tap.ok(f"3 symbols from {dump}" in explained, "--explain-symbols names the file", explained)

archived = tap.path("archived")
shutil.copytree(cap, archived)
tap.equal(tap.run(tap.TSTREAM, "archive", archived).status, 0, "it is archived")
long, size = tap.path("long"), os.path.getsize(dump)
shutil.copytree(cap, long)
os.truncate(dump, (1 << 30) + 4096)
got = tap.run(tap.TSTREAM, "archive", long)
copy = os.stat(f"{long}/symbols/{os.path.basename(dump)}") if got.status == 0 else None
tap.ok(copy and copy.st_size == 1 << 30 and copy.st_blocks < 2048 and is_named(long), "of one that is too long all is archived that is read", got.err)
shutil.rmtree(long)
os.truncate(dump, size)
if shutil.which("strace"):
    shutil.copytree(cap, long)
    got = tap.run("strace", "-f", "-qq", "-o", os.devnull, "-P", dump, "-e", "trace=read", "-e", "inject=read:error=EIO:when=3+", tap.TSTREAM, "archive", long)
    tap.ok(got.status == 0 and f"cannot read what {long}/symbols/jit-" in got.err and f"{long}/symbols: " in got.err,
           "one that cannot be read costs itself", got.err)
else:
    tap.skip("one that cannot be read costs itself", "strace is not installed")
os.makedirs(tap.path("root") + folder)
os.rename(dump, tap.path("root") + dump)
tap.ok(is_named(archived), "and read from there")
tap.ok(f"cannot open {dump} for symbols" in complaint() and not is_named(), "a file that is gone is told", complaint())
tap.ok(is_named(cap, "--symfs", tap.path("root")), "--symfs says where else")
os.mkfifo(dump)
tap.ok(f"cannot use {dump}: it is no regular file" in complaint(), "a pipe is not waited for", complaint())
os.unlink(dump)
whole = open(tap.path("root") + dump, "rb").read()
for what, data in (("is empty", b""), ("is none", b"x" * 4096), ("was cut", whole[:-30])):
    with open(dump, "wb") as f:
        f.write(data)
    got = tap.run(tap.TSTREAM, "report", "-i", cap)
    tap.ok(got.status == 0 and ("no jitdump file" in got.err) == (what != "was cut") and ("first_work" in got.out) == (what == "was cut"),
           f"one that {what}", got.err)
os.chown(dump, 12345, 12345)
tap.ok("it belongs to neither root" in complaint(), "one of others is not believed", complaint())
os.unlink(dump)

other = tap.path("other")
made = tap.run(tap.TSTREAM, "record", "-q", *EVENT, "-k", "CLOCK_REALTIME", "-o", other, "--", PROGRAM, folder, "10")
got = tap.run(tap.TSTREAM, "report", "-i", other)
tap.ok(got.status == 0 and "record with -k mono" in got.err, "times of another clock are told", made.err + got.err)

# --- memory that grows ---

growing = tap.path("growing")
tap.run(tap.TSTREAM, "record", "-q", *EVENT, "-o", growing, "--", PROGRAM, folder, "50", "growing")
found = rows(tap.TSTREAM, growing)
tap.ok(sum(found.get(n, 0) for n in NAMES) > 90, "code keeps its name when its memory grows and becomes executable", found)
if tap.PERF:
    captures = injected("growing", PROGRAM, folder, "50", "growing")
    if not captures:
        tap.skip("perf has the same rows of it", WITHOUT)
    else:
        tap.equal(rows(tap.TSTREAM, captures[0]), rows(tap.PERF, captures[1]), "perf has the same rows of it")

# --- a process that was forked ---

forking = tap.path("forking")
tap.run(tap.TSTREAM, "record", "-q", *EVENT, "-o", forking, "--", PROGRAM, folder, "50", "forking")
by_pid = collections.defaultdict(set)
for line in tap.run(tap.TSTREAM, "script", "-i", forking, "-F", "pid,ip,sym").out.splitlines():
    pid, _, name = line.split()
    by_pid[pid].add(name)
made = sorted(sorted(names & set(NAMES)) for names in by_pid.values())
tap.equal(made, [["first_work", "second_work"], ["first_work", "third_work"]], "code of a forked process is its own, and that before the fork")

# --- callers and lines ---

NESTED = ["inner_work", "outer_work"]
LAST = "inner.src:12", "outer.src:23"


def chains(tool, capture):
    """How often each chain of functions with their lines, up to main, was sampled."""
    found = collections.Counter()
    for sample in tap.run(tool, "script", "-F", "comm,ip,sym,srcline", "-i", capture).out.split("\n\n"):
        lines = sample.splitlines()[1:]
        frames = [(function.split()[1], line.strip()) for function, line in zip(lines[::2], lines[1::2]) if len(function.split()) > 1]
        made = [f for f in frames if f[0] in NESTED]
        found[tuple(made + [f for f in frames if f[0] == "main"])] += bool(made)
    return +found


def as_perf(found):
    """perf ends the lines of a function where its last one begins (docs/differences.md)."""
    same = collections.Counter()
    for chain, nr in found.items():
        same[tuple((function, "??:0" if line in LAST else line) for function, line in chain)] += nr
    return same


stacks = tap.path("stacks")
made = tap.run(tap.TSTREAM, "record", "-q", *EVENT, "--call-graph", "dwarf", "-o", stacks, "--", PROGRAM, folder, "100", "nested")
ours = chains(tap.TSTREAM, stacks)
within = [chain for chain in ours if chain[-1][0] == "main" and [f for f, _ in chain[:-1]] == NESTED]
tap.ok(sum(ours[c] for c in within) > 0.9 * sum(ours.values()) > 0, "callers of code without a frame pointer are found", ours)
tap.ok({line for chain in within for _, line in chain[:-1]} <= {"inner.src:10", "inner.src:11", "inner.src:12", "outer.src:21"} and
       any(chain[0][1] == "inner.src:11" for chain in within), "and the lines of both", within)
by_line = tap.run(tap.TSTREAM, "report", "--stdio", "-g", "none", "-s", "srcline", "-i", stacks).out
tap.ok("inner.src:11" in by_line, "lines are rows", by_line)
shutil.copytree(stacks, tap.path("kept"))
tap.run(tap.TSTREAM, "archive", tap.path("kept"))
small = tap.path("small")
tap.run(tap.TSTREAM, "compact", "-o", small, stacks)
for path in glob.glob(folder + "/jit-*.dump"):
    os.rename(path, path + ".away")
tap.equal(chains(tap.TSTREAM, tap.path("kept")), ours, "the archive has them")
for path in glob.glob(folder + "/*.away"):
    os.rename(path, path[:-len(".away")])
tap.equal(chains(tap.TSTREAM, small), ours, "compact keeps them")

if not tap.PERF:
    tap.skip("perf has the same rows", "perf is not installed")
    tap.done()
    sys.exit()
captures = injected("plain", PROGRAM, folder, "100")
if not captures:
    tap.skip("perf has the same rows", WITHOUT)
else:
    theirs, rewritten = captures
    tap.equal(rows(tap.TSTREAM, theirs), rows(tap.PERF, rewritten), "perf has the same rows, of a rewritten capture")
    tap.equal(rows(tap.TSTREAM, rewritten), rows(tap.PERF, rewritten), "which is read as well")
    theirs, rewritten = injected("nested", "--call-graph", "dwarf", PROGRAM, folder, "100", "nested")
    perfs = chains(tap.PERF, rewritten)
    tap.equal(as_perf(chains(tap.TSTREAM, theirs)), perfs, "perf has the same callers and lines, of a rewritten capture")
    tap.ok(perfs, "and it has some", perfs)
tap.done()
