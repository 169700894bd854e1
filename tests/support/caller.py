# SPDX-License-Identifier: Apache-2.0
"""A recording of a process that makes numbered system calls when it is told to.

    recorder = caller.Recorder(tap.TSTREAM, capture, *options)
    recorder.call(1000)                     returns when they were made; recorder.calls is their number so far
    recorder.process.pid                    the recorder
    recorder.end()                          the caller ends
    status, err = recorder.join()
    caller.numbers_in(text)                 the numbers of the calls in what `tstream script` prints, from 1 on, in its order
    caller.number_of("1000001")             one of them, of the field `who`; 0 where another process made the call
    "--filter", caller.OWN                  for a ring that the calls of others would fill

The caller is pinned. The call asks for the priority of processes that do not exist: the number is in the sample. A recording of
everything has calls of other processes as well, also of another script that runs beside: each script has numbers of its own.
"""
import os
import re
import socket
import subprocess
import sys

import tap

EVENT = "syscalls:sys_enter_getpriority"  # which nothing calls that starts or ends
NUMBERS = 1 << 24  # of a script; the lowest of them are process numbers, so no script has these
SCRIPTS = 126  # at the same time: the kernel takes 31 bits
WHO = r"who: (?:0x)?([0-9a-f]+)"


def _claim():
    """A number from 1 on that no script has that runs now, and what holds it until this one ends."""
    held = socket.socket(socket.AF_UNIX)
    for i in range(SCRIPTS):  # the first one by chance, for containers do not see each other's
        number = 1 + (os.getpid() + i) % SCRIPTS
        try:
            held.bind(f"\0tstream-test-caller-{number}")
            return number, held
        except OSError:
            continue
    sys.exit(f"{SCRIPTS} scripts make numbered calls already")


_script, _held = _claim()
BASE = _script * NUMBERS  # the call N asks for process BASE + N, which does not exist
OWN = f"who >= {BASE} && who < {BASE + NUMBERS}"


def number_of(who):
    number = int(who, 16) - BASE
    return number if 0 < number < NUMBERS else 0


def numbers_in(text):
    return [number for number in map(number_of, re.findall(WHO, text)) if number]


# For each line "N" on its standard input N calls, numbered on; then a line on its standard output.
CALLER = f"""
import ctypes, os, sys
os.sched_setaffinity(0, {{min(os.sched_getaffinity(0))}})
call = ctypes.CDLL(None).getpriority
number = {BASE}
for line in sys.stdin:
    for _ in range(int(line)):
        number += 1
        call(0, number)
    print(flush=True)
"""


class Recorder:
    """A recording of the caller that is told what to do while it goes on."""

    def __init__(self, tool, capture, *options):
        self.to, self.back = tap.path("to"), tap.path("back")
        for fifo in (self.to, self.back):
            if os.path.exists(fifo):
                os.unlink(fifo)
            os.mkfifo(fifo)
        self.calls = 0
        command = [tool, "record", "-e", EVENT, "-m", "4K", "-o", capture, *options, "--", "sh", "-c",
                   f'exec "$0" -c "$1" <{self.to} >{self.back}', sys.executable, CALLER]
        if tool == tap.PERF:
            command[command.index("4K")] = "64K"  # names and maps are in the same ring: none of them may be lost
            command.insert(2, "-B")  # its pass for build-ids may crash
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True)
        self.commands = open(self.to, "w", buffering=1)
        self.answers = open(self.back)

    def call(self, nr):
        self.commands.write(f"{nr}\n")
        self.answers.readline()
        self.calls += nr

    def end(self):
        """The caller ends; it cannot be the recorder's doing."""
        self.commands.close()
        self.answers.read()
        self.answers.close()

    def join(self):
        err = self.process.communicate(timeout=60)[1]
        return self.process.returncode, err


def skip_all_where_impossible():
    if not tap.can_record_all():
        tap.skip_all("only root may record tracepoints")
    if not os.path.exists("/sys/kernel/tracing/events/" + EVENT.replace(":", "/")):
        tap.skip_all(f"this kernel has no {EVENT}")
