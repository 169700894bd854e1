#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recording to a filesystem of its own: nothing holds it once tstream has exited."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

place = tap.path("place")
os.mkdir(place)


def mount(options):
    return tap.run("mount", "-t", "tmpfs", "-o", options, "none", place).status == 0


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
tap.done()
