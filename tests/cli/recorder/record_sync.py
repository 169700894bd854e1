#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--sync: every stream, `data` and the directory are synced; what is left after the power fails has everything that is old enough.

The power fails by copying, under a recorder that goes on, the image in which its filesystem lies: what the filesystem keeps in
memory is not in the copy.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

if not tap.can_record_all():
    tap.skip_all("needs the right to record everything")
if not tap.has_tracepoints():
    tap.skip_all("needs tracepoints")
cap = tap.path("cap")


def syncs_of(folder):
    return [w["syncs"] for w in json.load(open(os.path.join(folder, "tstream.json")))["writers"]]


for io in ("uring", "uring,buffered", "pwrite"):
    p = tap.run(tap.TSTREAM, "record", "-a", "-e", "cpu-clock", "--sync=1h", "--io", io, "-o", cap, "--", "true")
    tap.ok(p.status == 0 and min(syncs_of(cap)) >= 1, f"{io}: every stream is synced at the end", p.err)
    shutil.rmtree(cap)
p = tap.run(tap.TSTREAM, "record", "-a", "-e", "cpu-clock", "-o", cap, "--", "true")
tap.equal(sum(syncs_of(cap)), 0, "none without the option")
shutil.rmtree(cap)


def check_calls():
    """What strace sees with pwrite: fdatasync of streams; other files are synced before they are renamed, directories after."""
    trace = tap.path("trace")
    p = tap.run("strace", "-f", "-qq", "-y", "-o", trace, "-e", "trace=fsync,fdatasync,renameat,renameat2", tap.TSTREAM, "record",
                "-e", "cpu-clock", "--sync=1h", "--io=pwrite", "-o", cap, "--", "true")
    if not os.path.exists(trace) or "ptrace" in p.err:
        return tap.skip("strace sees what is synced", "strace may not trace here")
    calls = re.sub(r"^\d+ +", "", open(trace).read(), flags=re.M)
    tap.equal(len(re.findall(r"^fdatasync\(\d+<[^>]*/data\.\d+>", calls, re.M)), sum(syncs_of(cap)), "strace sees each sync of a stream")
    first = calls[:calls.find("renameat2(")]
    kinds = [re.sub(r"\W*(\w+)\(\d+<[^>]*/(?:cap(?:\.new)?/)?([^>/]+)>.*", r"\1 \2", l) for l in first.splitlines()]
    tap.equal([k for k in kinds if "fdatasync" not in k],
              ["fsync tmp-data", "renameat cap.new", "fsync cap.new", "fsync tmp-tstream.json", "renameat cap.new", "fsync cap.new"],
              "data and tstream.json are synced, then named, then the directory is synced")
    after = calls[calls.find("renameat2("):].splitlines()
    tap.ok(len(after) > 2 and after[1].startswith("fsync(") and after[2].startswith("fsync("),
           "so are directory and parent when the capture gets its name", "\n".join(after[:4]))


if shutil.which("strace"):
    check_calls()
else:
    tap.skip("strace sees what is synced", "strace is not installed")
shutil.rmtree(cap, True)

CALLS = 20000
place, image, copy = tap.path("place"), tap.path("image"), tap.path("copy")


def mount_image():
    """A filesystem that writes nothing back on its own for the time of the test."""
    return (shutil.which("mkfs.ext4") and tap.run("truncate", "-s", "64M", image).status == 0 and
            tap.run("mkfs.ext4", "-q", image).status == 0 and tap.run("mount", "-o", "loop,commit=300", image, place).status == 0)


def calls_in_copy():
    """How many of the calls a machine finds that comes up with the copy; -1: the copy caught the filesystem at work."""
    tap.run("cp", "--sparse=always", image, copy)
    there = tap.path("there")
    os.makedirs(there, exist_ok=True)
    if tap.run("mount", "-o", "loop", copy, there).status:
        return -1
    try:
        out = tap.run(tap.PERF, "script", "-F", "comm,event", "-i", os.path.join(there, "cap"), timeout=100)
        return out.out.count("raw_syscalls:sys_enter") if out.status == 0 else -1
    finally:
        tap.run("umount", there)


def check_power_loss(*options):
    started, err = tap.path("started"), ""
    p = subprocess.Popen((tap.TSTREAM, "record", "-e", "raw_syscalls:sys_enter", "-m", "8M", "--min-free=0", "--flush=50ms", "--sync=100ms",
                          *options, "-o", os.path.join(place, "cap"), "--", "sh", "-c",
                          f"dd if=/dev/zero of=/dev/null bs=1 count={CALLS} status=none; touch {started}; exec sleep 150"),
                         stderr=subprocess.PIPE, text=True)
    late = threading.Timer(100, p.kill)
    late.start()
    while not os.path.exists(started) and p.poll() is None:
        time.sleep(0.02)
    found = -1
    while found < 2 * CALLS and p.poll() is None:
        found = calls_in_copy()
    late.cancel()
    p.terminate()
    err = p.communicate(timeout=60)[1]
    tap.ok(found >= 2 * CALLS, f"{' '.join(options)}: every call is there after the power failed, and perf reads it", f"{found} calls\n{err}")
    os.unlink(started)


os.mkdir(place)
for options in (("--io=uring",), ("--io=uring,buffered",), ("--io=pwrite", "-z")):
    if not tap.PERF or not mount_image():
        tap.skip("what is left after the power failed", "no perf, or no loop devices here")
        break
    try:
        check_power_loss(*options)
    finally:
        tap.run("umount", place)
for leftover in glob.glob(tap.path("*image*")) + glob.glob(tap.path("copy")):
    os.unlink(leftover)
tap.done()
