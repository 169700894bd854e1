#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the recorder itself adds to a capture of everything: its own samples are counted, and the count is told by
the last line of `record`, by tstream.json and in the head of a report. perf's count of them is the oracle."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

if not tap.PERF:
    tap.skip_all("perf is not installed")
if not tap.can_record_all():
    tap.skip_all("only root may record everything")
if not os.path.isdir("/sys/kernel/tracing/events/raw_syscalls"):
    tap.skip_all("this kernel has no raw_syscalls")


def record(capture, *options):
    p = subprocess.Popen((tap.TSTREAM, "record", "-e", "raw_syscalls:*", "-o", capture, *options),
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    err = p.communicate(timeout=120)[1].decode()
    return p.pid, p.returncode, err


def perf_pids(capture):
    return tap.run(tap.PERF, "script", "-i", capture, "-F", "pid").out.split()


def note_of(capture):
    with open(os.path.join(capture, "tstream.json")) as f:
        return json.load(f)


def check(name, *options):
    capture = tap.path(name)
    pid, status, err = record(capture, *options, "-a", "--", "sleep", "0.3")
    own = perf_pids(capture).count(str(pid))
    note = note_of(capture)
    tap.equal(status, 0, f"{name}: recording succeeds")
    tap.ok(own > 0, f"{name}: the recorder is in its capture", err)
    tap.equal(note["self"]["samples"], own, f"{name}: tstream.json counts the samples that are the recorder's")
    tap.equal(sum(w["own_samples"] for w in note["writers"]), own, f"{name}: and by writer")
    tap.ok(re.search(r"samples \(own (\d+\.\d\d|< 0\.01) %\)", err), f"{name}: the last line tells their share", err)
    report = tap.run(tap.TSTREAM, "report", "-i", capture)
    tap.ok(re.search(rf"^# Own Samples: {own} \(\d+\.\d\d%\), of the recorder itself$", report.out, re.M),
           f"{name}: the head of a report, too", report.out[:600])


check("io_uring", "--io=uring", "--flush=50ms")
check("pwrite", "--io=pwrite", "--flush=50ms")
check("compressed", "-z", "--flush=50ms", "--threads=cpu")

other = tap.path("other")
pid, status, err = record(other, "--", "true")
tap.equal((status, note_of(other)["self"]["samples"]), (0, 0), "a command's capture has none of them")
tap.ok("own" not in err, "and nothing is said of it", err)
tap.ok("# Own" not in tap.run(tap.TSTREAM, "report", "-i", other).out, "nor by a report")
tap.done()
