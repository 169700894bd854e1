#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures and exports beside the report of the same samples, and beside the usual ways.

The capture is perf's own, one file: system calls with -g, the load of read_stacks.py. FLAMEGRAPH names a folder with
stackcollapse-perf.pl and flamegraph.pl; without it that way is left out. The usual ways run once.
"""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from benchlib import machine, table  # noqa: E402
from export_scale import HEAD, measure, of_capture, remove, size  # noqa: E402
from read_stacks import record  # noqa: E402
from readers import nr_samples  # noqa: E402

FLAMEGRAPH = os.environ.get("FLAMEGRAPH", "")


def usual_ways(capture, out):
    if FLAMEGRAPH:
        yield "perf script, stackcollapse-perf.pl, flamegraph.pl", (
            f"perf script --no-inline -i {capture} 2>/dev/null | {FLAMEGRAPH}/stackcollapse-perf.pl | {FLAMEGRAPH}/flamegraph.pl > {out}")
    yield "perf data convert --to-json", f"perf data convert --force --to-json {out} -i {capture}"


def main():
    if not shutil.which("perf"):
        sys.exit("perf is not installed: there is nothing to record with")
    folder = tempfile.mkdtemp(prefix="tstream-bench.")
    capture, out = os.path.join(folder, "perf.data"), os.path.join(folder, "out")
    record(folder, capture, ["raw_syscalls:sys_enter"])
    lines = list(of_capture(capture, out))
    for name, way in usual_ways(capture, out):
        remove(out)
        m = measure(["sh", "-c", way])
        lines.append([name, m["refused"] or "%.2f s" % m["wall"], "%.2f s with its children" % m["cpu"], "", "%.1f MB" % (size(out) / 1e6), ""])
    table("%d samples with call chains, %.0f MB; %s" % (nr_samples(capture), os.path.getsize(capture) / 1e6, machine()), HEAD, lines)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
