#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Captures whose recorder, perf, was killed: perf reports nothing of most of them, tstream all that is there."""
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

SPIN = "import sys; open(sys.argv[1], 'w').close(); any(False for _ in iter(int, 1))"
ENOUGH = 100_000  # bytes; a sample has 48
ENOUGH_COMPRESSED = 20_000


def size_of(capture):
    files = [os.path.join(folder, name) for folder, _, names in os.walk(capture) for name in names]
    return sum(map(os.path.getsize, files or [capture]))


def wait_for_samples(p, capture, started, enough):
    """perf writes what existed before it starts the command; what comes after that are samples."""
    while not os.path.exists(started) and p.poll() is None:
        time.sleep(0.02)
    before = size_of(capture)
    while size_of(capture) < before + enough and p.poll() is None:
        time.sleep(0.02)


def kill_while_recording(capture, mode):
    started = capture + ".started"
    p = subprocess.Popen([tap.PERF, "record", "-q", "-m", "64K", "-e", "cpu-clock", "-F", "2000", *mode, "-a", "-o", capture, "--",
                          sys.executable, "-c", SPIN, started],
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    wait_for_samples(p, capture, started, ENOUGH_COMPRESSED if "-z" in mode else ENOUGH)
    p.kill()
    p.wait()
    try:
        os.killpg(p.pid, signal.SIGKILL)  # the workload outlives its recorder
    except ProcessLookupError:
        pass


def samples(text):
    words = [line.split() for line in text.splitlines() if line.strip().startswith("SAMPLE events:")]
    return int(words[0][2]) if words else 0


def main():
    if not tap.PERF:
        tap.skip_all("perf is not installed: there is nothing to kill")
    if not tap.can_record_all():
        tap.skip_all("recording the whole machine needs root")
    for name, mode in [("one file", []), ("--threads", ["--threads"]), ("-z", ["-z"])]:
        capture = tap.path(name)
        kill_while_recording(capture, mode)
        stats = tap.run(tap.TSTREAM, "report", "--stats", "-i", capture)
        tap.ok(stats.status == 0 and samples(stats.out) > 100, f"{name}: the samples of a killed perf are counted, status 0",
               f"{stats.status} {stats.out} {stats.err}")
        rows = tap.run(tap.TSTREAM, "report", "-s", "comm", "-q", "-i", capture)
        tap.ok(rows.status == 0 and "%" in rows.out, f"{name}: and reported", f"{rows.status} {rows.out} {rows.err}")
    tap.done()


main()
