#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Disks that fill up or fail under a recording, ext4 and xfs: no space, the user's quota, I/O errors below the filesystem.
Each time the recorder says which file and why, ends with status 1, and what was written can be read by perf, too. And one
that is only slow: the recording goes on, and accounts for what the disk made it lose."""
import json
import os
import re
import subprocess
import sys
import time

import guest

guest.enter(disks=["400M"], programs={"mkfs.xfs": "xfsprogs", "mkfs.ext4": "e2fsprogs", "setquota": "quota",
                                      "dmsetup": "dmsetup"})
sys.path.insert(0, os.path.join(os.environ["abs_srcdir"], "tests/support"))
import tap

DISK, MAPPED, MOUNT, USER = "/dev/vda", "/dev/mapper/failing", "/mnt", 1000
MAKE = {"ext4": ["mkfs.ext4", "-q", "-F", "-O", "quota", "-E", "quotatype=usrquota"], "xfs": ["mkfs.xfs", "-q", "-f"]}
QUOTA = {"ext4": "usrquota", "xfs": "uquota"}
# 8 KiB a sample
RECORD = [tap.TSTREAM, "record", "-a", "-e", "cpu-clock", "-F", "999", "--call-graph", "dwarf", "--threads=socket"]
os.environ["DM_DISABLE_UDEV"] = "1"
with open("/proc/sys/kernel/perf_event_paranoid", "w") as f:
    f.write("-1")


def sh(*command):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def free_bytes():
    fs = os.statvfs(MOUNT)
    return fs.f_bavail * fs.f_frsize


def make(kind, device=DISK, options="defaults"):
    sh(*MAKE[kind], device)
    sh("mount", "-o", options, device, MOUNT)
    os.chmod(MOUNT, 0o777)


def counts(program, cap):
    """(status, {record type: number})"""
    force = ["-f"] if program == "perf" else []  # it reads no files of other users otherwise
    result = tap.run(program, "report", *force, "-i", cap, "--stats", timeout=200)
    return result.status, dict(re.findall(r"^\s*([A-Z_0-9]+) events:\s+(\d+)", result.out, re.M))


def check_readable(name, cap):
    status, mine = counts(tap.TSTREAM, cap)
    tap.ok(int(mine.get("SAMPLE", 0)) > 0, f"{name}: what was written is readable", f"{status} {mine}")
    status, perfs = counts("perf", cap)
    tap.ok(status == 0 and perfs == mine, f"{name}: perf reads the same", f"{status}\n{mine}\n{perfs}")


def check_failed(name, status, err, reason):
    tap.equal(status, 1, f"{name}: the recorder ends with status 1")
    tap.ok(re.search(rf"^tstream: cannot .*{MOUNT}/cap.*: {reason}", err, re.M),
           f"{name}: and names the file and the cause", err)


def full(kind, io):
    name = f"{kind}, --io={io}, disk full"
    make(kind)
    sh("fallocate", "-l", str(free_bytes() - (12 << 20)), MOUNT + "/filler")
    result = tap.run(*RECORD, f"--io={io}", "--min-free=0", "-o", MOUNT + "/cap", timeout=240)
    check_failed(name, result.status, result.err, "No space left on device")
    check_readable(name, MOUNT + "/cap")
    sh("umount", MOUNT)


def quota(kind):
    name = f"{kind}, quota"
    make(kind, options=QUOTA[kind])
    sh("setquota", "-u", str(USER), "0", "12288", "0", "0", MOUNT)
    result = tap.run("setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", *RECORD, "--min-free=0", "-o",
                     MOUNT + "/cap", timeout=240)
    check_failed(name, result.status, result.err, "Disk quota exceeded")
    check_readable(name, MOUNT + "/cap")
    sh("umount", MOUNT)


def load_table(table):
    sh("dmsetup", "suspend", "--nolockfs", "--noflush", "failing")
    sh("dmsetup", "load", "failing", "--table", table)
    sh("dmsetup", "resume", "failing")


def failing(kind):
    name = f"{kind}, I/O errors"
    sectors = int(subprocess.run(["blockdev", "--getsz", DISK], stdout=subprocess.PIPE, check=True).stdout)
    good, bad = f"0 {sectors} linear {DISK} 0", f"0 {sectors} error"
    sh("dmsetup", "create", "failing", "--table", good)
    make(kind, MAPPED)
    log = tap.path("err")
    p = subprocess.Popen([*RECORD, "-o", MOUNT + "/cap"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=open(log, "w"))
    for _ in range(1000):
        if p.poll() is not None or sum(os.path.getsize(f"{MOUNT}/cap/data.{n}") for n in (0, 1)
                                       if os.path.exists(f"{MOUNT}/cap/data.{n}")) > 4 << 20:
            break
        time.sleep(0.1)
    os.sync()  # an I/O error must not meet what the filesystem itself still holds back
    load_table(bad)
    try:
        status = p.wait(timeout=240)
    except subprocess.TimeoutExpired:
        p.kill()
        status = "timeout"
    with open(log) as f:
        check_failed(name, status, f.read(), "Input/output error")
    sh("umount", MOUNT)
    load_table(good)
    sh("mount", MAPPED, MOUNT)
    check_readable(name, MOUNT + "/cap")
    sh("umount", MOUNT)
    sh("dmsetup", "remove", "failing")


def slow(kind):
    """Each write takes 300 ms below the filesystem: stacks come faster than they can leave."""
    name = f"{kind}, slow disk"
    sectors = int(subprocess.run(["blockdev", "--getsz", DISK], stdout=subprocess.PIPE, check=True).stdout)
    sh("modprobe", "dm-delay")
    sh("dmsetup", "create", "failing", "--table", f"0 {sectors} linear {DISK} 0")
    make(kind, MAPPED)
    load_table(f"0 {sectors} delay {DISK} 0 0 {DISK} 0 300")
    result = tap.run(*RECORD, "-m", "256K", "-o", MOUNT + "/cap", "--", "sleep", "12", timeout=240)
    load_table(f"0 {sectors} linear {DISK} 0")
    with open(MOUNT + "/cap/tstream.json") as f:
        note = json.load(f)
    ledger, lost = note["ledger"], note["ledger"]["lost"]
    print(f"# {lost}, {[w['write_max_ns'] // 1000000 for w in note['writers']]} ms, {[w['buffers'] for w in note['writers']]}")
    tap.equal(result.status, 0, f"{name}: the capture ends well")
    tap.ok(all(w["write_max_ns"] > 300_000_000 for w in note["writers"] if w["blocks"]), f"{name}: the disk was slow")
    tap.ok(lost["disk"] > lost["ring_full"], f"{name}: what is lost is the disk's", lost)
    tap.equal(ledger["offered"], ledger["kept"] + sum(lost.values()), f"{name}: every record is kept or counted")
    check_readable(name, MOUNT + "/cap")
    sh("umount", MOUNT)
    sh("dmsetup", "remove", "failing")


load = [subprocess.Popen(["taskset", "-c", str(cpu), "sh", "-c", "while :; do :; done"]) for cpu in (2, 10)]
for kind in MAKE:
    for io in ("uring", "pwrite"):
        full(kind, io)
    quota(kind)
    failing(kind)
    slow(kind)
for p in load:
    p.kill()
tap.done()
