#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where running writers, and the io_uring workers of their writes, may really run: read back from /proc."""
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

if not tap.can_record_all():
    tap.skip_all("needs the right to record everything")
if not tap.has_tracepoints():
    tap.skip_all("needs tracepoints")
CPUS = tap.online_cpus()


def status_of(folder):
    fields = {}
    with open(os.path.join(folder, "status")) as f:
        for line in f:
            key, _, value = line.partition(":")
            fields[key] = value.strip()
    return fields


def tasks(pid):
    """{name: set of allowed CPU lists} of the threads of a process, io_uring's workers (iou-wrk-*) included."""
    seen = {}
    for tid in os.listdir(f"/proc/{pid}/task"):
        try:
            s = status_of(f"/proc/{pid}/task/{tid}")
        except OSError:
            continue
        seen.setdefault(s["Name"], []).append((int(tid), s["Cpus_allowed_list"]))
    return seen


def watch(options, seconds=0.5, limit=30):
    """Records until a worker was seen, and some time more; all that was ever seen of its threads, and of the workers by the
    writer they belong to."""
    cap = tap.path("cap")
    # page-sized writes on a busy machine: extending writes go through a worker
    p = subprocess.Popen((tap.TSTREAM, "record", "-a", "-e", "cpu-clock,raw_syscalls:sys_enter", "-F", "2000", "--flush", "20ms",
                          *options, "-o", cap, "--", sys.executable, "-c",
                          "import os, select, sys\nwhile not select.select([sys.stdin], [], [], 0)[0]: os.getppid()"),
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    writers, workers, owners = {}, {}, {}
    end = None
    last = time.monotonic() + limit
    while p.poll() is None:
        now = time.monotonic()
        if workers or now > last:
            end = end or now + seconds
        if end and now > end and not p.stdin.closed:
            p.stdin.close()
        for name, found in tasks(p.pid).items():
            for tid, allowed in found:
                if name.startswith("tstream-w"):
                    writers.setdefault(name, set()).add(allowed)
                    owners[tid] = name
                elif name.startswith("iou-wrk-"):
                    owner = int(name[len("iou-wrk-"):])
                    workers.setdefault(owners.get(owner, f"task {owner}"), set()).add(allowed)
        time.sleep(0.005)
    err = p.stderr.read().decode()
    if not p.stdin.closed:
        p.stdin.close()
    return p.returncode, writers, workers, err


def one(cpus):
    """The kernel's list form of a set that is one run or single CPUs."""
    runs, out = [], []
    for c in sorted(cpus):
        if runs and runs[-1][1] == c - 1:
            runs[-1][1] = c
        else:
            runs.append([c, c])
    for a, b in runs:
        out.append(str(a) if a == b else f"{a}-{b}")
    return ",".join(out)


last = CPUS[-1]
layouts = [
    (["--threads=cpu"], [one([c]) for c in CPUS]),
    (["--threads=" + ":".join(f"{c}/{c}" for c in CPUS)], [one([c]) for c in CPUS]),
    ([f"--threads={one(CPUS)}/{last}"], [one([last])]),
    ([f"--threads={one(CPUS)}/{one(CPUS)}"], [one(CPUS)]),
]
if len(CPUS) > 1:
    swapped = ":".join(f"{c}/{CPUS[(i + 1) % len(CPUS)]}" for i, c in enumerate(CPUS))
    layouts.append(([f"--threads={swapped}"], [one([CPUS[(i + 1) % len(CPUS)]]) for i in range(len(CPUS))]))

uring = "io_uring" in tap.run(tap.TSTREAM, "record", "-a", "-e", "cpu-clock", "-o", tap.path("try"), "--", "sleep", "0.1").err
for options, wanted in layouts:
    status, writers, workers, err = watch(options)
    name = options[0]
    tap.equal(status, 0, f"{name} records")
    tap.equal([sorted(writers[w]) for w in sorted(writers)], [[w] for w in wanted],
              f"{name}: each writer is allowed only where its plan says, all the time")
    if not uring:
        tap.skip(f"{name}: io_uring workers", "io_uring is refused here")
    elif not workers:
        tap.ok(False, f"{name}: an io_uring worker was seen", err)
    else:
        wrong = {w: a for w, a in workers.items()
                 if w not in writers or a != {wanted[sorted(writers).index(w)]}}
        tap.equal(wrong, {}, f"{name}: its io_uring workers are allowed only where their writer is")
tap.done()
