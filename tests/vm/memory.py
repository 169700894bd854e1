#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""-M on 4 memory nodes, a writer each: on which node the pages of its streams in /dev/shm lie is asked of the kernel (move_pages).
A snapshot and the capture at the end are sound, and perf reads them alike."""
import ctypes
import glob
import mmap
import os
import re
import signal
import subprocess
import sys
import time

import guest

guest.enter()
sys.path.insert(0, os.path.join(os.environ["abs_srcdir"], "tests/support"))
import tap

MOVE_PAGES, PAGE, NODES = 279, 4096, 4  # x86-64
CPUS = [5, 1, 13, 9]  # of each node one that is busy
libc = ctypes.CDLL(None, use_errno=True)


def nodes_of_file(path):
    """[node of each page of the file that has one]"""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if not size:
            return []
        pages = mmap.mmap(file.fileno(), size, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    nr = (size + PAGE - 1) // PAGE
    for page in range(nr):
        pages[page * PAGE]  # it is there once it was looked at
    addresses = (ctypes.c_void_p * nr)(*(start + i * PAGE for i in range(nr)))
    status = (ctypes.c_int * nr)()
    if libc.syscall(MOVE_PAGES, 0, ctypes.c_ulong(nr), addresses, None, status, 0):
        raise OSError(ctypes.get_errno(), "move_pages")
    return [node for node in status if node >= 0]


def wait_for(is_so, process):
    for _ in range(1200):
        if is_so() or process.poll() is not None:
            return
        time.sleep(0.1)


def streams(hold):
    return sorted(glob.glob(f"{hold}/held/data.*"))


def counts(tool, path):
    result = tap.run(tool, "report", *(["-f"] if tool == "perf" else []), "-i", path, "--stats", timeout=300)
    return result.status, re.findall(r"^\s*([A-Z_0-9]+) events:\s+(\d+)", result.out, re.M)


def check_capture(name, path):
    check = tap.run(tap.TSTREAM, "check", "-i", path, timeout=300)
    mine, perfs = counts(tap.TSTREAM, path), counts("perf", path)
    tap.ok(check.status == 0 and mine[0] == 0 and dict(mine[1]).get("SAMPLE"), f"{name} is sound", check.out + check.err)
    tap.equal(perfs, mine, f"{name}: perf reads the same")


def check(io):
    cap = tap.path("cap-" + io)
    p = subprocess.Popen([tap.TSTREAM, "record", "-a", "-e", "cpu-clock", "-F", "499", "-M", "64M", "-z0", "--threads=numa",
                          "--flush=200ms", f"--io={io}", "-o", cap], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    hold = f"/dev/shm/tstream.0.{p.pid}"
    wait_for(lambda: len(streams(hold)) == NODES and all(os.path.getsize(path) > 64 * PAGE for path in streams(hold)), p)
    found = [nodes_of_file(path) for path in streams(hold)]
    print("#", [{node: nodes.count(node) for node in set(nodes)} for nodes in found])
    tap.equal([set(nodes) for nodes in found], [{node} for node in range(NODES)],
              f"--io={io}: what a writer holds lies on its node, every page")
    p.send_signal(signal.SIGUSR1)
    wait_for(lambda: glob.glob(cap + ".2*[0-9]"), p)
    snapshots = glob.glob(cap + ".2*[0-9]")
    tap.equal(len(snapshots), 1, f"--io={io}: a snapshot is made")
    p.send_signal(signal.SIGINT)
    err = p.communicate(timeout=240)[1]
    tap.ok(p.returncode == -signal.SIGINT and not os.path.exists(hold), f"--io={io}: it ends, and memory is free again", err)
    for name, path in [("the snapshot", path) for path in snapshots] + [("the capture", cap)]:
        check_capture(f"--io={io}: {name}", path)


load = [subprocess.Popen(["taskset", "-c", str(cpu), "sh", "-c", "while :; do :; done"]) for cpu in CPUS]
for io in ("uring", "pwrite"):
    check(io)
for process in load:
    process.kill()
tap.done()
