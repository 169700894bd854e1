#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast writers are when their rings are never empty (writer_speed.c): against memcpy, and to the disk against fio.

In memory: GB/s of records per second of the writers' CPU time, into a sink that drops them, with everything a writer
does: copy, walk over the records, chunk headers, checksums; beside it a bare memcpy of the same rings into two buffers
by the same number of threads. One writer, and a writer a CPU, the default layout of a machine of so few.

To the disk: GB/s by the clock, into files in SCRATCH (/var/tmp) past the page cache, by turns with fio: io_uring,
direct, 1 MiB, as many writes under way as there are writers, each file growing.
"""
import json
import os
import shutil
import statistics
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from benchlib import BUILD, RUNS, Run, machine, table  # noqa: E402

PROGRAM = os.path.join(BUILD, "tests/bench/writer_speed")
CPUS = len(os.sched_getaffinity(0))
LAYOUTS = [1] if CPUS == 1 else [1, CPUS]
RINGS = [1, 2, 8, 32, 128]
RECORDS = [64, 104, 8192]  # 104: what 100 bytes take in a ring
MEMORY_MS = os.environ.get("MEMORY_MS", "150")
DISK_MS = os.environ.get("DISK_MS", "2000")
SCRATCH = os.environ.get("SCRATCH", "/var/tmp")


def writer_speed(*words):
    run = Run([PROGRAM] + [str(word) for word in words])
    if run.status:
        sys.exit(run.err)
    return [float(word) for word in run.out.split()]


def medians(rows):
    return [statistics.median(column) for column in zip(*rows)]


def in_memory():
    lines = []
    for writers in LAYOUTS:
        for rings in [n for n in RINGS if n >= writers]:
            for size in RECORDS:
                copy, speed, ns, _, _ = medians([writer_speed(writers, rings, size, MEMORY_MS) for _ in range(RUNS)])
                lines.append(["%d" % writers, "%d" % rings, "%d" % size, "%.1f" % copy, "%.1f" % speed,
                              "%.2f" % (speed / copy), "%.2f" % ns])
    table("Writers without a disk; " + machine(),
          ["writers", "rings", "bytes a record", "memcpy, GB/s", "writers, GB/s", "ratio", "ns a record"], lines)


def fio(writers, folder):
    run = Run(["fio", "--name=stream", "--rw=write", "--bs=1M", "--direct=1", "--ioengine=io_uring",
               "--iodepth=%d" % writers, "--size=64G", "--fallocate=none", "--output-format=json",
               "--runtime=%fs" % (float(DISK_MS) / 1000), "--directory=" + folder, "--unlink=1"])
    if run.status:
        sys.exit(run.err)
    return json.loads(run.out[run.out.index("{"):])["jobs"][0]["write"]["bw_bytes"] / 1e9


def to_disk():
    lines = []
    folder = tempfile.mkdtemp(prefix="tstream-bench.", dir=SCRATCH)
    for writers in LAYOUTS:
        rows = [[fio(writers, folder)] + writer_speed(writers, 8, 104, DISK_MS, folder) for _ in range(RUNS)]
        rate, _, _, _, written, helpers = medians(rows)
        lines.append(["%d" % writers, "%.2f" % rate, "%.2f" % written,
                      "%.2f" % statistics.median(row[4] / row[0] for row in rows), "%.2f" % helpers])
    shutil.rmtree(folder)
    table("Writers to the disk, 8 rings, records of 104 bytes; " + machine(),
          ["writers", "fio, GB/s", "writers, GB/s", "ratio (median of the turns')",
           "CPU time of the kernel's workers, in that of the writers"], lines)


in_memory()
if shutil.which("fio"):
    to_disk()
else:
    print("\nno comparison with the disk's own rate: fio is not installed")
