#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One second of a capture of SLICE_GB (100) GB with chunks of 96 KiB: report and script with a cold cache, with the final index
and as a killed recorder leaves it. The capture is made by tests/programs/large_capture.c: what may not be read are holes, so it
takes little room on the disk, and a reader that strays finds damage. Needs root, to empty the page cache."""
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from benchlib import BUILD, RUNS, TSTREAM, Run, machine, medians, table  # noqa: E402

GB = int(os.environ.get("SLICE_GB", "100"))
STREAMS, KIB, SECONDS, AT = 2, 96, 1000, 600
CHUNKS = GB * 10 ** 9 // (STREAMS * (KIB * 1024 + 152)) + 1
SECOND = ["--time", f"{1000 + AT},{1000 + AT}.999999999"]


def measure(command, capture):
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w") as f:
        f.write("3")
    run = Run([TSTREAM, command, "-v", "-i", capture, *SECOND])
    read = re.search(r"Read (\d+) of (\d+) chunks, (\d+) of (\d+) bytes", run.err)
    if run.status or not read:
        sys.exit(f"{command}: status {run.status}: {run.err[:500]}")
    chunks, of_chunks, read_bytes, of_bytes = (int(n) for n in read.groups())
    return {"wall": run.wall, "cpu": run.cpu, "rss": run.rss_mib, "chunks": chunks, "of_chunks": of_chunks,
            "bytes": read_bytes, "of_bytes": of_bytes}


def line(kind, command, capture):
    m = medians([measure(command, capture) for _ in range(RUNS)])
    return [f"{command}, {kind}", f"{m['wall']:.2f} s", f"{m['cpu']:.2f} s", f"{m['rss']:.0f} MiB",
            f"{m['chunks']:.0f} of {m['of_chunks']:.0f}", f"{m['bytes'] / 1e6:.0f} MB of {m['of_bytes'] / 1e9:.0f} GB"]


def main():
    if os.geteuid():
        sys.exit("only root can empty the page cache")
    folder = tempfile.mkdtemp(prefix="tstream-bench.", dir=os.environ.get("SLICE_DIR"))
    lines = []
    for kind in ("complete", "killed"):
        capture = os.path.join(folder, kind)
        made = Run([os.path.join(BUILD, "tests/programs/large_capture"), capture, str(STREAMS), str(CHUNKS), str(KIB), str(SECONDS),
                    str(AT), kind])
        if made.status:
            sys.exit(made.err)
        lines += [line(kind, command, capture) for command in ("report", "script")]
        shutil.rmtree(capture)
    table(f"One second of {SECONDS}; {machine()}", ["command", "time", "CPU", "memory", "chunks read", "bytes read"], lines)
    shutil.rmtree(folder)


main()
