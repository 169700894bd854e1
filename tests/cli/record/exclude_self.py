#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--exclude-self: nothing that the recorder's own threads do is in the capture, everything else is; what cannot be
filtered is named. perf, which reads the capture, is asked whose samples there are."""
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

TRACING = "/sys/kernel/tracing/events/"
if not tap.PERF:
    tap.skip_all("perf is not installed")
if not tap.can_record_all():
    tap.skip_all("only root may record everything")
if not os.path.isdir(TRACING + "raw_syscalls") or not os.path.isdir(TRACING + "io_uring"):
    tap.skip_all("this kernel has no raw_syscalls or no io_uring tracepoints")

EVENTS = ("-e", "raw_syscalls:*", "-e", "io_uring:*")
IN_NAMESPACE = os.stat("/proc/self/ns/pid").st_ino != 0xEFFFFFFC


def record(capture, *options):
    """Records three tenths of a second in which the writers write a few times; the recorder's number, status, stderr."""
    p = subprocess.Popen((tap.TSTREAM, "record", "--flush=50ms", "-o", capture, *options),
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    err = p.communicate(timeout=120)[1].decode()
    return p.pid, p.returncode, err


def samples(capture):
    """(number of the process, event, the rest of its line) of each sample."""
    out = tap.run(tap.PERF, "script", "-i", capture, "-F", "pid,event,trace").out
    return re.findall(r"^\s*(\d+)\s+(\S+):\s+(.*)$", out, re.M)


def own_and_others(capture, pid):
    pids = [found[0] for found in samples(capture)]
    return pids.count(str(pid)), len(pids) - pids.count(str(pid))


def left_out(name, *options):
    capture = tap.path(name)
    pid, status, err = record(capture, *EVENTS, "--exclude-self", *options, "-a", "--", "sleep", "0.3")
    own, others = own_and_others(capture, pid)
    tap.equal((status, own), (0, 0), f"{name}: the capture has nothing of its recorder")
    tap.ok(others > 0, f"{name}: but of others", err)
    tap.ok("left out" not in err and "own" not in err, f"{name}: and there is nothing to say of it", err)
    with open(os.path.join(capture, "tstream.json")) as f:
        tap.equal(json.load(f)["self"]["samples"], 0, f"{name}: which the recorder's own count confirms")


def refused_in_namespace():
    out = tap.path("in-namespace")
    command = (tap.TSTREAM, "record", "-a", "-e", "raw_syscalls:*", "--exclude-self", "-o", out, "--", "true")
    got = tap.run(*(() if IN_NAMESPACE else ("unshare", "--pid", "--fork", "--mount-proc")), *command)
    tap.ok(got.status == 1 and "cannot leave the recorder out" in got.err, "in a PID namespace it is refused", got.err)
    tap.ok(not os.path.exists(out), "and leaves nothing behind")


if not shutil.which("unshare"):
    tap.skip("in a PID namespace it is refused", "no unshare (package util-linux)")
else:
    refused_in_namespace()

if not IN_NAMESPACE:
    left_out("io_uring", "--io=uring")
    left_out("pwrite", "--io=pwrite")
    left_out("a writer for each CPU, compressed", "--threads=cpu", "-z")
    left_out("as perf calls it", "--exclude-perf")

    one = tap.path("one")
    pid, status, err = record(one, "-e", "sched:sched_process_exit", "--filter", 'comm == "true" || comm == "sleep"',
                              "--exclude-self", "-a", "--", "sh", "-c", "true; env true; sleep 0.1")
    found = [rest for _, _, rest in samples(one)]
    tap.ok(status == 0 and found and all(re.search("comm=(true|sleep)", rest) for rest in found),
           "--filter still holds, its 'or' included", f"{err}\n{found}")
    pid, status, err = record(tap.path("left-in"), "-e", "cpu-clock,raw_syscalls:*,task-clock", "--exclude-self", "-a",
                              "--", "sleep", "0.1")
    tap.ok(status == 0 and "these events include it: cpu-clock, task-clock\n" in err, "events that cannot be filtered are named", err)

pid, status, err = record(tap.path("command"), *EVENTS, "-e", "cpu-clock", "--exclude-self", "--", "true")
tap.ok(status == 0 and "left out" not in err, "with a command there is nothing to leave out", err)
tap.done()
