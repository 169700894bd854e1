#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an ordinary user gets: a user-only capture of his own processes, clear refusals, rings that fit his limits."""
import glob
import os
import re
import shutil
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

if os.geteuid() != 0:
    tap.skip_all("must begin as root to become an ordinary user")
if not shutil.which("setpriv") or not tap.PERF:
    tap.skip_all("setpriv or perf is not installed")

NOBODY = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--inh-caps=-all", "--")
home = tap.path("home")
os.mkdir(home)
os.chown(home, 65534, 65534)
program = tap.path("tstream")  # the build folder may be closed to others
shutil.copy(tap.TSTREAM, program)
os.chmod(program, 0o755)
paranoid = int(open("/proc/sys/kernel/perf_event_paranoid").read())
SPIN = ("sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done")


def as_nobody(*command, limits=""):
    script = f'{limits} cd {home} && exec "$@"'
    return tap.run("sh", "-c", script, "sh", *NOBODY, *command)


def readable(cap):
    """perf, as root, refuses a capture of another: it asks the same as its owner."""
    result = as_nobody(tap.PERF, "report", "--stats", "-i", cap)
    m = re.search(r"SAMPLE events:\s+(\d+)", result.out)
    return result.status == 0 and not result.err.strip() and int(m.group(1)) > 0 if m else False


result = as_nobody(program, "record", "-e", "cpu-clock", "-o", "own", "--", *SPIN)
if paranoid > 3:
    tap.skip_all(f"kernel.perf_event_paranoid is {paranoid}")
tap.ok(result.status == 0, "records his own command without asking", result.err)
tap.ok(readable("own"), "and perf reads it", result.err)
if paranoid >= 2:
    events = as_nobody(tap.PERF, "evlist", "-i", "own").out
    tap.ok("cpu-clock:u" in events, "the kernel is left out", events)
    tap.ok(f"only user space is recorded: kernel.perf_event_paranoid={paranoid}" in result.err, "a note says so", result.err)
    result = as_nobody(program, "record", "-e", "cpu-clock:u", "-o", "own", "--", *SPIN)
    tap.ok(result.status == 0 and "only user space" not in result.err, "but not where that was asked for", result.err)
    result = as_nobody(program, "record", "-e", "cpu-clock:k", "-o", "kernel", "--", "true")
    tap.ok(result.status in (1, 2) and "perf_event_paranoid" in result.err and not os.path.exists(home + "/kernel"),
           "asking for the kernel names the setting", result.err)
result = as_nobody(program, "record", "-o", "default", "--", *SPIN)
tap.ok(result.status == 0 and readable("default"), "the default event works for him", result.err)

mine = subprocess.Popen((*NOBODY, "sleep", "1000"))
busy = subprocess.Popen((*NOBODY, "sh", "-c", "while :; do :; done"))


def end_both():
    """When the capture is there, and one of the two has run for a while, on whichever CPU."""
    while sum(map(os.path.getsize, glob.glob(os.path.join(home, "pid/data.*")))) < 10_000:
        time.sleep(0.02)
    mine.kill()
    busy.kill()


threading.Thread(target=end_both, daemon=True).start()
result = as_nobody(program, "record", "-e", "task-clock", "-p", f"{mine.pid},{busy.pid}", "--flush=100ms", "-o", "pid")
tap.ok(result.status == 0 and readable("pid"), "-p of his own processes works", result.err)
result = as_nobody(program, "record", "-e", "task-clock", "-p", "1", "-o", "init")
tap.ok(result.status in (1, 2) and not os.path.exists(home + "/init"), "-p of another's is refused", result.err)
mine.wait()
busy.wait()
if paranoid > 0:
    result = as_nobody(program, "record", "-e", "cpu-clock", "-a", "-o", "all", "--", "true")
    tap.ok(result.status in (1, 2) and "kernel.perf_event_paranoid" in result.err and not os.path.exists(home + "/all"),
           "-a is refused with the setting that would do", result.err)
    tap.ok(re.search(r"perf_event_paranoid.*\b0\b|\b0\b.*perf_event_paranoid", result.err), "and its value", result.err)
result = as_nobody(program, "record", "-e", "sched:sched_switch", "-o", "trace", "--", "true")
tap.ok(result.status in (1, 2) and re.search("tracing|tracefs|paranoid", result.err) and
       not os.path.exists(home + "/trace"), "tracepoints are refused with the reason", result.err)

result = as_nobody(program, "record", "-e", "cpu-clock", "-o", "locked", "--", *SPIN, limits="ulimit -l 64;")
tap.ok(result.status == 0 and readable("locked"), "ulimit -l 64 records", result.err)
result = as_nobody(program, "record", "-e", "cpu-clock", "-m", "64M", "-o", "large", "--", *SPIN, limits="ulimit -l 64;")
tap.ok(result.status == 0 and "note" in result.err and readable("large"), "rings too large for him are halved, with a note",
       result.err)
# the memory that a user may lock is one for all his processes: the inner capture finds what the outer one left
both = (program, "record", "-e", "cpu-clock", "-o", "outer", "--", program, "record", "-e", "cpu-clock", "-o", "inner",
        "--", *SPIN)
result = as_nobody(*both, limits="ulimit -l 64;")
tap.ok(result.status == 0 and readable("outer") and readable("inner"), "a second capture takes smaller rings", result.err)
tap.ok("other processes of this user" in result.err, "and says why", result.err)
# nor does a capture that has ended hold any of it
first, *later = [as_nobody(program, "record", "-e", "cpu-clock", "-m", "4M", "-o", "again", "--", "true",
                           limits="ulimit -l 8192;") for _ in range(6)]
tap.ok(all(r.status == 0 and r.err.count("note") == first.err.count("note") for r in later),
       "captures one after the other have the same rings", "".join(r.err for r in (first, *later)))
result = as_nobody(program, "record", "-e", "cpu-clock", "-o", "files", "--", *SPIN, limits="ulimit -n 16;")
tap.ok(result.status in (1, 2) and ("RLIMIT_NOFILE" in result.err or "ulimit -n" in result.err),
       "too few descriptors are told by their limit", result.err)
need = int(re.search("descriptors: ([0-9]+)", as_nobody(program, "record", "--dry-run", "true").out)[1])
tap.ok(f"cannot open {need} descriptors" in result.err, "with the number that --dry-run tells", result.err)
for io in ("uring", "pwrite"):
    result = as_nobody(program, "record", "-e", "cpu-clock", "--io", io, "-o", "enough", "--", *SPIN,
                       limits=f"ulimit -n {need + 8};")
    tap.ok(result.status == 0 and readable("enough"), f"{io}: that number, beside what is open, is enough", result.err)
result = as_nobody(program, "record", "-e", "cpu-clock", "-o", "/var/empty-of-ours", "--", "true")
tap.ok(result.status in (1, 2) and "/var" in result.err, "an output folder that is not his is refused", result.err)
tap.done()
