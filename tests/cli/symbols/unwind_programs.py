#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stacks of programs that were linked or compiled in other ways are unwound: with known callers, and as libdw does it."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

if os.uname().machine != "x86_64":
    tap.skip_all("unwind tables are made for x86-64")
if not tap.can_record_all():
    tap.skip_all("recording needs root")

DEEP = ("in_handler", "on_signal", "compare", "through_realigned", "through_alloca", "through_frames", "main")
PROGRAMS = (
    ("deep_calls_static", "that is static-pie", "150", DEEP),
    ("deep_calls_framed", "with nothing but a compressed .debug_frame", "150", DEEP),
    ("landing_pads", "that cleans up in landing pads", "80", ("clean_up", "goes_down", "thread")),
)


def stacks(capture):
    got = tap.run(tap.TSTREAM, "script", "--unwind=both", "-F", "ip,sym", "-i", capture)
    return [[name.removesuffix(".cold") for name in re.findall(r"^\s+[0-9a-f]+ (\S+)", block, re.M)]
            for block in got.out.split("\n\n")], got.err


for name, what, amount, callers in PROGRAMS:
    capture = tap.path(name)
    program = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs", name)
    made = tap.run(tap.TSTREAM, "record", "-q", "-e", "cpu-clock:u", "-F", "1000", "-m", "8M", "--call-graph", "dwarf", "-o", capture,
                   "--", program, amount)
    tap.ok(made.status == 0, f"a program {what} is recorded", made.err)
    found, said = stacks(capture)
    inner = [stack for stack in found if stack[:1] == [callers[0]]]
    known = [stack for stack in inner if [f for i, f in enumerate(stack) if f in callers and f != stack[i - 1]] == list(callers)]
    tap.ok(len(known) > 10 and len(known) >= 0.8 * len(inner), "it has its callers", f"{len(known)} of {len(inner)}: {inner[:2]}")
    tap.ok(re.search(r"^tstream: note: libdw unwinds 0 of [1-9]\d* samples differently$", said, re.M), "libdw finds the same", said)
tap.done()
