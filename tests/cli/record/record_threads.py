#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Processes and threads of processes with several threads, as targets: their names and maps are known, whichever thread made
them, and perf shows the same rows of the captures."""
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

if not tap.PERF:
    tap.skip_all("perf is not installed")
if not tap.can_record_all():
    tap.skip_all("needs the right to record everything")

PROGRAM = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/thread_targets")
number = 0


def start(*words):
    """A process, with the number of its busy thread."""
    process = subprocess.Popen([PROGRAM, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.tid = int(process.stdout.readline())
    return process


def end(process):
    process.kill()
    process.communicate()


def record(*options, command=("sleep", "0.3")):
    global number
    number += 1
    capture = tap.path(f"cap{number}")
    result = tap.run(tap.TSTREAM, "record", "-q", "-e", "cpu-clock", "-F", "1000", "-o", capture, *options, "--", *command)
    tap.equal((result.status, result.err), (0, ""), f"record {' '.join(re.sub('[0-9]{2,}', 'N', word) for word in options)}")
    return capture


def rows(program, capture, keys, *options):
    result = tap.run(program, "report", "--stdio", "-i", capture, "--no-children", "--sort", keys, "-t", ",", *options)
    return [line.strip() for line in result.out.splitlines() if line.strip() and not line.startswith("#")]


def shares(program, capture, keys):
    """Per cent of each row; the names of the rows without blanks around."""
    found = {}
    for row in rows(program, capture, keys):
        share, *names = row.split(",")
        found[tuple(re.sub(r"^\[.\] ", "", name.strip()) for name in names)] = float(share.strip().rstrip("%"))
    return found


def same_as_perf(capture, keys, sentence):
    ours, perfs = shares(tap.TSTREAM, capture, keys), shares(tap.PERF, capture, keys)
    tap.equal(ours, perfs, sentence)
    return ours


def check_ended():
    process = start("ended")
    time.sleep(0.1)
    with open(f"/proc/{process.pid}/maps") as file:
        tap.equal(file.read(), "", "a process whose first thread has ended shows no maps")
    for options in (["-p", str(process.pid)], ["-t", str(process.tid)], ["-a"], ["-d", "-p", str(process.pid)]):
        capture = record(*options)
        found = same_as_perf(capture, "comm,dso,sym", "perf shows the same rows")
        hot = found.get(("thread_targets", "thread_targets", "hot"), 0)
        of_it = sum(share for row, share in found.items() if row[0] == "thread_targets")
        tap.ok(hot > 0.9 * of_it > 0, "its functions have their names", found)
    end(process)


def tids(capture):
    return set(tap.run(tap.PERF, "script", "-i", capture, "-F", "tid").out.split())


def check_thread():
    """A thread alone, or with what it starts; its code is mapped and its name is given by another thread."""
    for more in ((), ("--inherit",)):
        def line():
            return ["sh", "-c", f"sleep 0.2; echo >/proc/{process.pid}/fd/0; sleep 0.4"]

        process, perfs = start("sibling"), tap.path("perfs")
        tap.run(tap.PERF, "record", "-e", "cpu-clock", "-F", "1000", "-o", perfs, "-t", str(process.tid), *more, "--", *line())
        end(process)
        tap.equal(len(tids(perfs)), 1 + len(more), "perf samples that thread, and with --inherit one more")
        process = start("sibling")
        capture = record("-t", str(process.tid), *more, command=line())
        tap.equal(len(tids(capture)), 1 + len(more), "so does tstream")
        tap.ok(str(process.tid) in tids(capture), "and it is that thread")
        found = same_as_perf(capture, "comm,sym", "perf shows the same rows of our capture")
        named = sum(share for (comm, function), share in found.items() if function == "hot")
        tap.ok(named > 90, "functions of code that another thread mapped meanwhile have their names", found)
        tap.ok(found.get(("renamed_sibling", "hot"), 0) > 20, "and the name that another thread gave is known", found)
        end(process)


def check_missing():
    """Refused beside one that exists, as perf refuses it, and before anything is made."""
    process = start("ended")
    gone = subprocess.Popen(["true"])
    gone.wait()
    for option, lives, word in (("-p", process.pid, "process"), ("-t", process.tid, "thread")):
        capture = tap.path(f"refused{option}")
        both = (option, f"{lives},{gone.pid}", "-e", "cpu-clock")
        ours = tap.run(tap.TSTREAM, "record", "-o", capture, *both, "--", "true")
        perfs = tap.run(tap.PERF, "record", "-o", tap.path("perfs"), *both, "--", "true")
        tap.ok(ours.status == 1 and perfs.status, f"{option}: what does not exist is refused beside what exists", perfs.err)
        tap.equal(ours.err.splitlines(), [f"tstream: cannot record {word} {gone.pid}: there is no such {word}"], "in a sentence")
        tap.ok(not os.path.exists(capture), "before anything is made")
    end(process)


check_ended()
check_thread()
check_missing()
tap.done()
