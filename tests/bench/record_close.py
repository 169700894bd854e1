#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recorders under load: as many processes as CPUs call close(-1) without pause, raw_syscalls:* is recorded.

For each recorder: the share of the load's records that was lost (every call enters and leaves, so their number is
known), the time of a call for the load, how much slower that is than the floor, the recorder's own CPU time (all its
threads and io_uring workers) and memory. The floor is what the kernel alone costs: the same events in rings of the same
size that nobody reads and the kernel overwrites (never_read.c), so that it makes and writes every record. Rings that
are full cost less, for what finds no room is never written; they have a row of their own. All take turns in one run, so
that a drift of the machine hits all alike, and slowness is judged turn by turn. ONLY=tstream leaves perf out.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from benchlib import BUILD, RUNS, TSTREAM, Run, machine, medians, peak_mib, table  # noqa: E402

CALLS = int(os.environ.get("CALLS", "2000000"))
CPUS = len(os.sched_getaffinity(0))
LOAD = [os.path.join(BUILD, "tests/bench/close_loop"), str(CPUS), str(CALLS)]
WHAT = ["-e", "raw_syscalls:*", "-a", "-m", "512K", "-o", "OUT"]
FLOORS = [("rings overwritten, never read (the floor)", "overwritten"), ("rings full, never read", "full")]
# perf without its build-id pass (-B), which reads the whole capture again after recording.
RECORDERS = [
    ("perf record", ["perf", "record", "-q", "-B"]),
    ("perf record --aio=4", ["perf", "record", "-q", "-B", "--aio=4"]),
    ("perf record --threads=cpu", ["perf", "record", "-q", "-B", "--threads=cpu"]),
    ("tstream record", [TSTREAM, "record", "-q"]),
    ("tstream record --threads=socket", [TSTREAM, "record", "-q", "--threads=socket"]),
    ("tstream record -z", [TSTREAM, "record", "-q", "-z"]),
]


def load():
    run = Run(LOAD)
    if run.status:
        sys.exit("cannot run %s: status %d" % (LOAD[0], run.status))
    return float(run.out)


def kept_of_load(capture):
    rows = Run([TSTREAM, "report", "-i", capture, "--stdio", "-n", "--sort", "comm", "-g", "none", "--no-children"]).out
    return sum(int(n) for n in re.findall(r"%\s+(\d+)\s+close_loop", rows))


def record(command, folder):
    capture = os.path.join(folder, "cap")
    recorder = subprocess.Popen([word.replace("OUT", capture) for word in command + WHAT],
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    time.sleep(1)
    call = load()
    memory = peak_mib(recorder.pid)
    recorder.send_signal(signal.SIGINT)
    _, _, usage = os.wait4(recorder.pid, 0)
    recorder.returncode = 0
    said = recorder.stderr.read().decode(errors="replace")
    recorder.stderr.close()
    kept = kept_of_load(capture)
    if not kept:
        sys.exit("%s kept nothing: %s" % (command[0], said))
    return {"lost": 100.0 * max(0, 1 - kept / (2 * CPUS * CALLS)), "call": call / 1000,
            "cpu": usage.ru_utime + usage.ru_stime, "rss": memory}


def never_read(mode):
    """The time of a call while the kernel records and nobody reads."""
    program = os.path.join(BUILD, "tests/bench/never_read")
    kernel = subprocess.Popen([program, mode, "raw_syscalls:*", str(512 * 1024)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, text=True)
    if kernel.stdout.readline() != "ready\n":
        sys.exit("cannot measure the floor")
    time.sleep(1)
    call = load() / 1000
    dropped = int(kernel.communicate(kernel.send_signal(signal.SIGINT))[0])
    if (dropped > 0) != (mode == "full"):
        sys.exit("the floor is none: with rings %s %d records were dropped" % (mode, dropped))
    return {"call": call}


def turn(recorders):
    """Everybody once; each with the time of a call in relation to the floor's."""
    rows = {"nothing recorded": {"call": load() / 1000}}
    for name, mode in FLOORS:
        rows[name] = never_read(mode)
    for name, command in recorders:
        folder = tempfile.mkdtemp(prefix="tstream-bench.", dir=os.environ.get("SCRATCH"))
        rows[name] = record(command, folder)
        shutil.rmtree(folder)
    for row in rows.values():
        row["slower"] = 100 * (row["call"] / rows[FLOORS[0][0]]["call"] - 1)
    return rows


def line(name, rows):
    m = medians(rows)
    cells = [name, "", "%.3f us" % m["call"], "%+.0f %%" % m["slower"], "", ""]
    if "lost" in m:
        cells[1] = "%.2f %% (at most %.2f %%)" % (m["lost"], max(row["lost"] for row in rows))
        cells[4:] = ["%.2f s" % m["cpu"], "%.0f MiB" % m["rss"]]
    return cells


def main():
    only = os.environ.get("ONLY", "")
    recorders = [r for r in RECORDERS if r[0].startswith(only) and (r[1][0] != "perf" or shutil.which("perf"))]
    turns = [turn(recorders) for _ in range(RUNS)]
    table("%d processes, %d calls of close(-1) each; %s" % (CPUS, CALLS, machine()),
          ["recorder", "lost", "a call takes", "slower than the floor", "recorder's CPU", "recorder's memory"],
          [line(name, [rows[name] for rows in turns]) for name in turns[0]])


main()
