#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recording to a filesystem of its own: a full disk keeps what fits, nothing holds it once tstream has exited."""
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

place = tap.path("place")
os.mkdir(place)


def mount(options):
    return tap.run("mount", "-t", "tmpfs", "-o", options, "none", place).status == 0


if not tap.has_tracepoints():
    tap.skip_all("needs tracepoints")
if os.geteuid() != 0 or not mount("size=64M"):
    tap.skip_all("must be allowed to mount a tmpfs")
tap.run("umount", place)

for io in ("uring", "pwrite"):
    told = ""
    for _ in range(3):
        mount("size=64M")
        told += tap.run(tap.TSTREAM, "record", "-q", "--io", io, "-o", place + "/cap", "--", "true").err
        told += tap.run("umount", place).err
        tap.run("umount", "-l", place)
    tap.ok(not told, f"{io}: the filesystem can be unmounted when tstream has exited", told)


# 800,000 records, far more than the disk has room for however well they compress
CALLS = ("dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=200000", "status=none")


def check_full(sentence, *options):
    """Records to the full disk until it has ended: what fits is there, perf reads it, and the rest is counted."""
    cap = place + "/cap"
    result = tap.run(tap.TSTREAM, "record", "-e", "raw_syscalls:*", "--min-free=0", *options, "-o", cap, "--", *CALLS)
    tap.ok(result.status == 1 and "No space left" in result.err, f"{sentence}: says that the disk is full", result.err)
    told = re.search(r"(\d+) samples.* (\d+) disk\)", result.err)
    tap.ok(told and int(told[1]) > 100 and int(told[2]) > 0, "keeps what fits, and counts the rest", result.err)
    tap.equal(json.load(open(cap + "/tstream.json"))["state"], "failed", "there is room to say so in tstream.json")
    checked = tap.run(tap.TSTREAM, "check", cap)
    tap.ok(checked.status == 0 and "sound (its recorder failed," in checked.out, "check finds it sound, and says that it failed", checked.out)
    if not tap.PERF:
        return tap.skip("perf reads it", "perf is not installed")
    stats = tap.run(tap.PERF, "report", "--stats", "-i", cap)
    kept = re.search(r"SAMPLE events: +(\d+)", stats.out)
    tap.ok(told and kept and kept[1] == told[1] and "rror" not in stats.err, "perf reads it, to the sample",
           f"{result.err}\n{stats.out}\n{stats.err}")


for io in ("uring", "pwrite"):
    for compress in ((), ("-z",)):
        mount("size=256K")
        check_full(" ".join((io, *compress)), "--io", io, *compress)
        tap.run("umount", place)


mount("size=256K")
with open(place + "/fill", "wb") as fill:
    fill.write(b"x" * (248 << 10))
result = tap.run(tap.TSTREAM, "record", "-e", "raw_syscalls:*", "--min-free=0", "-o", place + "/cap", "--", "true")
tap.ok(result.status == 1 and "No space left" in result.err and "make room, or choose another filesystem" in result.err,
       "a disk that is full from the start: nothing is recorded, and said so", result.err)
tap.equal(os.listdir(place), ["fill"], "and nothing is left there")
tap.run("umount", place)


def mount_ext4():
    image = tap.path("image")
    return (shutil.which("mkfs.ext4") and tap.run("truncate", "-s", "1M", image).status == 0 and
            tap.run("mkfs.ext4", "-q", "-O", "^has_journal", image).status == 0 and
            tap.run("mount", "-o", "loop", image, place).status == 0)


for io in ("uring", "pwrite", "uring,buffered"):
    if not mount_ext4():
        tap.skip("a full ext4", "no loop devices here")
        break
    fill = open(place + "/fill", "wb")
    free = os.statvfs(place)
    fill.write(b"x" * (free.f_bavail * free.f_bsize - 96 * 1024))
    fill.close()
    check_full(f"ext4, {io}", "--io", io)
    tap.run("umount", place)
tap.done()
