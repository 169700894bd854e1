#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A long recording needs no more at its end than in its middle: SOAK_S (600) seconds with -z and every sink at once.

Producers make SOAK_RATE (20) system calls a millisecond and are started anew every few seconds, so that side-band goes
on as well; each recorder writes blocks twenty times a second. Private memory, descriptors and threads are looked at
once a second. What the last third of the time needed at most is compared with the middle third: nothing may grow but by
what one set of buffers may come and go. In the end perf and tstream read each capture alike.
"""
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

PRODUCER = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/numbered_calls")
SOAK_S = float(os.environ.get("SOAK_S", "600"))
RATE = os.environ.get("SOAK_RATE", "20")
RESTART_S = min(20, SOAK_S / 6)
SLACK_BYTES = 8 << 20
SINKS = {"io_uring": ["--io=uring"], "pwrite": ["--io=pwrite"], "io_uring, buffered": ["--io=uring,buffered"],
         "pwrite, buffered": ["--io=pwrite,buffered"], "nowhere": []}


class Recorder:
    def __init__(self, name, options):
        self.name = name
        self.capture = tap.path(re.sub(r"\W+", "-", name)) if options else "/dev/null"
        self.rows = []  # (private bytes, descriptors, threads), one a second
        self.process = subprocess.Popen(
            [tap.TSTREAM, "record", "-q", "-a", "-e", "raw_syscalls:sys_enter", "--filter", "id == 8", "-z", "-m", "1M",
             "--flush=50ms", *options, "-o", self.capture], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def look(self):
        try:
            status = open(f"/proc/{self.process.pid}/status").read()
            self.rows.append((int(re.search(r"RssAnon:\s+(\d+)", status)[1]) * 1024,
                              len(os.listdir(f"/proc/{self.process.pid}/fd")),
                              int(re.search(r"Threads:\s+(\d+)", status)[1])))
        except (OSError, TypeError):
            pass  # it has ended: judged at the end

    def end(self):
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.communicate(timeout=60)[1]
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.communicate()[1] + "it does not end"

    def judge(self, err):
        tap.equal(self.process.returncode, -signal.SIGINT, f"{self.name}: it ended when it was told to")
        n = len(self.rows)
        if n < 6:
            return tap.ok(False, f"{self.name}: it could be watched", f"{n} seconds\n{err}")
        middle, last = self.rows[n // 3:2 * n // 3], self.rows[2 * n // 3:]
        for column, what, slack in ((0, "private memory", SLACK_BYTES), (1, "descriptors", 0), (2, "threads", 0)):
            before, after = (max(row[column] for row in rows) for rows in (middle, last))
            print(f"# {self.name}: {what}: {before}, then {after}")
            tap.ok(after <= before + slack, f"{self.name}: {what} does not grow", f"{before}, then {after}")
        return None if self.capture == "/dev/null" else self.judge_capture()

    def judge_capture(self):
        perf = tap.run(tap.PERF, "report", "--stats", "-i", self.capture, timeout=600)
        ours = tap.run(tap.TSTREAM, "report", "--stats", "-i", self.capture, timeout=600)
        with open(os.path.join(self.capture, "tstream.json")) as file:
            ledger = json.load(file)["ledger"]
        print(f"# {self.name}: {ledger['kept']} records kept, lost {ledger['lost']}")
        tap.ok(ledger["kept"] > 0 and ledger["offered"] == ledger["kept"] + sum(ledger["lost"].values()),
               f"{self.name}: its account adds up", ledger)
        tap.ok(not perf.status and not ours.status and perf.out == ours.out, f"{self.name}: perf and tstream read it alike",
               f"perf {perf.status}: {perf.out}{perf.err}\ntstream {ours.status}: {ours.out}{ours.err}")


def start_producers(folder):
    return [subprocess.Popen([PRODUCER, str(cpu), RATE, os.path.join(folder, f"progress.{cpu}")])
            for cpu in sorted(os.sched_getaffinity(0))[:2]]


def end_producers(producers):
    for process in producers:
        process.kill()
        process.wait()


def main():
    if not tap.PERF:
        tap.skip_all("perf is not installed")
    if not tap.can_record_all() or not os.path.isdir("/sys/kernel/tracing/events/raw_syscalls"):
        tap.skip_all("needs the right to record tracepoints")
    recorders = [Recorder(name, options) for name, options in SINKS.items()]
    producers = []
    begin = started = time.monotonic() - RESTART_S
    begin += RESTART_S
    while time.monotonic() - begin < SOAK_S:
        if time.monotonic() - started >= RESTART_S:
            end_producers(producers)
            producers, started = start_producers(tap.scratch), time.monotonic()
        time.sleep(min(1, SOAK_S / 30))
        for recorder in recorders:
            recorder.look()
    end_producers(producers)
    for recorder, err in [(r, r.end()) for r in recorders]:
        recorder.judge(err)
    tap.done()


main()
