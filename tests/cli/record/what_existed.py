#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# What a capture says about tasks and maps that existed before it began, as perf reads it: the same
# as in a capture that perf made of the same quiet process.
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

QUIET = """
import ctypes, mmap, sys, threading, time
named = threading.Barrier(4)
def sleep():
    ctypes.CDLL(None).prctl(15, b"quiet thread", 0, 0, 0)
    named.wait()
    time.sleep(600)
for i in range(3):
    threading.Thread(target=sleep, daemon=True).start()
code = mmap.mmap(-1, 8192, prot=mmap.PROT_READ | mmap.PROT_EXEC)
named.wait()
print("ready", flush=True)
time.sleep(600)
"""


# The lines of perf script about tasks and maps of one process. A file is told by device and inode
# or by build-id, which both are put aside.
def existed(capture, pid):
    got = tap.run(tap.PERF, "script", "--show-mmap-events", "--show-task-events", "-i", capture)
    if got.status or "rror" in got.err:
        return [f"perf script: {got.status}: {got.err}"]
    lines = []
    for line in got.out.splitlines():
        found = re.search(r"PERF_RECORD_(\w+)(.*)", line)
        if not found or not re.search(rf"\b{pid}[:/]", found[2]):
            continue
        lines.append(found[1] + re.sub(r" (<[0-9a-f]*>|[0-9a-f]+:[0-9a-f]+ \d+ \d+)\]", "]", found[2]))
    return sorted(set(lines))


def record_both(*options):
    theirs, ours = tap.path("perfs"), tap.path("ours")
    event = ("-q", "-e", "context-switches")
    # perf's thread that listens for BPF programs ends a second late
    perf = tap.run(tap.PERF, "record", "--no-bpf-event", *event, "-o", theirs, *options)
    tstream = tap.run(tap.TSTREAM, "record", *event, "-o", ours, *options)
    return perf.status == 0 and tstream.status == 0, perf.err + tstream.err


def compare(pid, sentence, *options):
    recorded, said = record_both(*options, "--", "sleep", "0.2")
    tap.ok(recorded, f"{sentence}: both record", said)
    wanted, got = existed(tap.path("perfs"), pid), existed(tap.path("ours"), pid)
    kinds = {line.split()[0].split("(")[0].rstrip(":") for line in wanted}
    tap.ok({"COMM", "MMAP2"} <= kinds, f"{sentence}: perf tells names and maps", "\n".join(wanted))
    tap.ok(got == wanted, f"{sentence}: the same names and maps as perf",
           "\n".join(["only perf:", *sorted(set(wanted) - set(got)),
                      "only tstream:", *sorted(set(got) - set(wanted))]))


def kernel_maps(capture):
    got = tap.run(tap.PERF, "script", "--show-mmap-events", "-i", capture).out
    return sorted(re.sub(r"^.*PERF_RECORD_", "", line) for line in got.splitlines()
                  if re.search(r"PERF_RECORD_MMAP2? -1/0", line))


def compare_kernel():
    theirs, ours = kernel_maps(tap.path("perfs")), kernel_maps(tap.path("ours"))
    if theirs:
        tap.equal("\n".join(ours), "\n".join(theirs), "kernel and modules are mapped as perf maps them")
    else:
        tap.skip("kernel and modules are mapped as perf maps them", "perf maps none here")


def main():
    if not tap.PERF:
        tap.skip_all("perf is not installed")
    if not tap.can_record_all():
        tap.skip_all("only root may record the whole system")
    quiet = subprocess.Popen([sys.executable, "-c", QUIET], stdout=subprocess.PIPE, text=True)
    try:
        quiet.stdout.readline()
        pid = str(quiet.pid)
        compare(pid, "the whole system", "-a")
        compare_kernel()
        compare(pid, "the whole system with data", "-a", "-d")
        compare(pid, "a process", "-p", pid)
        tid = max(os.listdir(f"/proc/{pid}/task"), key=int)
        compare(pid, "a thread", "-t", tid)
    finally:
        quiet.kill()
        quiet.wait()
    tap.done()


main()
