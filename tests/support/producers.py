# SPDX-License-Identifier: Apache-2.0
"""Pinned processes that number their system calls (numbered_calls.c), and their numbers in a capture.

    producers = Producers(folder, "60")     on two CPUs, 60 calls a millisecond each; ends with end()
    producers.last_before(at_ns)            {pid: the highest number that had returned at a time}
    calls_by_producer(text)                 {pid: numbers, in the order of `tstream script`}
"""
import os
import re
import struct
import subprocess
import time

PROGRAM = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/numbered_calls")
EVENT = "raw_syscalls:sys_enter"
CALL = re.compile(r"numbered_calls\s+(\d+) .*NR \d+ \(ffffffff, ([0-9a-f]+),")


def monotonic_ns():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


class Producers:
    def __init__(self, folder, rate):
        self.all = []  # (process, path of its progress)
        for cpu in sorted(os.sched_getaffinity(0))[:2]:
            path = os.path.join(folder, f"progress.{cpu}")
            self.all.append((subprocess.Popen([PROGRAM, str(cpu), rate, path]), path))

    def pids(self):
        return [process.pid for process, _ in self.all]

    def last_before(self, at_ns):
        return {process.pid: _last_before(path, at_ns) for process, path in self.all}

    def end(self):
        for process, _ in self.all:
            process.kill()
            process.wait()


def _last_before(path, at_ns):
    last = 0
    with open(path, "rb") as file:
        for when, number in struct.iter_unpack("<QQ", file.read()):
            if when == 0 or when > at_ns:
                break
            last = number
    return last


def calls_by_producer(text):
    calls = {}
    for pid, number in CALL.findall(text):
        calls.setdefault(int(pid), []).append(int(number, 16))
    return calls
