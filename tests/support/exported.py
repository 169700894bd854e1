# SPDX-License-Identifier: Apache-2.0
"""What tests of pictures and exports share: a load to record, captures that are made, the folded lines to compare with."""
import collections
import os
import sys

import dialect as d
import perf_file
import tap

tap.read_few_kernel_symbols()
CALLS = """import os, threading
def calls():
 for _ in range(20000):
  os.stat('/')
  [i * i for i in range(100)]
others = [threading.Thread(target=calls) for _ in range(3)]
[t.start() for t in others]; calls(); [t.join() for t in others]"""
WORK = CALLS + "\nos.system('i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done')"
EVENT = "cpu-clock:u" if os.geteuid() else "cpu-clock"
COMM = os.path.basename(sys.executable)[:15]  # of Python's threads
MAPPED, USER = 0x400000, (1 << 64) - 512  # an address of mmap() of dialect.py; PERF_CONTEXT_USER


def made(name, events, records, features=None):
    """The path of a file of perf's."""
    path = tap.path(name)
    with open(path, "wb") as f:
        f.write(d.file(events, records, {**d.usual_features(events), **(features or {})}))
    return path


def lossy():
    """The path of a capture of four seconds, with 20 samples in each: 3 records are lost in the second one, 40 in the fourth."""
    program = perf_file.Program(tap.path("prog.so"), ["main"])
    capture = perf_file.PerfFile(chains=False)
    capture.thread(7, 7, "name")
    capture.map(7, program)
    for i in range(80):
        capture.sample(7, 7, 10 ** 9 + i * 50 * 10 ** 6, [program.at("main")])
    capture.lost(3, 2 * 10 ** 9 + 1)
    capture.lost(40, 4 * 10 ** 9 + 1)
    capture.write(tap.path("lossy"))
    return tap.path("lossy")


def folded(*words):
    """{stack without its command: weight} of export --format=folded."""
    found = collections.Counter()
    for line in tap.run(tap.TSTREAM, "export", "--format=folded", "-o", "-", *words).out.splitlines():
        stack, _, nr = line.rpartition(" ")
        found[stack.partition(";")[2]] += int(nr)
    return found
