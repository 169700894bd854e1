#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--overwrite for long: side-band between two dumps is condensed to what samples in the rings may refer to.

Long paths are mapped until the running directory was condensed, twice. A process that made calls before that, and one that it
forked, which made some as well, have ended long since: their names and files are known; what was mapped is not.
"""
import ctypes
import glob
import json
import mmap
import os
import re
import shutil
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_srcdir"], "tests", "support"))
import caller
import tap

LIMIT_S = 60
FILES = 256
CALLS = 5  # of each process; a ring holds more than all
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]

# Named NAME, makes N calls, forks another one, CHILD, that makes N calls, and waits for it.
PROCESS = f"""
import ctypes, os, sys
libc = ctypes.CDLL(None)
def live(name, calls):
    libc.prctl(15, name.encode())
    for _ in range(int(calls)):
        libc.getpriority(0, {caller.BASE} + 1)
live(sys.argv[1], sys.argv[3])
if os.fork() == 0:
    live(sys.argv[2], sys.argv[3])
    os._exit(0)
os.wait()
"""


def live(name, child, calls):
    tap.run(sys.executable, "-c", PROCESS, name, child, str(calls))


def long_paths():
    """Files of which a map's record has some 300 bytes, and hardly to be compressed; programs, since perf 6.1 ends at others."""
    program, paths = os.path.join(tap.scratch, "program"), []
    shutil.copy(shutil.which("true"), program)
    for _ in range(FILES):
        folder = os.path.join(tap.scratch, *(os.urandom(45).hex() for _ in range(2)))
        os.makedirs(folder)
        paths.append(os.path.join(folder, "f"))
        os.link(program, paths[-1])
    return paths


def number_of(capture):
    """Of the running directory; it changes its place when it is condensed."""
    with open(os.path.join(capture, "tstream.json")) as file:
        return json.load(file)["rotation"]["number"]


def wait_until(is_so, what):
    end = time.monotonic() + LIMIT_S
    while not is_so():
        if time.monotonic() > end:
            sys.exit(f"{what}: not in {LIMIT_S} s")
        time.sleep(0.01)


def condense(capture, paths):
    """Maps the files at the same place until there is another directory."""
    before, end = number_of(capture), time.monotonic() + LIMIT_S
    fds = [os.open(path, os.O_RDONLY) for path in paths]
    at = libc.mmap(None, mmap.PAGESIZE, 0, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    while number_of(capture) == before:
        if time.monotonic() > end:
            sys.exit(f"not condensed in {LIMIT_S} s")
        for fd in fds:
            libc.mmap(at, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_EXEC, mmap.MAP_PRIVATE | 0x10, fd, 0)  # MAP_FIXED
        time.sleep(0.001)
    for fd in fds:
        os.close(fd)


def finished(capture):
    return sorted(glob.glob(capture + ".2*"))


def check_row(row, number, paths):
    name, capture = " ".join(row), tap.path(f"row{number}")
    recorder = caller.Recorder(tap.TSTREAM, capture, "--filter", caller.OWN, "-a", "--overwrite", "-m", "64K", *row)
    recorder.call(1)
    live("first", "first-child", CALLS)
    condense(capture, paths)
    live("second", "second-child", CALLS)
    condense(capture, paths)
    recorder.call(1)
    recorder.process.send_signal(signal.SIGUSR2)
    wait_until(lambda: finished(capture), "a dump")
    recorder.end()
    status, err = recorder.join()
    dump = (finished(capture) + [capture])[0]
    script = tap.run(tap.TSTREAM, "script", "-F", "comm,pid,event,trace", "-i", dump)
    calls = re.findall(rf"^\s*(\S+)\s+\d+ .*getpriority.* {caller.WHO}", script.out, re.M)
    comms = [comm for comm, who in calls if caller.number_of(who)]
    counts = {comm: comms.count(comm) for comm in comms if re.match("first|second", comm)}
    tap.ok(status == 0 and not os.path.exists(capture + ".new"), f"{name}: it ends well", err)
    tap.equal(counts, dict.fromkeys(("first", "first-child", "second", "second-child"), CALLS),
              "processes of which the rings have samples have their names")
    with open(os.path.join(dump, "data"), "rb") as file:
        data = file.read()
    tap.ok(b"first-child\0" in data and len(data) < 4 << 20, "data tells of them, and of little else", f"{len(data)} bytes")
    check = tap.run(tap.TSTREAM, "check", "-i", dump)
    tap.ok(check.status == 0, "and is sound", check.out + check.err)
    if tap.PERF:
        ours, perf = (tap.run("timeout", "60", tool, "report", "--stdio", "--sort", "pid,comm,dso", "-i", dump)
                      for tool in (tap.TSTREAM, tap.PERF))
        ours, perf = (sorted(line.split() for line in result.out.splitlines() if line and line[0] != "#")
                      for result in (ours, perf))  # one of the tips that perf chooses from has a "%"
        tap.equal(ours, perf, "perf reads it alike")


caller.skip_all_where_impossible()
PATHS = long_paths()
check_row(["--threads=cpu"], 0, PATHS)
check_row(["-z", "--switch-output"], 1, PATHS)
tap.done()
