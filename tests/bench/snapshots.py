#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A flight recorder: how long a snapshot takes, what is lost by it, and what the recorder costs while nothing happens.

Two loops of system calls, raw_syscalls:* of everything recorded; `tstream ctl snapshot` is answered when the snapshot is complete.
RUNS snapshots, FILL seconds before each. Then 99 samples a second of cpu-clock on each CPU, for SECONDS.
"""
import glob
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from benchlib import RUNS, TSTREAM, machine, table  # noqa: E402

FILL, SECONDS = float(os.environ.get("FILL", "5")), float(os.environ.get("SECONDS", "20"))
SAVING = [("--overwrite -m 128M", ["--overwrite", "-m", "128M"]), ("-M 512M -z0", ["-M", "512M", "-z0"]), ("-M 512M", ["-M", "512M"])]
AT_REST = ["-a", "-g", "-F", "99", "-e", "cpu-clock"]
RESTING = [("perf record --overwrite --switch-output", ["perf", "record", "--overwrite", "--switch-output"]),
           ("tstream record --overwrite", [TSTREAM, "record", "--overwrite"]),
           ("tstream record -M 64M", [TSTREAM, "record", "-M", "64M"])]
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def bytes_in(directory):
    return sum(os.path.getsize(path) for path in glob.glob(directory + "/*"))


def lost_in(directory):
    with open(directory + "/tstream.json") as file:
        return sum(json.load(file)["ledger"]["lost"].values())


def snapshots(out):
    """(seconds, bytes, records lost) of each."""
    for _ in range(RUNS):
        time.sleep(FILL)
        begin = time.monotonic()
        path = subprocess.run([TSTREAM, "ctl", out, "snapshot"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        yield time.monotonic() - begin, bytes_in(path), lost_in(path)
        shutil.rmtree(path)


def saving(name, options):
    folder = tempfile.mkdtemp(prefix="tstream-bench.", dir=os.environ.get("SCRATCH"))
    out = os.path.join(folder, "cap")
    loops = [subprocess.Popen(["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=2000000000"], **QUIET) for _ in range(2)]
    recorder = subprocess.Popen([TSTREAM, "record", "-a", "-e", "raw_syscalls:*", "-o", out, *options], **QUIET)
    try:
        rows = list(snapshots(out))
    finally:
        for process in [recorder, *loops]:
            process.terminate()
            process.wait()
        shutil.rmtree(folder)
    seconds = [row[0] for row in rows]
    size = statistics.median(row[1] for row in rows)
    return [name, "%.2f s" % statistics.median(seconds), "%.2f s" % max(seconds), "%.0f MB" % (size / 1e6),
            "%.2f s" % statistics.median(row[0] / row[1] * (1 << 30) for row in rows), "%d" % max(row[2] for row in rows)]


def look(pid):
    """CPU time in ns and switches of all threads, so far."""
    cpu = switches = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat") as file:
            cpu += int(file.read().split()[0])
        with open(f"/proc/{pid}/task/{task}/status") as file:
            switches += int(file.read().split("\nvoluntary_ctxt_switches:")[1].split()[0])
    return cpu, switches


def memory_mib(pid):
    with open(f"/proc/{pid}/status") as file:
        rss = int(file.read().split("VmRSS:")[1].split()[0]) / 1024
    return rss + sum(bytes_in(path) for path in glob.glob(f"/dev/shm/tstream.*.{pid}/*")) / (1 << 20)


def resting(name, command):
    folder = tempfile.mkdtemp(prefix="tstream-bench.", dir=os.environ.get("SCRATCH"))
    recorder = subprocess.Popen(command + AT_REST + ["-o", os.path.join(folder, "cap")], **QUIET)
    time.sleep(3)
    before = look(recorder.pid)
    time.sleep(SECONDS)
    after, memory = look(recorder.pid), memory_mib(recorder.pid)
    recorder.terminate()
    recorder.wait()
    shutil.rmtree(folder)
    return [name, "%.1f s" % ((after[0] - before[0]) / SECONDS * 3600 / 1e9), "%.1f" % ((after[1] - before[1]) / SECONDS),
            "%.1f MiB" % memory]


def main():
    where = machine().replace("medians of ", "")
    table("Snapshots while two loops of system calls are recorded; %s" % where,
          ["recording", "a snapshot, median", "longest", "has", "a GiB", "lost in one, at most"], [saving(*way) for way in SAVING])
    table("At rest, %s for %.0f s; %s" % (" ".join(AT_REST), SECONDS, where),
          ["recorder", "CPU an hour", "wake-ups a second", "memory, with /dev/shm"],
          [resting(*way) for way in RESTING if way[1][0] != "perf" or shutil.which("perf")])


main()
