#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reports of dumped stacks: cpu-clock at 20 kHz with --call-graph dwarf on two compilers for SECONDS (10).

The same directory is read by perf report, by perf report --no-inline and by tstream report: seconds, memory and how many
times quicker ours is. RUNS (3) of ours; perf, which takes minutes, is run PERF_RUNS times (1), for at most LIMIT seconds (600).
WITH_INLINE=1 has perf look for inlined functions, too. Beside it how long it takes to read all bytes of the streams. COLD=1 drops
the streams from the page cache before each run.
"""
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from benchlib import TSTREAM, machine  # noqa: E402

SECONDS = os.environ.get("SECONDS", "10")
RUNS = int(os.environ.get("RUNS", "3"))
PERF_RUNS = int(os.environ.get("PERF_RUNS", "1"))
LIMIT = int(os.environ.get("LIMIT", "600"))
FUNCTION = """
int f%(i)d(int a, int *b, double c)
{
	for (int i = 0; i < a; i++)
		switch ((a ^ i) %% 7) {
		case 0: b[i] += i * %(i)d + (int)c; break;
		case 1: b[i] ^= b[a - i] << %(shift)d; break;
		case 2: c = c * 1.5 + b[i]; break;
		default: b[i] = f%(before)d(a - 1, b + 1, c);
		}
	return a + (int)c;
}
"""


def timed(command, limit=None):
    """(seconds, MiB resident at most); None where it took longer than the limit."""
    before = time.monotonic()
    child = subprocess.Popen(["/usr/bin/time", "-f", "%M", *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                             start_new_session=True)
    try:
        err = child.communicate(timeout=limit)[1]
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, 15)
        child.communicate()
        return None
    return time.monotonic() - before, int(err.split()[-1]) / 1024


def drop(capture):
    if os.environ.get("COLD"):
        for name in os.listdir(capture):
            with open(os.path.join(capture, name), "rb") as f:
                os.fsync(f.fileno())
                os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def median(runs):
    return tuple(statistics.median(column) for column in zip(*runs))


def report(capture, *options):
    drop(capture)
    return timed([TSTREAM, "report", "-q", *options, "-i", capture])


def read_all(capture):
    drop(capture)
    before = time.monotonic()
    for name in os.listdir(capture):
        if name.startswith("data."):
            with open(os.path.join(capture, name), "rb", buffering=0) as f:
                while f.read(1 << 20):
                    pass
    return time.monotonic() - before


def main():
    where = tempfile.mkdtemp(prefix="tstream-bench.", dir=os.environ.get("TMPDIR", "/var/tmp"))
    try:
        source, capture = os.path.join(where, "big.c"), os.path.join(where, "cap")
        with open(source, "w") as f:
            f.write("int f0(int a, int *b, double c) { return a + b[0] + (int)c; }\n")
            for i in range(1, 6000):
                f.write(FUNCTION % {"i": i, "shift": i % 31, "before": i - 1})
        work = f"for i in 1 2; do timeout {SECONDS} sh -c 'while :; do gcc -O2 -c {source} -o /dev/null; done' & done; wait"
        subprocess.run([TSTREAM, "record", "-q", "-e", "cpu-clock", "-F", "20000", "--call-graph", "dwarf", "-a", "-o", capture, "--",
                        "sh", "-c", work], stderr=subprocess.DEVNULL)
        with open(os.path.join(capture, "tstream.json")) as f:
            json.load(f)
        size = sum(os.path.getsize(os.path.join(capture, name)) for name in os.listdir(capture))
        said = subprocess.run([TSTREAM, "report", "-v", "-i", capture], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True).stderr
        samples, frames = (int(n) for n in re.search(r"unwound (\d+) samples, (\d+) frames", said).groups())
        print(machine())
        print(f"{samples} samples unwound, {frames} frames, {size / 1e9:.2f} GB")
        print(f"reading the streams: {statistics.median(read_all(capture) for _ in range(RUNS)):.2f} s")
        plain = median([report(capture, "--unwind=no") for _ in range(RUNS)])
        ours = median([report(capture) for _ in range(RUNS)])
        print(f"tstream report --unwind=no: {plain[0]:.2f} s, {plain[1]:.0f} MiB")
        print(f"tstream report: {ours[0]:.2f} s, {ours[1]:.0f} MiB; {(ours[0] - plain[0]) * 1e9 / frames:.0f} ns a frame for all of "
              "unwinding and its call graphs")
        for options in [["--no-inline"]] + ([[]] if os.environ.get("WITH_INLINE") else []):
            command = ["perf", "report", "--stdio", *options, "-i", capture]
            runs = [timed(command, LIMIT) for _ in range(PERF_RUNS)]
            name = " ".join(["perf report", *options])
            if not runs:
                continue
            if None in runs:
                print(f"{name}: not done after {LIMIT} s, more than {LIMIT / ours[0]:.0f} times ours")
            else:
                theirs = median(runs)
                print(f"{name}: {theirs[0]:.2f} s, {theirs[1]:.0f} MiB; {theirs[0] / ours[0]:.1f} times ours")
    finally:
        shutil.rmtree(where)


if shutil.which("perf") and os.path.exists("/usr/bin/time") and shutil.which("gcc"):
    main()
else:
    print("skipped: needs perf, gcc and /usr/bin/time")
