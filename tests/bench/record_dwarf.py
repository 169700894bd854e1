#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recorders under dumped stacks: cpu-clock at 20 kHz with --call-graph dwarf, on as many compilers as CPUs.

A sample has 8 KiB of stack, so two CPUs make 330 MB/s. For each recorder, with the rings it takes by default and with
4 MiB: the share of samples that was lost, the samples and the recorder's own CPU time. Ours counts its losses
in tstream.json; perf's are read out of its file's record headers: what LOST and LOST_SAMPLES records say, the larger of
the two sums, as newer perf writes the second at the end. No capture is reported on, which would take minutes.

The kernel lowers the highest sampling rate by itself where hardware samples take long; then this measures something
else, and says so instead: raise kernel.perf_event_max_sample_rate before.
"""
import json
import mmap
import os
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from benchlib import RUNS, TSTREAM, Run, machine, medians, table  # noqa: E402

RATE_HZ = 20000
SECONDS = os.environ.get("SECONDS", "3")
CPUS = len(os.sched_getaffinity(0))
WHAT = ["-e", "cpu-clock", "-F", str(RATE_HZ), "--call-graph", "dwarf", "-a", "-o", "OUT"]
PERF, OURS = ["perf", "record", "-q", "-B"], [TSTREAM, "record", "-q"]
RECORDERS = [
    ("perf record", PERF),
    ("perf record --aio=4", PERF + ["--aio=4"]),
    ("perf record --threads=cpu", PERF + ["--threads=cpu"]),
    ("tstream record", OURS),
    ("tstream record -m 512K", OURS + ["-m", "512K"]),
    ("perf record -m 4M", PERF + ["-m", "4M"]),
    ("perf record --aio=4 -m 4M", PERF + ["--aio=4", "-m", "4M"]),
    ("perf record --threads=cpu -m 4M", PERF + ["--threads=cpu", "-m", "4M"]),
    ("tstream record -m 4M", OURS + ["-m", "4M"]),
]
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


def write_source(path):
    with open(path, "w") as f:
        f.write("int f0(int a, int *b, double c) { return a + b[0] + (int)c; }\n")
        for i in range(1, 6000):
            f.write(FUNCTION % {"i": i, "shift": i % 31, "before": i - 1})


def start_compilers(source):
    """Sessions of their own, so that each can be ended with the compiler that its shell runs just then."""
    loop = "while :; do cc -O2 -S -o /dev/null %s; done" % source
    return [subprocess.Popen(["sh", "-c", loop], start_new_session=True, stdin=subprocess.DEVNULL)
            for _ in range(CPUS)]


def stop(processes):
    for process in processes:
        os.killpg(process.pid, 9)
        process.wait()


def count_headers(path, at, end, sums):
    """Adds up SAMPLE, LOST and LOST_SAMPLES records between two offsets of a file."""
    with open(path, "rb") as f, mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ) as data:
        while at + 8 <= end:
            kind, _, size = struct.unpack_from("<IHH", data, at)
            if size < 8:
                break
            if kind == 9:
                sums["samples"] += 1
            elif kind == 2:
                sums["lost"] += struct.unpack_from("<Q", data, at + 16)[0]
            elif kind == 13:
                sums["lost_samples"] += struct.unpack_from("<Q", data, at + 8)[0]
            at += size


def of_perf(capture):
    sums = {"samples": 0, "lost": 0, "lost_samples": 0}
    header = os.path.join(capture, "data") if os.path.isdir(capture) else capture
    with open(header, "rb") as f:
        start, size = struct.unpack_from("<2Q", f.read(64), 40)
    count_headers(header, start, start + size, sums)
    if os.path.isdir(capture):
        for name in os.listdir(capture):
            path = os.path.join(capture, name)
            if name.startswith("data.") and os.path.getsize(path):
                count_headers(path, 0, os.path.getsize(path), sums)
    return sums["samples"], max(sums["lost"], sums["lost_samples"])


def of_ours(capture):
    with open(os.path.join(capture, "tstream.json")) as f:
        rings = [ring for ring in json.load(f)["rings"] if ring["kind"] == "samples"]
    return sum(ring["samples"] for ring in rings), sum(ring["lost"] for ring in rings)


def record(command, folder):
    capture = os.path.join(folder, "cap")
    run = Run([word.replace("OUT", capture) for word in command + WHAT] + ["--", "sleep", SECONDS])
    if run.status:
        sys.exit("%s: %s" % (" ".join(command), run.err))
    # in a process of its own: this one must stay small, as the memory of a child counts from its fork on
    kept, lost = map(int, Run([sys.executable, os.path.abspath(__file__), "count", capture]).out.split())
    shutil.rmtree(capture) if os.path.isdir(capture) else os.remove(capture)
    return {"lost": 100.0 * lost / (kept + lost), "kept": kept, "cpu": run.cpu}


def refuse_lowered_rate():
    with open("/proc/sys/kernel/perf_event_max_sample_rate") as f:
        highest = int(f.read())
    if highest < RATE_HZ:
        print("\nnothing recorded at %d Hz: kernel.perf_event_max_sample_rate is %d" % (RATE_HZ, highest))
        sys.exit(0)


def main():
    refuse_lowered_rate()
    only = os.environ.get("ONLY", "")
    recorders = [r for r in RECORDERS if r[0].startswith(only) and (r[1][0] != "perf" or shutil.which("perf"))]
    results = {name: [] for name, _ in recorders}
    folder = tempfile.mkdtemp(prefix="tstream-bench.", dir=os.environ.get("SCRATCH", "/var/tmp"))
    source = os.path.join(folder, "large.c")
    write_source(source)
    compilers = start_compilers(source)
    try:
        for _ in range(RUNS):
            for name, command in recorders:
                results[name].append(record(command, folder))
    finally:
        stop(compilers)
        shutil.rmtree(folder)
    lines = []
    for name, rows in results.items():
        m = medians(rows)
        lines.append([name, "%.2f %% (at most %.2f %%)" % (m["lost"], max(row["lost"] for row in rows)),
                      "%d" % m["kept"], "%.2f s" % m["cpu"]])
    table("cpu-clock at 20 kHz, --call-graph dwarf, %s s, %d compilers; %s" % (SECONDS, CPUS, machine()),
          ["recorder", "lost", "samples kept", "recorder's CPU"], lines)


if sys.argv[1:2] == ["count"]:
    print(*(of_ours if os.path.exists(os.path.join(sys.argv[2], "tstream.json")) else of_perf)(sys.argv[2]))
else:
    main()
