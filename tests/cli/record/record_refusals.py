#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bad input to `record`: each is refused in one sentence with exit status 1 or 2, and nothing is changed or left behind."""
import os
import stat
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

HEAD = (tap.TSTREAM, "record")


def tree(root):
    """Everything below a folder, with what it holds."""
    seen = {}
    for folder, _, files in os.walk(root):
        seen[folder] = stat.S_IMODE(os.lstat(folder).st_mode)
        for f in files:
            name = os.path.join(folder, f)
            regular = os.path.isfile(name) and not os.path.islink(name)
            seen[name] = open(name, "rb").read() if regular else os.readlink(name) if os.path.islink(name) else "special"
    return seen


def refused(options, words, status=(1, 2), cwd=None):
    """One sentence on stderr that has these words, nothing on stdout, and the folder as it was."""
    where = cwd or tap.scratch
    before = tree(tap.scratch)
    result = tap.run(*HEAD, *options, cwd=where, timeout=30)
    lines = result.err.splitlines()
    sentences = [l for l in lines if not l.startswith(("  hint:", "Try `", "tstream: note: "))]
    good = (result.status in status and result.out == "" and len(sentences) == 1 and
            all(w.lower() in result.err.lower() for w in words) and tree(tap.scratch) == before)
    tap.ok(good, f"record {' '.join(options)[:90]!r} is refused",
           f"status {result.status}\n{result.out}\n{result.err}\nleft: {set(tree(tap.scratch)) - set(before)}")


out = ("-o", tap.path("cap"))

# options
for options, words in [
    ((), ["no target"]),
    (("--no-such-option", "true"), ["no-such-option"]),
    (("-C",), ["cannot use -C without a value"]),
    (("-F", "0", "true"), ["--freq", "'0'"]),
    (("-F", "fast", "true"), ["--freq", "fast"]),
    (("-F", "-5", "true"), ["--freq"]),
    (("-c", "0", "true"), ["--count"]),
    (("-c", "1k", "true"), ["--count", "1k"]),
    (("-m", "0x10", "true"), ["--mmap-pages"]),
    (("-m", "4,8", "true"), ["aux"]),
    (("-m", "99999999999999999999", "true"), ["--mmap-pages"]),
    (("-m", "9999999G", "true"), ["1T"]),
    (("-m", "64K:", "true"), ["--mmap-pages", "64K:"]),
    (("-m", ":4K:4K", "true"), ["--mmap-pages"]),
    (("-m", ":9999999G", "true"), ["1T"]),
    (("-z=3", "true"), ["-z3"]),
    (("-p", "bash"), ["pgrep"]),
    (("-z99", "true"), ["--compression-level", "99"]),
    (("--compression-level=x", "true"), ["--compression-level"]),
    (("-D", "soon", "true"), ["--delay"]),
    (("-D", "-2", "true"), ["--delay"]),
    (("--flush", "0", "true"), ["--flush"]),
    (("--flush", "5", "true"), ["--flush", "unit"]),
    (("--flush", "2d", "true"), ["--flush"]),
    (("--io", "mmap", "true"), ["--io", "uring or pwrite"]),
    (("-r", "0", "true"), ["--realtime"]),
    (("-r", "100", "true"), ["--realtime"]),
    (("-k", "sundial", "true"), ["sundial"]),
    (("--call-graph", "lbr", "true"), ["lbr"]),
    (("--call-graph", "dwarf,x", "true"), ["dwarf"]),
    (("--call-graph", "dwarf,70000", "true"), ["dwarf"]),
    (("--control", "fd:", "true"), ["--control"]),
    (("--control", "fd:199", "true"), ["199"]),
    (("--control", "fifo:/nonexistent/fifo", "true"), ["/nonexistent/fifo"]),
    (("--control", "fifo:/etc/passwd", "true"), ["fifo"]),
    (("--affinity", "moon", "true"), ["--affinity"]),
    (("--aio=x", "true"), ["--aio"]),
    (("-S", "-a"), ["aux"]),
    (("--aux-sample", "-a"), ["aux"]),
    (("-p", "1", "-t", "1"), ["--pid", "--tid"]),
    (("-p", "0"), ["0"]),
    (("-p", "x"), ["x"]),
    (("-p", ""), []),
    (("-p", "4194304"), ["4194304"]),
    (("-t", "99999999999"), ["99999999999"]),
    (("-C", "4096", "true"), ["4096"]),
    (("-C", "0-", "true"), ["0-"]),
    (("--filter", "prev_pid == 0", "true"), ["--filter"]),
    (("-e", "cpu-clock", "--filter", "x", "true"), ["filter"]),
]:
    refused((*options[:-1], *out, options[-1]) if options and options[-1] == "true" else (*out, *options), words)

