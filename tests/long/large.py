#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A capture of LARGE_GB (20) is read with the memory of a small one.

Processes call as fast as they can, each call with 8 KiB of stack, until --max-size ends the recording; first a
twentieth of the size, then all of it. `report` of each is watched: its private memory may not grow with the size.
Skipped where TMPDIR has not half as much again free.
"""
import os
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

LARGE_BYTES = int(float(os.environ.get("LARGE_GB", "20")) * 1e9)
PRODUCER = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/numbered_calls")
SLACK_BYTES = 32 << 20
RECORD_S = 3600


def record(name, size):
    """A capture that ended at that size: its name, its bytes, and what the recorder said."""
    capture = tap.path(name)
    cpus = sorted(os.sched_getaffinity(0))[:2]  # a producer on each; they end with the shell that --max-size ends
    calls = " & ".join(f"{PRODUCER} {cpu} 0 {tap.path('progress')}.{cpu}" for cpu in cpus)
    result = tap.run(tap.TSTREAM, "record", "-q", "-e", "raw_syscalls:sys_enter", "--call-graph", "dwarf,8192", "-m", "4M",
                     "--max-size", str(size), "-o", capture, "--", "sh", "-c", f"while :; do {calls} & wait; done",
                     timeout=RECORD_S)
    there = sum(e.stat().st_size for e in os.scandir(capture)) if os.path.isdir(capture) else 0
    return capture, there, result.err


def private_bytes(pid):
    try:
        return int(re.search(r"RssAnon:\s+(\d+)", open(f"/proc/{pid}/status").read())[1]) * 1024
    except (OSError, TypeError):
        return 0


def report(capture):
    """Peak of the private memory of a report, its status, rows and seconds."""
    begin = time.monotonic()
    with open(tap.path("report"), "w") as out:
        process = subprocess.Popen([tap.TSTREAM, "report", "--stdio", "-i", capture], stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=subprocess.DEVNULL)
        peak = 0
        while process.poll() is None:
            peak = max(peak, private_bytes(process.pid))
            time.sleep(0.01)
    text = open(tap.path("report")).read()
    return peak, process.returncode, len(re.findall(r"^ +\d+\.\d\d%", text, re.M)), time.monotonic() - begin


def main():
    if not tap.can_record_all() or not os.path.isdir("/sys/kernel/tracing/events/raw_syscalls"):
        tap.skip_all("needs the right to record tracepoints")
    free = shutil.disk_usage(tap.scratch).free
    if free < LARGE_BYTES * 1.5:
        tap.skip_all(f"{tap.scratch} has {free / 1e9:.0f} GB free, and {LARGE_BYTES * 1.5 / 1e9:.0f} are needed (LARGE_GB)")
    peaks = []
    for name, size in (("small", LARGE_BYTES // 20), ("large", LARGE_BYTES)):
        capture, there, err = record(name, size)
        tap.ok(there >= size * 0.9, f"{name}: {there / 1e9:.2f} GB are recorded", err)
        peak, status, rows, seconds = report(capture)
        print(f"# {name}: {there / 1e9:.2f} GB reported in {seconds:.1f} s with {peak / 1e6:.1f} MB of private memory")
        tap.ok(status == 0 and rows > 0, f"{name}: report prints its rows", f"status {status}, {rows} rows")
        peaks.append(peak)
        shutil.rmtree(capture, ignore_errors=True)
    tap.ok(peaks[1] <= peaks[0] + SLACK_BYTES, "twenty times the size needs the same private memory", str(peaks))
    tap.done()


main()
