#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What perf records in its other ways is read as perf reads it: the same samples, the same shares.

Which functions are hit is left out: how symbols without a size are taken differs (docs/differences.md)."""
import functools
import glob
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

if not tap.PERF:
    tap.skip_all("perf is not installed")
if not tap.can_record_all():
    tap.skip_all("recording needs root")

LOOP = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"
CLOCK = ["-e", "cpu-clock", "-F", "999"]
QUICK = ["--no-bpf-event"]  # perf's thread that listens for BPF programs ends a second late: once is enough


def record(name, *mode, workload=LOOP):
    where = tap.path(name)
    quick = QUICK if name != "plain" else []
    made = tap.run(tap.PERF, "record", "-q", *CLOCK, *quick, *mode, "-o", where, "--", "sh", "-c", workload)
    found = sorted(glob.glob(where + "*"))
    return found if made.status == 0 and found else None


def rows(text):
    return sorted(line for line in text.splitlines() if line and not line.startswith("#"))


def compare(name, capture, words):
    his = tap.run(tap.PERF, *words, *(["--stdio"] if words[0] == "report" else []), "-i", capture)
    ours = tap.run(tap.TSTREAM, *words, "-i", capture)
    if "out of order" in his.err:
        tap.skip(f"{name}: {words[0]} as perf's", "perf itself took names or maps too early or too late, and says so")
        return
    tap.ok(his.status == 0 and ours.status == 0 and tap.same_but_cut(rows(his.out), rows(ours.out)),
           f"{name}: {words[0]} as perf's",
           f"{his.status} {his.err[-300:]}\n{his.out[:600]}\n---\n{ours.status} {ours.err[-300:]}\n{ours.out[:600]}")


def alike(name, capture):
    tap.at_once([functools.partial(compare, name, capture, words) for words in (
        ["script", "-F", "comm,tid,time,event"], ["report", "--no-children", "--sort", "comm,dso", "-g", "none"])])


for name, mode in (("overwrite", ["--overwrite"]), ("tail-synthesize", ["--tail-synthesize"]), ("threads and z", ["-g", "-z", "--threads", "-a"]),
                   ("memory fields", ["-d", "--phys-data", "--data-page-size", "--code-page-size", "-W"]), ("cgroups", ["--all-cgroups", "-a"]),
                   ("switches and namespaces", ["--switch-events", "--namespaces", "-a"])):
    made = record(name.replace(" ", "-"), *mode)
    if not made:
        tap.skip(name, f"perf cannot record with {' '.join(mode)} here")
        continue
    alike(name, made[0])

made = record("switched", "--switch-output=signal", workload=f"{LOOP}; kill -USR2 $PPID; sleep 1; {LOOP}")
if made:
    for i, capture in enumerate(made):
        alike(f"switched output, file {i}", capture)
else:
    tap.skip("switched output", "perf cannot record so here")

made = record("plain")
if made:
    injected, folder = tap.path("injected"), tap.path("with-kcore")
    if tap.run(tap.PERF, "inject", "-b", "-i", made[0], "-o", injected).status == 0:
        alike("perf inject", injected)
    else:
        tap.skip("perf inject", "it fails here")
    os.makedirs(os.path.join(folder, "kcore_dir"))
    shutil.copy(made[0], os.path.join(folder, "data"))
    got = tap.run(tap.TSTREAM, "script", "-i", folder)
    tap.ok(got.status == 0 and got.out == tap.run(tap.TSTREAM, "script", "-i", made[0]).out, "a directory with kcore_dir: as the file in it", got.err)
    alike("a directory with kcore_dir", folder)
tap.done()
