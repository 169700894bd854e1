#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An idle recorder sleeps: with nothing to record a writer wakes at most once per --flush, whatever it writes with, its
helper never, and the main thread once a second, to look at the disk; not at all where nothing is written.

The kernel counts how often each thread went to sleep of its own accord (voluntary_ctxt_switches), and each sleep ends
with one wake-up. Only upper limits are looked at, over a time that is measured: a busy machine makes both longer."""
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

if not tap.can_record_all():
    tap.skip_all("needs the right to record any process")

SECONDS = 2.5
FLUSH_S = 0.5
LOOK_S = FLUSH_S - 0.05  # how often a writer looks: it keeps 50 ms for the write
SPARE = 3  # a page fault or a lock that was waited for


def sleeps(pid):
    """(name of the thread, its number) -> how often it went to sleep."""
    found = {}
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/status") as f:
            fields = dict(line.split(":", 1) for line in f)
        found[fields["Name"].strip(), tid] = int(fields["voluntary_ctxt_switches"])
    return found


def has_begun(pid, capture):
    """Its writers sleep, and so does its main thread, until something happens: all that a start needs is done."""
    before = sleeps(pid)
    time.sleep(0.3)
    after = sleeps(pid)
    ready = capture == "/dev/null" or os.path.exists(os.path.join(capture, "tstream.json"))
    return ready and before.keys() == after.keys() and all(after[key] - before[key] <= 1 for key in before)


def allowed(name, seconds, writes):
    if name.startswith("tstream-w"):
        return seconds / LOOK_S + SPARE
    if name.startswith(("tstream-p", "iou-wrk")):
        return SPARE
    return (seconds if writes else 0) + SPARE


class Recorder:
    """One that has nothing to record. All of them idle at the same time: none of them has anything to do."""

    def __init__(self, name, *options, output=None, target=None, **more):
        self.name = name
        self.capture = output or tap.path(name.replace(" ", "-"))
        self.whom = target or ("-p", str(sleeper.pid))
        self.process = subprocess.Popen(
            (tap.TSTREAM, "record", "-e", "cpu-clock", f"--flush={FLUSH_S * 1000:.0f}ms", "-o", self.capture, *options,
             *self.whom),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **more)

    def wait_for_begin(self, limit):
        while self.process.poll() is None and not has_begun(self.process.pid, self.capture) and time.monotonic() < limit:
            pass

    def look(self):
        self.seen = (time.monotonic(), sleeps(self.process.pid)) if self.process.poll() is None else None
        return self.seen

    def check(self, first, last):
        """What happened between two looks; and ends it."""
        self.process.send_signal(signal.SIGINT)
        err = self.process.communicate(timeout=60)[1].decode()
        if not first or not last:
            tap.ok(False, f"{self.name}: it records", err)
            return
        seconds, before, after = last[0] - first[0], first[1], last[1]
        woken = {key: after[key] - before.get(key, 0) for key in after}
        too_often = {key: n for key, n in woken.items() if n > allowed(key[0], seconds, self.capture != "/dev/null")}
        tap.ok(any(key[0].startswith("tstream-w") for key in woken) and not too_often,
               f"{self.name}: no thread wakes more often than it has to", f"in {seconds:.1f} s: {woken}\n{err}")


def start_all(other, ending):
    """Every way to idle; and what has to be closed at the end."""
    reading, writing = os.pipe()
    left, gone = os.pipe()
    os.close(gone)
    fifo = tap.path("fifo")
    os.mkfifo(fifo)
    recorders = [
        Recorder("io_uring", "--io=uring"),
        Recorder("pwrite", "--io=pwrite"),
        Recorder("io_uring buffered", "--io=uring,buffered"),
        Recorder("nowhere", output="/dev/null"),
        Recorder("compressed by a writer for each CPU", "-z", "--threads=cpu"),
        Recorder("a thread", target=("-t", str(sleeper.pid))),
        Recorder("several events", "-e", "task-clock,page-faults", "-g"),
        Recorder("a command", target=("--", "sleep", "1000")),
        Recorder("waiting to be enabled", "-D", "-1"),
        Recorder("control by a pipe", f"--control=fd:{reading}", pass_fds=(reading,)),
        Recorder("control whose peer has left", f"--control=fd:{left}", pass_fds=(left,)),
        Recorder("control by a fifo", f"--control=fifo:{fifo}"),
        Recorder("targets of which one has ended", target=("-p", f"{sleeper.pid},{other.pid},{ending.pid}")),
    ]
    return recorders, (reading, writing, left)


all_of_them = []
sleeper, other, ending = (subprocess.Popen(("sleep", "1000")) for _ in range(3))
try:
    all_of_them, open_fds = start_all(other, ending)
    limit = time.monotonic() + 100
    all_of_them[-1].wait_for_begin(limit)
    ending.kill()
    ending.wait()
    for recorder in all_of_them:
        recorder.wait_for_begin(limit)
    firsts = [recorder.look() for recorder in all_of_them]
    time.sleep(SECONDS)
    lasts = [recorder.look() for recorder in all_of_them]
    for recorder, *looks in zip(all_of_them, firsts, lasts):
        recorder.check(*looks)
    for fd in open_fds:
        os.close(fd)
finally:
    for process in sleeper, other, ending, *(recorder.process for recorder in all_of_them):
        process.kill()
        process.wait()
tap.done()
