#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What it costs to let a recorder run: 99 Hz, -a, -g, on an idle machine and on one whose CPUs are all busy.

The CPU time of all threads of the recorder, io_uring workers included, is read from the scheduler's own account
(/proc/PID/task/TID/schedstat) after the start and before the end, so start and end are told apart; of SECONDS each. One
recorder after the other, RUNS times by turns. ONLY=tstream leaves perf out, MACHINE=idle or MACHINE=busy the other one.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from benchlib import RUNS, TSTREAM, machine, medians, peak_mib, table  # noqa: E402

SECONDS = float(os.environ.get("SECONDS", "60"))
START_S = 2  # until a recorder has started, perf's build-id and kernel symbol passes included
WHAT = ["-F", "99", "-a", "-g", "-o", "OUT"]
RECORDERS = [
    ("perf record", ["perf", "record", "-q", "-B"]),
    ("tstream record", [TSTREAM, "record", "-q"]),
    ("tstream record -z", [TSTREAM, "record", "-q", "-z"]),
]


def ran(pid):
    """Seconds that each thread of the process has run by now."""
    found = {}
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/schedstat") as f:
            found[tid] = int(f.read().split()[0]) / 1e9
    return found


def record(command):
    folder = tempfile.mkdtemp(prefix="tstream-bench.", dir=os.environ.get("SCRATCH"))
    words = [word.replace("OUT", os.path.join(folder, "cap")) for word in command + WHAT]
    recorder = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(START_S)
    start, before = time.monotonic(), ran(recorder.pid)
    time.sleep(SECONDS)
    after, seconds = ran(recorder.pid), time.monotonic() - start
    memory = peak_mib(recorder.pid)
    recorder.send_signal(signal.SIGINT)
    _, _, usage = os.wait4(recorder.pid, 0)
    recorder.returncode = 0
    size = sum(os.path.getsize(os.path.join(where, name)) for where, _, names in os.walk(folder) for name in names)
    shutil.rmtree(folder)
    meanwhile = sum(t - before.get(tid, 0) for tid, t in after.items())
    return {"share": 100 * meanwhile / seconds, "rest": usage.ru_utime + usage.ru_stime - meanwhile,
            "rss": memory, "mb": size / 2 ** 20}


def measure(name, recorders, lines):
    results = {title: [] for title, _ in recorders}
    for _ in range(RUNS):
        for title, command in recorders:
            results[title].append(record(command))
    for title, rows in results.items():
        m = medians(rows)
        lines.append([name, title, "%.3f %%" % m["share"], "%.0f ms" % (1000 * m["rest"]), "%.0f MiB" % m["rss"],
                      "%.1f MiB" % m["mb"]])


def keep_busy():
    return [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in os.sched_getaffinity(0)]


def main():
    only, machines = os.environ.get("ONLY", ""), os.environ.get("MACHINE", "idle busy")
    recorders = [r for r in RECORDERS if r[0].startswith(only) and (r[1][0] != "perf" or shutil.which("perf"))]
    lines = []
    for name in machines.split():
        load = keep_busy() if name == "busy" else []
        try:
            measure(name, recorders, lines)
        finally:
            for process in load:
                process.kill()
                process.wait()
    table("99 Hz, -a -g, for %.0f s; %s" % (SECONDS, machine()),
          ["machine", "recorder", "of one CPU while it records", "start and end", "memory", "capture"], lines)


main()
