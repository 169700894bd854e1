#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Failures while recording: each system call that a recording needs refused in turn, the disk full, the directory gone.

Whatever fails is said in one sentence with exit status 1; before anything is recorded nothing is left behind, afterwards
what was kept is readable. Nothing hangs.
"""
import errno
import json
import os
import platform
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import refused
import tap

if not tap.can_record_all():
    tap.skip_all("needs the right to record everything")
if not tap.has_tracepoints():
    tap.skip_all("needs tracepoints")
if not tap.PERF:
    tap.skip_all("perf is not installed")
HEAD = (tap.TSTREAM, "record", "-e", "cpu-clock", "-a")


def sentences(err):
    return [l for l in err.splitlines() if l.startswith("tstream: ") and not l.startswith("tstream: note: ")]


if platform.machine() == "x86_64":
    for name in sorted(refused.NUMBERS):
        cap = tap.path("cap")
        result = tap.run(*HEAD, "-o", cap, "--", "true", timeout=30, preexec_fn=refused.system_call(name, errno.EIO))
        said = sentences(result.err)
        if result.status == 0:
            good = not said and tap.perf_counts(cap) is not None
        elif os.path.exists(cap):
            good = result.status == 1 and len(said) == 1 and tap.perf_counts(cap) is not None
        else:
            good = result.status == 1 and len(said) == 1 and said[0].startswith("tstream: cannot ")
        left = os.path.exists(cap + ".new") and name != "unlinkat"
        tap.ok(good and not left, f"{name} refused: said, nothing left behind or readable",
               f"status {result.status} {result.err} left: {os.listdir(tap.scratch)}")
        for folder in (cap, cap + ".new", cap + ".old"):
            shutil.rmtree(folder, True)

    result = tap.run(*HEAD, "-o", tap.path("cap"), "--", "sh", "-c", "sleep 0.3; echo done",
                     preexec_fn=refused.system_call("ppoll", errno.EIO))
    tap.ok(result.status == 1 and len(sentences(result.err)) == 1 and "the command keeps running" in result.err and result.out == "done\n",
           "a command outlives a recording that cannot wait, and is waited for", result.err)
    shutil.rmtree(tap.path("cap"), True)
    result = tap.run(*HEAD, "-o", tap.path("cap"), "--", "sleep", "0.2", preexec_fn=refused.system_call("io_uring_setup", errno.EPERM))
    tap.ok(result.status == 0 and "by pwrite" in result.err, "where io_uring is refused, the summary names pwrite", result.err)
    result = tap.run(*HEAD, "--io=uring", "-o", tap.path("no"), "--", "true",
                     preexec_fn=refused.system_call("io_uring_setup", errno.EPERM))
    tap.ok(result.status == 1 and "io_uring" in result.err and not os.path.exists(tap.path("no")),
           "with --io=uring it is an error", result.err)
else:
    tap.skip("each system call refused in turn", "the numbers are those of x86-64")

# the disk full: what was written is readable, the command goes on and its status counts
small = tap.path("small")
os.mkdir(small)
if tap.run("mount", "-t", "tmpfs", "-o", "size=4m", "none", small).status == 0:
    try:
        work = ("sh", "-c", "dd if=/dev/zero of=/dev/null bs=1 count=200000 2>/dev/null; exit %d")
        for wanted in (0, 7):
            cap = os.path.join(small, "cap")
            result = tap.run(tap.TSTREAM, "record", "-a", "-e", "cpu-clock,page-faults,raw_syscalls:*", "--min-free=0", "-o", cap, "--", *work[:2],
                             work[2] % wanted)
            tap.equal(result.status, wanted or 1, f"disk full, command ends with {wanted}")
            tap.ok("No space left on device" in result.err and len(sentences(result.err)) == 1, "it is said once", result.err)
            tap.ok((tap.perf_counts(cap) or {}).get("SAMPLE", 0) > 0, "what was written before is readable")
            tap.equal(json.load(open(os.path.join(cap, "tstream.json")))["state"], "failed", "and called failed")
            shutil.rmtree(cap, True)
    finally:
        tap.run("umount", small)
else:
    tap.skip("the disk full", "no tmpfs can be mounted here")

# the directory removed under it: an end, and a sentence
cap = tap.path("gone")
for what, remove in (("directory", lambda: shutil.rmtree(cap)), ("stream", lambda: os.unlink(os.path.join(cap, "data.0")))):
    told, answer = os.pipe(), os.pipe()
    p = subprocess.Popen((*HEAD, "--control", f"fd:{told[0]},{answer[1]}", "-o", cap), stderr=subprocess.PIPE,
                         pass_fds=(told[0], answer[1]))
    os.close(answer[1])
    os.write(told[1], b"ping\n")
    os.read(answer[0], 5)  # it records
    remove()
    err = p.communicate(timeout=60)[1].decode()
    tap.ok(p.returncode == 1 and len(sentences(err)) == 1 and "removed" in err and cap in err,
           f"a removed {what} ends the recording, which says so", f"status {p.returncode} {err}")
    shutil.rmtree(cap, True)
tap.done()