# events
for event, words in [
    ("no-such-event", ["no-such-event", "tstream list"]),
    ("cpu_clock", ["did you mean 'cpu-clock'"]),
    ("cycle", ["did you mean 'cycles'"]),
    ("context-switch", ["did you mean 'context-switches'"]),
    ("cycels", ["hint: did you mean 'cycles'?"]),
    ("cpuclock:u", ["hint: did you mean 'cpu-clock'?"]),
    ("cpu-clock:q", ["cpu-clock:q"]),
    ("cpu-clock/period=x/", ["period"]),
    ("cpu-clock/nosuchterm=1/", ["nosuchterm"]),
    ("rxyz", ["rxyz"]),
    ("program.o", ["program.o", "BPF"]),
    ("", []),
    ("cpu-clock,", []),
    ("nosuchpmu/event=1/", ["nosuchpmu"]),
]:
    refused(("-e", event, *out, "true"), words)
if os.path.isdir("/sys/kernel/tracing/events/sched") and os.geteuid() == 0:
    refused(("-e", "sched:sched_swich", *out, "true"), ["hint: did you mean 'sched:sched_switch'?"])
    refused(("-e", "sched:sched_switch", "--filter", "no_such_field == 1", "-a", *out, "--", "true"), ["no_such_field"])
    for event in ("sched:no_such", "nosuch:event", "sched:zzz*"):
        refused(("-e", event, *out, "true"), [event])
else:
    tap.skip("tracepoints that are none are refused, and guessed", "no tracepoints can be read here")

# the command
refused((*out, "no-such-command-anywhere"), ["no-such-command-anywhere", "No such file"])
for option, meant in (("--threads", "--threads=no/such"), ("-z", "-zno/such"), ("-g", "--call-graph no/such"),
                      ("--aio", "--aio=no/such")):
    refused((*out, option, "no/such", "true"), ["no/such", f"write {meant}"])
refused((*out, "/etc/passwd"), ["/etc/passwd", "Permission denied"])
refused((*out, "/tmp"), ["/tmp"])

# layouts
for spec, words in [
    ("0/0:0/0", ["affinities of two writers", "hint: give each writer"]),
    ("0", ["not a layout", "hint: a pair also needs the CPUs on which its writer runs: --threads=0/0"]),
    ("0x3", ["not a layout", "hint: list CPUs by number"]),
]:
    refused((f"--threads={spec}", *out, "true"), words)

# what may stand at -o
foreign = tap.path("foreign")
os.mkdir(foreign)
open(os.path.join(foreign, "precious"), "w").write("x")
lookalike = tap.path("lookalike")
os.mkdir(lookalike)
open(os.path.join(lookalike, "data"), "w").write("not perf's\n")
plain = tap.path("plain")
open(plain, "w").write("precious\n")
os.mkfifo(tap.path("fifo"))
os.symlink(foreign, tap.path("link"))
os.symlink(tap.path("nowhere"), tap.path("dangling"))
for name in (foreign, lookalike, plain, tap.path("fifo"), tap.path("link"), tap.path("dangling"), "/dev/zero", "/dev/full",
             ".", "..", "/", tap.scratch, tap.path("no/such/folder"), "/proc/x", plain + "/below"):
    refused(("-e", "cpu-clock", "-o", name, "true"), [name.rstrip("/") or "/"])
result = tap.run(*HEAD, "-o", "/proc/x", "true")
tap.ok(".new" not in result.err, "no name is told that the user did not give", result.err)
refused(("-e", "cpu-clock", "-o", "/proc/x", "true"), ["cannot make a directory there", "hint: give -o"])
refused(("-e", "cpu-clock", "-o", tap.path("no/such/folder"), "true"), [f"hint: make {tap.path('no/such')} first"])
refused(("-e", "cpu-clock", "-o", plain + "/below", "true"), ["hint: give -o a path inside an existing directory"])
refused(("-e", "cpu-clock", "-o", "-", "true"), ["'-'"])
refused(("-e", "cpu-clock", "-o", "", "true"), ["empty"])
tap.done()
