#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Captures that perf is writing, and whose recorder was killed: perf reports nothing of most of them, tstream all that is there."""
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


def kill_while_recording(capture, mode, look):
    started = capture + ".started"
    p = subprocess.Popen([tap.PERF, "record", "-q", "-m", "64K", "-e", "cpu-clock", "-F", "2000", *mode, "-a", "-o", capture, "--",
                          sys.executable, "-c", SPIN, started],
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    wait_for_samples(p, capture, started, ENOUGH_COMPRESSED if "-z" in mode else ENOUGH)
    look()
    tap.ok(p.poll() is None, f"{os.path.basename(capture)}: perf was still recording")
    p.kill()
    p.wait()
    try:
        os.killpg(p.pid, signal.SIGKILL)  # the workload outlives its recorder
    except ProcessLookupError:
        pass


def samples(text):
    words = [line.split() for line in text.splitlines() if line.strip().startswith("SAMPLE events:")]
    return int(words[0][2]) if words else 0


def check_readers(capture, when):
    name = f"{os.path.basename(capture)}, {when}"
    stats = tap.run(tap.TSTREAM, "report", "--stats", "-i", capture)
    tap.ok(stats.status == 0 and samples(stats.out) > 100, f"{name}: samples are counted, status 0",
           f"{stats.status} {stats.out} {stats.err}")
    rows = tap.run(tap.TSTREAM, "report", "-s", "comm", "-i", capture)
    tap.ok(rows.status == 0 and "%" in rows.out and "; perf has not ended it" in rows.out, f"{name}: and reported",
           f"{rows.status} {rows.out} {rows.err}")


def check_follow(capture):
    """It ends, with what is there, and says why."""
    got = tap.run(tap.TSTREAM, "script", "--follow", "-i", capture, "-F", "comm,time")
    tap.ok(got.status == 0 and got.out.count("\n") > 100 and "it does not show whether it is being recorded" in got.err,
           f"{os.path.basename(capture)}: --follow says that it cannot", f"{got.status} {got.out[:200]} {got.err}")


def main():
    if not tap.PERF:
        tap.skip_all("perf is not installed: there is nothing to kill")
    if not tap.can_record_all():
        tap.skip_all("recording the whole machine needs root")
    for name, mode in [("one file", []), ("--threads", ["--threads"]), ("-z", ["-z"])]:
        capture = tap.path(name)
        kill_while_recording(capture, mode, lambda: (check_readers(capture, "while it records"), check_follow(capture)))
        check_readers(capture, "once it is killed")
    tap.done()


main()
