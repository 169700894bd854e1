#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command lines of perf's threaded mode, for real on this machine's CPUs; perf reads every capture."""
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

if not tap.can_record_all():
    tap.skip_all("needs the right to record everything")
if not tap.PERF:
    tap.skip_all("perf is not installed")
CPUS = tap.online_cpus()
first, last = CPUS[0], CPUS[-1]
number = 0
work = ("sh", "-c", "i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done; sleep 0.03; ls /proc >/dev/null")


def record(options, streams, command=work, events=("-e", "cpu-clock"), want_samples=True):
    global number
    number += 1
    cap = tap.path(f"cap{number}")
    result = tap.run(tap.TSTREAM, "record", *events, *options, "-o", cap, "--", *command)
    name = " ".join(options)
    if not tap.ok(result.status == 0, f"record {name}", result.err):
        return None
    found = sorted(f for f in os.listdir(cap) if f.startswith("data."))
    tap.equal(len(found), streams, f"{name}: streams")
    counts, lines = tap.perf_reads(cap)
    tap.ok(counts is not None and lines is not None and (counts.get("SAMPLE", 0) > 0 or not want_samples),
           f"{name}: perf report and perf script read it", f"{counts} {lines}\n{result.err}")
    return cap


def compute(seconds):
    """Has had so much CPU time itself: -a has that many samples, however busy the CPUs are."""
    enough = time.process_time() + seconds
    while time.process_time() < enough:
        pass


def sysfs_groups(part):
    seen = set()
    for c in CPUS:
        with open(f"/sys/devices/system/cpu/cpu{c}/topology/{part}") as f:
            seen.add(f.read().strip())
    return len(seen)


n = len(CPUS)
cores, packages = sysfs_groups("thread_siblings_list"), sysfs_groups("package_cpus_list")
nodes = max(1, len([d for d in os.listdir("/sys/devices/system/node") if d.startswith("node") and d[4:].isdigit()])
            if os.path.isdir("/sys/devices/system/node") else 1)
for options, streams in ((["--threads"], n), (["--threads="], n), (["--threads=cpu"], n), (["--threads=core"], cores),
                         (["--threads=socket"], packages), (["--threads=package"], packages), (["--threads=numa"], nodes)):
    record(options, streams)
    record(["-a", *options], streams)
half = [c for c in CPUS if c < CPUS[n // 2]] or CPUS
rest = [c for c in CPUS if c not in half]
text = lambda cpus: ",".join(map(str, cpus))
if rest:
    masks = f"--threads={text(half)}/{half[-1]}:{text(rest)}/{rest[0]}"
    record([masks], 2)
    record(["-a", masks], 2)
    record(["-C", f"{half[-1]},{rest[0]}", masks], 2)
    record(["-C", f"{first},{last}", masks], 2)
    result = tap.run(tap.TSTREAM, "record", "-e", "cpu-clock", "-C", str(first), masks, "-o", tap.path("no"), "--", "true")
    tap.ok(result.status == 2 and not os.path.exists(tap.path("no")), "a pair that -C leaves nothing to drain is refused",
           result.err)
record(["-C", text(reversed(CPUS)), "--threads=core"], cores)
record(["-C", text(reversed(CPUS)), "--threads=numa"], nodes)
record(["-C", str(last), "--threads=cpu"], 1, command=("taskset", "-c", str(last), *work))
record(["--threads", "-g", "--call-graph", "dwarf,4096"], n)
record(["--threads", "-g", "--call-graph", "dwarf,4096", "--compression-level=3"], n)
record(["--threads", "-a", "-z"], n)
if n <= 32:
    record(["-a", "-z", "--aio", "--affinity=node"], n)

# the CPU numbers of a larger machine are refused by name
beyond = f"--threads=0-{last + 3}/0"
result = tap.run(tap.TSTREAM, "record", "-e", "cpu-clock", "-a", beyond, "-o", tap.path("no"), "--", "true")
tap.ok(result.status == 2 and str(last + 1) in result.err and not os.path.exists(tap.path("no")),
       "a CPU that this machine lacks is refused by its number", result.err)

# -D -1 with control, with and without --threads; cpu-cycles falls to cpu-clock where there is no PMU, as with perf
for options in ([], ["--threads"]):
    r, w = os.pipe()
    ra, wa = os.pipe()
    cap = tap.path("control" + "".join(options))
    p = subprocess.Popen((tap.TSTREAM, "record", "-D", "-1", "-e", "cpu-cycles", "-a", *options, "--control", f"fd:{r},{wa}",
                          "-o", cap, "--", "sleep", "600"), pass_fds=(r, wa), stderr=subprocess.PIPE)
    os.close(r)
    os.close(wa)
    os.write(w, b"enable\n")
    acknowledged = os.read(ra, 5)
    compute(0.1)
    os.write(w, b"stop\n")
    err = p.communicate(timeout=60)[1].decode()
    tap.equal((acknowledged, p.returncode), (b"ack\n\0", 143), f"-D -1 --control {options} ends by stop")
    tap.ok((tap.perf_counts(cap) or {}).get("SAMPLE", 0) > 0, "and has samples", err)
    os.close(w)
    os.close(ra)

# the default output and a named one
os.mkdir(tap.path("home"))
result = tap.run(tap.TSTREAM, "record", "-e", "cpu-clock", "--threads", "-a", "-o", "prof.data", "--", *work,
                 cwd=tap.path("home"))
tap.ok(result.status == 0 and os.path.isdir(tap.path("home/prof.data")), "-o prof.data", result.err)
tap.done()
