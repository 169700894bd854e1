#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports beside the report of the same samples, and beside the usual way where there is one.

The capture is perf's own, one file: system calls with -g, the load of read_stacks.py. FLAMEGRAPH names a folder with
stackcollapse-perf.pl and flamegraph.pl; without it that way is left out.
"""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import firefox_file  # noqa: E402
import otlp_file  # noqa: E402
import page_file  # noqa: E402
import perfetto_file  # noqa: E402
import pprof_file  # noqa: E402
from benchlib import TSTREAM, machine, table  # noqa: E402
from read_stacks import record  # noqa: E402
from readers import measure, nr_samples, told, turns  # noqa: E402

FLAMEGRAPH = os.environ.get("FLAMEGRAPH", "")


def usual_way(capture, out):
    return f"perf script --no-inline -i {capture} 2>/dev/null | {FLAMEGRAPH}/stackcollapse-perf.pl | {FLAMEGRAPH}/flamegraph.pl > {out}"


def main():
    if not shutil.which("perf"):
        sys.exit("perf is not installed: there is nothing to record with")
    folder = tempfile.mkdtemp(prefix="tstream-bench.")
    capture, out = os.path.join(folder, "perf.data"), os.path.join(folder, "out")
    record(folder, capture, ["raw_syscalls:sys_enter"])
    names = ["report", "export --format=folded", "report --svg"]
    jobs = [[TSTREAM, "report", "--stdio", "-i", capture], [TSTREAM, "export", "--format=folded", "-f", "-o", out, capture],
            [TSTREAM, "report", "--svg=" + out, "-f", capture]]
    for name, module in (("pprof", pprof_file), ("firefox", firefox_file), ("perfetto", perfetto_file), ("otlp-development", otlp_file)):
        if module.is_built():
            names.append("export --format=" + name)
            jobs.append([TSTREAM, "export", "--format=" + name, "-f", "-o", out, capture])
    if page_file.is_built():
        names.append("report --html")
        jobs.append([TSTREAM, "report", "--html=" + out, "-f", capture])
    measured = turns(jobs)
    lines = [[name, told(m), "%.2f s" % m["cpu"], "%.2f times" % (m["cpu"] / measured[0]["cpu"])] for name, m in zip(names, measured)]
    if FLAMEGRAPH:
        m = measure(["sh", "-c", usual_way(capture, out)])
        lines.append(["perf script, stackcollapse-perf.pl, flamegraph.pl (one run)", told(m), "%.2f s" % m["cpu"], "%.1f times" % (m["cpu"] / measured[0]["cpu"])])
    table("%d samples with call chains, %.0f MB; %s" % (nr_samples(capture), os.path.getsize(capture) / 1e6, machine()),
          ["command", "time, memory", "CPU", "beside report"], lines)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
