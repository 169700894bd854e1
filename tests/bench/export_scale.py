#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Memory and speed of every picture and export beside `report`, over captures that grow.

SIZES (800000,8000000) are calls of each process: each makes some 2.3 samples of system calls with -g, the load of read_stacks.py, in one file of
perf's. Private memory is the largest sum of RssAnon and RssShmem that was seen, every 5 ms: pages of the capture and of the result are not in it. FOLDER
(/tmp) has to hold 180 bytes a sample and the result. ONLY names formats, with commas.
"""
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from benchlib import RUNS, TSTREAM, machine, table  # noqa: E402
from read_stacks import record  # noqa: E402
from readers import nr_samples  # noqa: E402

SIZES = [int(word) for word in os.environ.get("SIZES", "800000,8000000").split(",")]
ONLY = os.environ.get("ONLY", "")
EXPORTS = ["folded", "pprof", "firefox", "speedscope", "chrome", "perfetto", "otlp-development", "parquet", "perf.data"]
HEAD = ["command", "time", "CPU, beside report", "private memory, over report", "result", "output"]
STEP_S = 0.005


def private_mib(pid):
    try:
        with open("/proc/%d/status" % pid) as f:
            return sum(int(kib) for kib in re.findall(r"(?:RssAnon|RssShmem):\s*(\d+)", f.read())) / 1024
    except OSError:
        return 0


def measure(command):
    """Of one run: its times, its private memory, or the first line of what it refuses with."""
    with tempfile.TemporaryFile() as err:
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=err, stdin=subprocess.DEVNULL)
        private = 0
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            private = max(private, private_mib(process.pid))
            time.sleep(STEP_S)
        process.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        said = err.read().decode(errors="replace")
    return {"wall": time.monotonic() - start, "cpu": usage.ru_utime + usage.ru_stime, "private": private,
            "refused": said.splitlines()[0] if process.returncode else ""}


def size(path):
    if not os.path.isdir(path):
        return os.path.getsize(path) if os.path.exists(path) else 0
    return sum(entry.stat().st_size for entry in os.scandir(path))


def remove(path):
    shutil.rmtree(path) if os.path.isdir(path) else os.path.exists(path) and os.unlink(path)


def jobs(capture, out):
    yield "report", [TSTREAM, "report", "--stdio", "-i", capture]
    yield "report --svg", [TSTREAM, "report", "--svg=" + out, "-f", "-i", capture]
    yield "report --html", [TSTREAM, "report", "--html=" + out, "-f", "-i", capture]
    for name in EXPORTS:
        yield name, [TSTREAM, "export", "--format=" + name, "-f", "-o", out, capture]


def of_capture(capture, out):
    """A line for each job; the runs go by turns."""
    rows = {}
    for _ in range(RUNS):
        for name, command in jobs(capture, out):
            if ONLY and name != "report" and name not in ONLY.split(","):
                continue
            remove(out)
            rows.setdefault(name, []).append(dict(measure(command), bytes=size(out)))
    base = {key: statistics.median(row[key] for row in rows["report"]) for key in ("wall", "cpu", "private")}
    for name, runs in rows.items():
        if runs[0]["refused"]:
            yield [name, runs[0]["refused"], "", "", "", ""]
            continue
        m = {key: statistics.median(row[key] for row in runs) for key in ("wall", "cpu", "private", "bytes")}
        yield [name, "%.2f s" % m["wall"], "%.2f s, %.2f times" % (m["cpu"], m["cpu"] / base["cpu"]),
               "%.0f MiB, %+.0f" % (m["private"], m["private"] - base["private"]), "%.1f MB" % (m["bytes"] / 1e6),
               "%.0f MB/s" % (m["bytes"] / 1e6 / m["wall"])]


def main():
    folder = tempfile.mkdtemp(prefix="tstream-bench.", dir=os.environ.get("FOLDER", "/tmp"))
    capture, out = os.path.join(folder, "perf.data"), os.path.join(folder, "out")
    try:
        for calls in SIZES:
            record(folder, capture, ["raw_syscalls:sys_enter"], calls)
            table("%d samples with call chains, %.0f MB; %s" % (nr_samples(capture, TSTREAM), size(capture) / 1e6, machine()), HEAD, of_capture(capture, out))
            sys.stdout.flush()
            remove(capture)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
