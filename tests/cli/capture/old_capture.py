#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An earlier capture is put aside, and the one before it removed, before anything is enabled: freeing a large file takes the disk's
time, and a recorder that waits for it loses events."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

if not tap.can_record_all():
    tap.skip_all("needs the right to record everything")
if not shutil.which("strace"):
    tap.skip_all("strace is not installed")

cap, trace = tap.path("cap"), tap.path("trace")
for _ in range(2):
    tap.run(tap.TSTREAM, "record", "-a", "-e", "cpu-clock", "-o", cap, "--", "true")
inodes = [os.stat(os.path.join(folder, "data.0")).st_ino for folder in (cap, cap + ".old")]
p = tap.run("strace", "-f", "-qq", "-o", trace, "-e", "trace=ioctl,unlinkat,unlink,ftruncate,truncate,renameat,renameat2,rename",
            tap.TSTREAM, "record", "-a", "-e", "cpu-clock", "-o", cap, "--", "true")
if p.status or not os.path.exists(trace):
    tap.skip_all(f"strace may not trace here: {p.err}")
lines = [l.split(None, 1)[1] for l in open(trace)]
enabled = next(i for i, l in enumerate(lines) if "PERF_EVENT_IOC_ENABLE" in l)
removed = [i for i, l in enumerate(lines) if l.startswith("unlinkat(") and ('"data' in l or '"cap.old"' in l)]
renamed = [i for i, l in enumerate(lines) if l.startswith("renameat2(")]
tap.ok(len(removed) >= 3 and max(removed) < enabled, "the oldest capture is removed before anything is enabled", "".join(lines))
tap.ok(len(renamed) == 2 and max(renamed) < enabled, "the former one and the new one have their names before anything is enabled",
       "".join(lines))
later = [l for l in lines[enabled:] if not l.startswith("ioctl(") and '"tmp-' not in l and l.startswith(("unlink", "ftruncate", "truncate", "rename"))]
tap.ok(not later, "nothing is removed or cut while recording", "".join(later))
tap.equal(os.stat(os.path.join(cap + ".old", "data.0")).st_ino, inodes[0], "what stood there is now .old")
tap.done()
