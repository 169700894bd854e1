#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layouts for real, on 2 sockets, 4 memory nodes and 16 CPUs: where each writer may run is read back from /proc, on which
node its buffers and rings lie is asked of the kernel (move_pages)."""
import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import guest

guest.enter()
sys.path.insert(0, os.path.join(os.environ["abs_srcdir"], "tests/support"))
import tap

MOVE_PAGES, PAGE, MIB_PAGES = 279, 4096, 256  # x86-64
BUFFERS = 5  # of 1 MiB: four, and what lays blocks into the page cache: /tmp is a tmpfs
NODE_OF = {cpu: cpu // 4 for cpu in range(16)}
libc = ctypes.CDLL(None, use_errno=True)


def cpu_list(text):
    cpus = set()
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        cpus |= set(range(int(first), int(last or first) + 1))
    return cpus


def read(path):
    with open(path) as f:
        return f.read()


def nodes_of_pages(pid, start, pages):
    """The nodes of so many pages; a negative number is an errno."""
    addresses = (ctypes.c_void_p * pages)(*(start + i * PAGE for i in range(pages)))
    status = (ctypes.c_int * pages)()
    if libc.syscall(MOVE_PAGES, pid, ctypes.c_ulong(pages), addresses, None, status, 0):
        raise OSError(ctypes.get_errno(), "move_pages")
    return list(status)


def start(*options):
    """A recorder whose writers run; its summary comes when it is stopped."""
    cap = tap.path("cap")
    shutil.rmtree(cap, True)
    p = subprocess.Popen([tap.TSTREAM, "record", "-a", "-e", "cpu-clock", "-F", "19", "-o", cap, *options],
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    for _ in range(1200):
        if os.path.exists(cap) or p.poll() is not None:
            break
        time.sleep(0.1)
    return p


def stop(p):
    p.send_signal(signal.SIGINT)
    _, err = p.communicate(timeout=120)
    return p.returncode == -signal.SIGINT, f"status {p.returncode}\n{err}"


def affinities(pid):
    """{number of the writer: the CPUs it may run on}"""
    found = {}
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            name = re.match(r"tstream-w(\d+)", read(f"/proc/{pid}/task/{task}/comm"))
        except OSError:  # a thread of the start that has just ended
            continue
        if name:
            status = read(f"/proc/{pid}/task/{task}/status")
            found[int(name[1])] = cpu_list(re.search(r"^Cpus_allowed_list:\s*(\S+)", status, re.M)[1])
    return [found[n] for n in sorted(found)]


def mappings(pid):
    """{start: pages}"""
    found = {}
    for line in read(f"/proc/{pid}/maps").splitlines():
        first, _, last = line.split()[0].partition("-")
        found[int(first, 16)] = (int(last, 16) - int(first, 16)) // PAGE
    return found


def buffer_pages(pid):
    """{preferred nodes: [node of each page]} of all mappings that have a policy"""
    sizes, found = mappings(pid), {}
    for line in read(f"/proc/{pid}/numa_maps").splitlines():
        policy = re.match(r"([0-9a-f]+) prefer[^:]*:(\S+)", line)
        if policy:
            at = int(policy[1], 16)
            found.setdefault(frozenset(cpu_list(policy[2])), []).extend(nodes_of_pages(pid, at, sizes[at]))
    return found


def ring_pages(pid):
    """[node of each page] of the rings that is there; the kernel shows a page once it was looked at"""
    nodes = []
    for line in read(f"/proc/{pid}/maps").splitlines():
        if line.endswith("[perf_event]"):
            first, _, last = line.split()[0].partition("-")
            nodes += nodes_of_pages(pid, int(first, 16), (int(last, 16) - int(first, 16)) // PAGE)
    return [node for node in nodes if node >= 0]


def planned(*options):
    result = tap.run(tap.TSTREAM, "record", "--dry-run", "-a", "-e", "cpu-clock", *options)
    return [cpu_list(cpus) for cpus in re.findall(r"^writer .* runs on ([\d,-]+)", result.out, re.M)]


def check(spec, wanted, *options, buffers=BUFFERS):
    p = start(*([f"--threads={spec}"] if spec else []), *options)
    name = " ".join([f"--threads={spec}" if spec else "without --threads", *options])
    tap.equal(affinities(p.pid), wanted, f"{name}: writers may run where the layout says")
    pages = buffer_pages(p.pid)
    expected = {}
    for cpus in wanted:
        nodes = frozenset(NODE_OF[cpu] for cpu in cpus)
        expected[nodes] = expected.get(nodes, 0) + 1
    tap.equal(set(pages), set(expected), f"{name}: buffers prefer the nodes of their writers")
    tap.ok(all(set(got) <= nodes for nodes, got in pages.items()), f"{name}: and every page of them lies there",
           {tuple(nodes): {n: got.count(n) for n in set(got)} for nodes, got in pages.items()})
    tap.ok(all(len(pages.get(nodes, ())) >= nr * buffers * MIB_PAGES for nodes, nr in expected.items()),
           f"{name}: all that a writer works on is among them", {tuple(n): len(got) for n, got in pages.items()})
    if spec == "numa" and not options:
        rings = ring_pages(p.pid)
        print("#", {n: rings.count(n) for n in set(rings)})
        tap.ok(rings and all(rings.count(node) == len(rings) / 4 for node in range(4)), "rings lie on their CPUs' nodes")
    ended, err = stop(p)
    tap.ok(ended, f"{name}: the capture ends well", err)


def run(first, last):
    return set(range(first, last + 1))


check(None, planned())
check("socket", [run(0, 7), run(8, 15)])
check("numa", [run(0, 3), run(4, 7), run(8, 11), run(12, 15)])
# one more that is compressed out of, and zstd's own memory
check("numa", [run(0, 3), run(4, 7), run(8, 11), run(12, 15)], "-z", buffers=BUFFERS + 1.25)
check("core", [run(n, n + 1) for n in range(0, 16, 2)])
check("l3", [run(0, 7), run(8, 15)])
check("cpu", [{n} for n in range(16)])
check("0-3/5:4-15/8-9,14", [{5}, {8, 9, 14}])

# the policy is the buffers' alone: the command keeps what tstream was started with
SHOW = "grep -c interleave /proc/self/numa_maps; grep -c prefer /proc/self/numa_maps; true"
POLICY = ("import ctypes, os, sys; ctypes.CDLL(None).syscall(238, 3, (ctypes.c_ulong * 1)(15), 65); "
          "os.execv(sys.argv[1], sys.argv[1:])")
result = tap.run(sys.executable, "-c", POLICY, tap.TSTREAM, "record", "-e", "cpu-clock", "-o", tap.path("policy"), "--",
                 "sh", "-c", SHOW)
lines = result.out.split()
tap.ok(len(lines) == 2 and int(lines[0]) > 0 and lines[1] == "0", "the command keeps its memory policy",
       result.out + result.err)
tap.done()
