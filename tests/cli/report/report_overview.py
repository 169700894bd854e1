#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The comments above the rows: what was captured in one line, and a line for each thing that is not right with it."""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import perf_file  # noqa: E402
import tap  # noqa: E402

LAY = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/lay_capture")
FIRST = ["# To display the perf.data header info, please use --header/--header-only options.", "#", "#"]


def head(capture, *options):
    """The comments up to the first table."""
    out = tap.run(tap.TSTREAM, "report", "-i", capture, *options).out
    return out.split("# Samples: ")[0].splitlines()


def overview(capture, *options):
    """Those of ours among them."""
    return [line for line in head(capture, *options)[3:] if line != "#" and not line.startswith("# Total Lost Samples")]


def lay(kind):
    where = tap.path(kind)
    shutil.rmtree(where, ignore_errors=True)
    tap.run(LAY, where, kind)
    return where


def damage(capture):
    with open(os.path.join(capture, "data.0"), "r+b") as f:
        f.seek(4096 + 1000)
        f.write(b"\xff" * 8)


def made(lost=0):
    program = perf_file.Program(tap.path("prog.so"), ["main"])
    capture = perf_file.PerfFile(chains=False)
    for tid in (7, 8):
        capture.thread(7, tid, "name")
    capture.map(7, program)
    for i in range(10):
        capture.sample(7, 7, 10 ** 9 + i * 50 * 10 ** 6, [program.at("main")])
    if lost:
        capture.lost(lost, 10 ** 9 + 1)
    capture.write(tap.path("made"))
    return tap.path("made")


CAPTURED = "# Captured: 10 samples in 0.450 s, 2 threads"
tap.equal(head(made())[:5], FIRST + ["# Total Lost Samples: 0", "#"], "perf's lines keep their places")
tap.equal(overview(made()), [CAPTURED], "a sound capture has one line")
tap.equal(overview(made(), "-q"), [], "-q: none")
tap.equal(overview(made(3))[:2], [CAPTURED, "# Lost: at least 3 records while recording: ring full 3; see --loss"],
          "what LOST records tell")
tap.equal(overview(made(), "--time", "1.1,1.3"), ["# Captured: 0.450 s, 2 threads"],
          "of a part the samples are not all that there were")
plain = lay("plain")
tap.equal(overview(plain), ["# Captured: 117540 samples in 0.001 s; the recording did not end"], "a recording that did not end")
damage(plain)
lines = overview(plain)
tap.ok(len(lines) == 2 and re.fullmatch(r"# Damaged: 1 place with \d+ bytes, \d+ records that may be wrong; see tstream check " + re.escape(plain), lines[1]),
       "damage: places, bytes, doubtful records, and who lists them", lines)
tap.equal(overview(lay("example")), ["# Captured: 2 samples in 0.000 s; the recording did not end",
                                     "# Lost: at least 5 records while recording: ring full 5; see --loss"],
          "what chunk headers tell")
if tap.can_record_all():
    ours = tap.path("ours")
    tap.run(tap.TSTREAM, "record", "-q", "-e", "cpu-clock", "-o", ours, "--", "sh", "-c",
            "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done")
    lines = overview(ours)
    tap.ok(re.fullmatch(r"# Captured: \d+ samples? in \d+\.\d{3} s on \S+, \d+ threads?", lines[0]), "a recording that ended: the host",
           lines)
    largest = max((os.path.join(ours, name) for name in os.listdir(ours) if name.startswith("data.")), key=os.path.getsize)
    os.truncate(largest, os.path.getsize(largest) // 2)
    lines = overview(ours)
    tap.ok(any(re.match(r"# Damaged: .*1 stream missing or cut short; see ", line) for line in lines), "a stream that is cut short",
           lines)
else:
    tap.skip("a recording that ended", "recording needs root")
tap.done()
