#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A flipped bit in the file `data` that leaves everything possible is noticed by check, by the checksum in tstream.json."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import damage  # noqa: E402
import tap  # noqa: E402
import xxh3  # noqa: E402

if not tap.can_record_all():
    tap.skip_all("recording needs root")
cap, scene = tap.path("cap"), tap.path("scene")
made = tap.run(tap.TSTREAM, "record", "-e", "cpu-clock", "-o", cap, "--", "true")
if made.status:
    sys.exit(made.err)
with open(os.path.join(cap, "data"), "rb") as f:
    data = f.read()
with open(os.path.join(cap, "tstream.json")) as f:
    note = json.load(f)
tap.equal(note["data"]["bytes"], len(data), "tstream.json has the length of data")
tap.equal(note["data"]["xxh3"], f"{xxh3.xxh3_64(data):016x}", "and its checksum")
tap.equal(tap.run(tap.TSTREAM, "check", "-q", cap).status, 0, "the capture is sound")

begin, size = damage.sections(os.path.join(cap, "data"))
kernel = data.index(b"[kernel.kallsyms]") if b"[kernel.kallsyms]" in data else data.index(b"true\0")
release = data.index(os.uname().release.encode(), begin + size)
for what, at in (("a name in a record", kernel + 1), ("a string of a feature", release)):
    where = damage.copy(cap, scene)
    damage.flip(os.path.join(where, "data"), at)
    got = tap.run(tap.TSTREAM, "check", where)
    tap.ok(got.status == 1 and got.out.count(": offset ") == 1 and "its checksum is another" in got.out, f"{what}: named once", got.out)
    tap.ok(tap.run(tap.TSTREAM, "check", "-q", "--repair", where).status == 1 and tap.run(tap.TSTREAM, "check", where + ".repaired").status == 0,
           f"{what}: what is repaired is sound")
where = damage.copy(cap, scene)
with open(os.path.join(where, "data"), "ab") as f:
    f.write(bytes(8))
got = tap.run(tap.TSTREAM, "check", where)
tap.ok(got.status == 1 and f"it has {len(data) + 8} bytes, when it was written {len(data)}" in got.out, "bytes behind its end: named", got.out)
tap.done()
