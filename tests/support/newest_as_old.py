#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The newest perf, with the text of perf 6.1: tests that compare with perf's text have another judge with it.

    NEWEST_PERF=FOLDER newest_as_old.py report ...      FOLDER as tests/support/newest_perf.sh makes it

Only what docs/differences.md lists under "perf 6.1 and perf 7.x" is undone: names of functions have no parameters (c++filt
makes them of the mangled names), inlined functions are left out, the column of thread ids is as narrow as it was, so is that of
--stats, the column of latencies is left out, callers in the kernel are the kernel's, and lines of script call a thread that has ended what they called it before.
Addresses of frames stay what they are. Everything else, the exit status and what is said on stderr included, is as it comes.
"""
import os
import re
import subprocess
import sys

HEAD = re.compile(r"^( *)(\S.*?|) ( *\d+)(?= (?:\[\d{3,}\] )? *\d+\.\d{6,9}: )")
COUNT = re.compile(r"^ {4}( +\w+ events: +\d+)")
KERNELS = re.compile(r"(\[kernel\.\S+ +)\[\.\]")
LATENCY = re.compile(r"^(# Overhead) +Latency|^( +\d+\.\d\d%) +\d+\.\d\d%")
WIDE = 7  # the column of thread ids


class AsOld:
    """One text, line by line."""

    def __init__(self):
        self.names = {}
        self.has_latency = False

    def head(self, match):
        blanks, name, tid = match.groups()
        number = tid.strip()
        if name == ":" + number and number in self.names:
            width = len(blanks + name)
            name = self.names[number]
            blanks = " " * max(width - len(name), 0) if blanks else ""
        self.names[number] = name
        return blanks + name + " " + (number.rjust(5) if len(tid) == WIDE else tid)

    def line(self, line):
        if line.startswith("\t"):
            return line
        if line.startswith("# Overhead"):
            self.has_latency = " Latency " in line
        if self.has_latency:
            line = LATENCY.sub(r"\1\2", line)
        return KERNELS.sub(r"\1[k]", COUNT.sub(r"\1", HEAD.sub(self.head, line, count=1)))


def main():
    perf = os.path.join(os.environ["NEWEST_PERF"], "perf")
    command = sys.argv[1:]
    if command[:1] not in (["report"], ["script"]):
        os.execv(perf, [perf, *command])
    command[1:1] = ["--no-demangle", "--no-inline"]
    asked = subprocess.run([perf, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    plain = subprocess.run(["c++filt", "-p"], input=asked.stdout, stdout=subprocess.PIPE, check=True).stdout
    text = AsOld()
    for line in plain.decode(errors="surrogateescape").splitlines(keepends=True):
        sys.stdout.buffer.write(text.line(line).encode(errors="surrogateescape"))
    sys.stdout.flush()
    sys.exit(asked.returncode if asked.returncode >= 0 else 128 - asked.returncode)


main()
