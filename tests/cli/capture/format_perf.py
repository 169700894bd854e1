#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""perf is the judge of the format: it reads every sample of streams with chunks, index, padding and
compression, and of a stream whose recorder died at any page of any write of a block."""
import os
import re
import shutil
import struct
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import damage
import stream_doc as doc
import tap


if not shutil.which("perf"):
    tap.skip_all("perf is not installed (package linux-perf)")


def records_of(where, name):
    """The bytes of a stream; of `data` its records, which its header names at 40."""
    with open(os.path.join(where, name), "rb") as f:
        data = f.read()
    if name == "data":
        offset, size = struct.unpack_from("QQ", data, 40)
        return data[offset:offset + size]
    return data


def count(where):
    """What is in the capture, by the document: type of record -> how many."""
    counts = {}
    for name in sorted(os.listdir(where)):
        if name.startswith("data"):
            for _, _, values in doc.walk(records_of(where, name)):
                counts[values["type"]] = counts.get(values["type"], 0) + 1
    return counts


def perf_counts(where):
    """The same by perf report --stats, or what went wrong."""
    stats = tap.run("perf", "report", "--stats", "-i", where)
    if stats.status or stats.err:
        return f"perf report: status {stats.status}, {stats.err}"
    found = dict(re.findall(r"^ +(\w+) events: +(\d+)  \(", stats.out, re.M))
    return {name: int(n) for name, n in found.items()}


def script_lines(where):
    script = tap.run("perf", "script", "-i", where, "-F", "time")
    if script.status or script.err:
        return f"perf script: status {script.status}, {script.err}"
    return script.out.count("\n")


def check_whole(kind):
    where, laid = damage.lay(kind)
    in_files = count(where)
    counts = perf_counts(where)
    tap.equal(script_lines(where), laid, f"{kind}: perf script prints every sample")
    tap.ok(isinstance(counts, dict) and counts.get("SAMPLE") == laid,
           f"{kind}: perf report --stats counts every sample", counts)
    tap.ok(isinstance(counts, dict) and counts.get("EVENT_TYPE") == in_files[65],
           f"{kind}: and every record of type 65 ({in_files[65]})", counts)
    tap.ok(isinstance(counts, dict) and counts.get("COMPRESSED", 0) == in_files.get(81, 0),
           f"{kind}: and every record of type 81 ({in_files.get(81, 0)})", counts)


def check_cut(state):
    """A sentence about what is wrong after so many states, or None."""
    where, _ = damage.lay("cut", str(state))
    try:
        in_file = count(where)
    except doc.Bad as bad:
        return f"state {state}: {bad}"
    lines = script_lines(where)
    if lines != in_file.get(9, 0):
        return f"state {state}: {in_file.get(9, 0)} samples, perf says {lines}"
    return None


check_whole("plain")
check_whole("compressed")
_, states = damage.lay("cut")
chosen = sorted({*range(0, states, 3), *range(states - 5, states + 1)})
wrong = [w for w in map(check_cut, chosen) if w]
tap.ok(not wrong, f"perf reads a stream cut at any of {len(chosen)} instants of laying a block",
       "\n".join(wrong[:10]))
tap.done()
