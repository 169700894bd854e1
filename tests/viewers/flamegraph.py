#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folded stacks beside stackcollapse-perf.pl, and drawn by flamegraph.pl.

FLAMEGRAPH names a folder with both, from https://github.com/brendangregg/FlameGraph (CDDL): no part of this tree.
"""
import collections
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

FOLDER = os.environ.get("FLAMEGRAPH", "")
STACKCOLLAPSE, DRAW = (os.path.join(FOLDER, name) for name in ("stackcollapse-perf.pl", "flamegraph.pl"))
if not FOLDER or not os.path.exists(STACKCOLLAPSE):
    tap.skip_all("FLAMEGRAPH names no folder with stackcollapse-perf.pl and flamegraph.pl")
if not tap.PERF:
    tap.skip_all("no perf")
CALLS = [sys.executable, "-c", "import os\nfor _ in range(40000):\n os.stat('/')\n [i * i for i in range(100)]"]
EVENT = "cpu-clock:u" if os.geteuid() else "cpu-clock"


def shell(text):
    return tap.run("sh", "-c", text)


def folded(text):
    return collections.Counter({line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in text.splitlines()})


def differences(theirs, ours):
    return "\n".join(f"{stack}: {theirs.get(stack)} and {ours.get(stack)}" for stack in {*theirs, *ours} if theirs.get(stack) != ours.get(stack))


perf, cap = tap.path("perf.data"), tap.path("cap")
tap.run(tap.PERF, "record", "-q", "-F", "999", "-g", "-e", EVENT, "-o", perf, "--", *CALLS)
tap.run(tap.TSTREAM, "record", "-q", "-F", "999", "-g", "-e", EVENT, "-o", cap, "--", *CALLS)
for options in ("", "--pid", "--tid", "--kernel", "--all", "--addrs", "--context", "--srcline"):
    theirs = folded(shell(f"{tap.PERF} script --no-inline -i {perf} 2>/dev/null | {STACKCOLLAPSE} {options} 2>/dev/null").out)
    ours = folded(shell(f"{tap.TSTREAM} script -i {perf} | {STACKCOLLAPSE} {options} 2>/dev/null").out)
    tap.ok(theirs == ours and len(ours) > 10, f"stackcollapse-perf.pl {options or 'without options'}: the scripts of perf and of tstream are the same to it",
           differences(theirs, ours)[:1000])

for name, capture in (("a capture of perf's", perf), ("a capture of ours", cap)):
    script = shell(f"{tap.TSTREAM} script -i {capture} | {STACKCOLLAPSE}")
    ours = tap.run(tap.TSTREAM, "export", "--format=folded", "--weight=period", "-o", "-", capture)
    # Code without a name in [vdso] is [[vdso]] there and [vdso] here.
    theirs, ours = folded(re.sub(r"\[\[(\w+)\]\]", r"[\1]", script.out)), folded(ours.out)
    tap.ok(theirs == ours and len(ours) > 10, f"{name}: export writes what stackcollapse-perf.pl makes of the script", differences(theirs, ours)[:1000])



def marked_names(text):
    return {name for stack in folded(text) for name in stack.split(";") if name.endswith("_[k]")}


ours = marked_names(tap.run(tap.TSTREAM, "export", "--format=folded", "--annotate", "-o", "-", perf).out)
theirs = marked_names(shell(f"{tap.TSTREAM} script -i {perf} | {STACKCOLLAPSE} --kernel").out)
if os.geteuid():
    tap.skip("--annotate marks the functions of the kernel that stackcollapse-perf.pl marks", "only root records the kernel")
else:
    tap.ok(ours == theirs and len(ours) > 5, "--annotate marks the functions of the kernel that stackcollapse-perf.pl marks", f"{ours ^ theirs}")

lines = tap.path("lines.folded")
tap.run(tap.TSTREAM, "export", "--format=folded", "-o", lines, cap)
drawn = tap.run(DRAW, lines)
with open(lines, encoding="utf-8") as f:
    total = sum(folded(f.read()).values())
tap.ok(drawn.status == 0 and re.search(rf"<title>all \({total:,} samples, 100%\)</title>", drawn.out), "flamegraph.pl draws all samples", drawn.err + drawn.out[-300:])
tap.done()
