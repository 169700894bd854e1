#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a sample costs report and script as a capture grows, with one worker and with two, and the private memory that they take.

The captures are made by tests/programs/large_capture.c: two streams, chunks of 96 KiB, samples of 56 bytes. SCALE_MOST (1e8) is the
number of samples of the largest one, 5.6 GB; script is measured up to a tenth of that. The page cache is warm. A last table has samples with call chains (tests/programs/lay_story.c) that are all different: what a distinct stack
takes, and with --mem-limit."""
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from benchlib import BUILD, RUNS, TSTREAM, Run, machine, table  # noqa: E402

MOST = int(float(os.environ.get("SCALE_MOST", "1e8")))
LEAST = 100000
STREAMS, KIB, SAMPLE_BYTES = 2, 96, 56
DISTINCT = 600000


def private_bytes(pid):
    try:
        with open(f"/proc/{pid}/status") as f:
            found = re.search(r"RssAnon:\s+(\d+)", f.read())
        return int(found[1]) * 1024 if found else 0
    except OSError:
        return 0


def measure(words):
    """Seconds and the most private memory that was seen, medians of RUNS runs."""
    runs = []
    for _ in range(RUNS):
        begin = time.monotonic()
        process = subprocess.Popen([TSTREAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        most = 0
        while process.poll() is None:
            most = max(most, private_bytes(process.pid))
            try:
                process.wait(0.005)
            except subprocess.TimeoutExpired:
                pass
        runs.append((time.monotonic() - begin, most))
        if process.returncode:
            sys.exit(f"{' '.join(words)}: {process.stderr.read().decode()[:300]}")
    return statistics.median(r[0] for r in runs), statistics.median(r[1] for r in runs)


def cell(words, nr):
    seconds, most = measure(words)
    return f"{seconds / nr * 1e9:.0f} ns, {most / 2**20:.0f} MiB"



def line(folder, nr):
    capture = os.path.join(folder, "cap")
    chunks = max(1, round(nr / STREAMS / (KIB * 1024 // SAMPLE_BYTES)))
    made = Run([os.path.join(BUILD, "tests/programs/large_capture"), capture, str(STREAMS), str(chunks), str(KIB), "1", "0", "complete"])
    if made.status:
        sys.exit(made.err)
    nr = STREAMS * chunks * (KIB * 1024 // SAMPLE_BYTES)
    cells = [cell(["report", "-i", capture, "-j", jobs], nr) for jobs in ("1", "2")]
    cells.append(cell(["script", "-i", capture], nr) if nr <= MOST // 10 * 1.1 else "")
    shutil.rmtree(capture)
    return [f"{nr:.1e}", *cells]


def limits(folder):
    """Every stack another: the tables are what takes memory."""
    capture = os.path.join(folder, "story")
    made = Run([os.path.join(BUILD, "tests/programs/lay_story"), capture, "plain", "2", str(DISTINCT), "100000000", "1"])
    if made.status:
        sys.exit(made.err)
    lines = []
    for limit in ("8G", "256M", "128M", "64M", "32M"):
        seconds, most = measure(["report", "-i", capture, "-j", "2", f"--mem-limit={limit}"])
        lines.append([limit, f"{seconds:.1f} s", f"{most / 2**20:.0f} MiB", f"{most / DISTINCT:.0f}"])
    return lines


def main():
    folder = tempfile.mkdtemp(prefix="tstream-bench.", dir=os.environ.get("SCALE_DIR"))
    lines, nr = [], LEAST
    while nr <= MOST:
        lines.append(line(folder, nr))
        nr *= 10
    table(f"A sample costs; {machine()}", ["samples", "report -j 1", "report -j 2", "script"], lines)
    table(f"{DISTINCT} stacks, all different; {machine()}", ["--mem-limit", "report", "private memory", "bytes a stack"],
          limits(folder))
    shutil.rmtree(folder)


main()
