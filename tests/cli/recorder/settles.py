#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A recording of what the recorder itself does settles: to drain and to write makes events, which are drained and
written in turn, but they do not become ever more. Left alone they do where a wake-up's own events fill a ring up to its
watermark: some 700,000 own samples a second and writer. A writer allows itself 4,000, and half of what others do, whose
every event may wake it; here it may be five and two times that, and what the start and the end make."""
import json
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

if not tap.can_record_all():
    tap.skip_all("only root may record everything")
systems = [s for s in ("io_uring", "block", "ext4", "raw_syscalls") if os.path.isdir("/sys/kernel/tracing/events/" + s)]
if "raw_syscalls" not in systems:
    tap.skip_all("this kernel has no raw_syscalls")

SECONDS = 0.4
A_SECOND, ONCE = 20_000, 10_000
EVENTS = ",".join(f"{system}:*" for system in systems)


def hold_events():
    """Somebody who has the events open, switched off: else each recording ends with five seconds in the kernel, which
    waits for all CPUs once a tracepoint when the last one lets go of it."""
    command = [tap.TSTREAM, "record", "-q", "-D", "-1", "-e", EVENTS, "-m", "4K", "-o", "/dev/null", "-t", str(os.getpid())]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def settles(name, *options):
    capture = tap.path("cap")
    result = tap.run(tap.TSTREAM, "record", "-q", "-a", "-e", EVENTS, "-o", capture, *options, "--", "sleep", str(SECONDS))
    with open(os.path.join(capture, "tstream.json")) as f:
        note = json.load(f)
    samples, own = sum(w["samples"] for w in note["writers"]), note["self"]["samples"]
    seconds = note["duration_ns"] / 1e9
    allowed = A_SECOND * seconds * len(note["writers"]) + ONCE + samples - own
    print(f"# {name}: {own} own of {samples} samples in {seconds:.2f} s, {[w['rests'] for w in note['writers']]} rests")
    tap.equal(result.status, 0, f"{name}: recording succeeds")
    tap.ok(0 < own < allowed, f"{name}: the recorder's own events do not feed themselves", f"{own}, allowed {allowed}")


holder = hold_events()
settles("rings as they are")
settles("flushed often", "--flush=20ms")
settles("through the page cache", "--io=uring,buffered")
settles("rings of a page", "-m", "4K")
settles("rings of a page, pwrite", "-m", "4K", "--io=pwrite")
settles("rings of a page, compressed", "-m", "4K", "-z")
settles("small rings, call chains", "-m", "16K", "-g")
settles("dumped stacks", "--call-graph", "dwarf")
holder.send_signal(signal.SIGINT)
holder.wait()
tap.done()
