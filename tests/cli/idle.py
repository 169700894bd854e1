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


def idle(name, *options, output=None, target=None, **more):
    capture = output or tap.path(name.replace(" ", "-"))
    whom = target or ("-p", str(sleeper.pid))
    p = subprocess.Popen((tap.TSTREAM, "record", "-e", "cpu-clock", f"--flush={FLUSH_S * 1000:.0f}ms", "-o", capture, *options, *whom),
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **more)
    limit = time.monotonic() + 60
    while p.poll() is None and not has_begun(p.pid, capture) and time.monotonic() < limit:
        pass
    if p.poll() is not None:
        tap.ok(False, f"{name}: it records", p.stderr.read().decode())
        return
    start = time.monotonic()
    before = sleeps(p.pid)
    time.sleep(SECONDS)
    after = sleeps(p.pid)
    seconds = time.monotonic() - start
    p.send_signal(signal.SIGINT)
    err = p.communicate(timeout=60)[1].decode()
    woken = {key: after[key] - before.get(key, 0) for key in after}
    too_often = {key: n for key, n in woken.items() if n > allowed(key[0], seconds, capture != "/dev/null")}
    tap.ok(any(key[0].startswith("tstream-w") for key in woken) and not too_often,
           f"{name}: no thread wakes more often than it has to", f"in {seconds:.1f} s: {woken}\n{err}")


sleeper = subprocess.Popen(("sleep", "1000"))
try:
    idle("io_uring", "--io=uring")
    idle("pwrite", "--io=pwrite")
    idle("io_uring buffered", "--io=uring,buffered")
    idle("nowhere", output="/dev/null")
    idle("compressed by a writer for each CPU", "-z", "--threads=cpu")
    idle("a thread", target=("-t", str(sleeper.pid)))
    idle("several events", "-e", "task-clock,page-faults", "-g")
    idle("a command", target=("--", "sleep", "1000"))
    idle("waiting to be enabled", "-D", "-1")
    reading, writing = os.pipe()
    idle("control by a pipe", f"--control=fd:{reading}", pass_fds=(reading,))
    os.close(writing)
    idle("control whose peer has left", f"--control=fd:{reading}", pass_fds=(reading,))
    os.close(reading)
    fifo = tap.path("fifo")
    os.mkfifo(fifo)
    idle("control by a fifo", f"--control=fifo:{fifo}")
    both = subprocess.Popen(("sleep", "1000"))
    ended = subprocess.Popen(("sleep", "0.1"))
    idle("targets of which one has ended", target=("-p", f"{sleeper.pid},{both.pid},{ended.pid}"))
    both.kill()
    both.wait()
    ended.wait()
finally:
    sleeper.kill()
    sleeper.wait()
tap.done()
