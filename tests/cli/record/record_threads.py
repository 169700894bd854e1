#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Processes and threads of processes with several threads, as targets: their names and maps are known, whichever thread made
them, and perf shows the same rows of the captures."""
import os
import re
import resource
import shutil
import signal
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
FILES = 4096
number = 0


def start(*words):
    """A process, with the number of its busy thread."""
    process = subprocess.Popen([PROGRAM, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.tid = int(process.stdout.readline())
    return process


def end(process):
    process.kill()
    process.communicate()


def record(*options, command=("sleep", "0.3"), **more):
    global number
    number += 1
    capture = tap.path(f"cap{number}")
    result = tap.run(tap.TSTREAM, "record", "-q", "-e", "cpu-clock", "-F", "1000", "-o", capture, *options, "--", *command, **more)
    record.has_lost = " lost (" in result.err
    said = [line for line in result.err.splitlines() if line.startswith("tstream:")]  # not of losses beside other work
    tap.equal((result.status, said), (0, []), f"record {' '.join(re.sub('[0-9]{2,}', 'N', word) for word in options)}")
    return capture


def rows(program, capture, keys, *options):
    result = tap.run(program, "report", "--stdio", "-i", capture, "--no-children", "--sort", keys, "-t", ",", *options)
    return [line.strip() for line in result.out.splitlines() if line.strip() and not line.startswith("#")]


def shares(program, capture, keys):
    """Per cent of each row of our program; the names of the rows without blanks around."""
    found = {}
    for row in rows(program, capture, keys):
        share, *names = (re.sub(r"^\[.\] ", "", word.strip()) for word in row.split(","))
        if names[0] in ("thread_targets", "renamed_sibling"):
            found[tuple(names)] = float(share.rstrip("%"))
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
    first = tap.run(tap.TSTREAM, "record", "-e", "cpu-clock", "-o", tap.path("first"), "-t", str(process.pid), "--", "true")
    tap.equal((first.status, first.err), (1, f"tstream: cannot record thread {process.pid}: it is gone\n"), "its first thread is refused by its name")
    for options in (["-p", str(process.pid)], ["-t", str(process.tid)], ["-a"], ["-d", "-p", str(process.pid)]):
        capture = record(*options)
        found = same_as_perf(capture, "comm,dso,sym", "perf shows the same rows")
        hot = found.get(("thread_targets", "thread_targets", "hot"), 0)
        tap.ok(hot > 0.9 * sum(found.values()) > 0, "its functions have their names", found)
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


def start_recorder(*options, **more):
    return tap.start_recorder([tap.TSTREAM, "record", "-q", "-e", "cpu-clock", *options], **more)


def with_files(nr):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (nr, nr))


def nr_events(pid):
    try:
        return sum("perf_event" in os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd"))
    except OSError:  # it has ended, or a descriptor
        return 0


def told_of(capture):
    """How many records of maps and tasks each process has, by its number."""
    lines = tap.run(tap.PERF, "script", "-i", capture, "--show-task-events", "--show-mmap-events").out
    found = {}
    for pid in re.findall(r"PERF_RECORD_(?:COMM exec|COMM|MMAP2|FORK|EXIT)(?:: .*:| |\()(\d+)[:/]\d+", lines):
        found[int(pid)] = found.get(int(pid), 0) + 1
    return found


def check_many():
    """Very many threads: one side-band event a CPU, and foreign processes are left out of it."""
    process = start("many", "1500")
    foreign = subprocess.Popen(["sh", "-c", "while :; do /bin/true; done"])
    time.sleep(0.2)
    line = ["sh", "-c", f"sleep 0.3; echo >/proc/{process.pid}/fd/0; sleep 0.5"]
    capture = record("-p", str(process.pid), command=line, preexec_fn=with_files(FILES))
    has_lost = record.has_lost
    found = same_as_perf(capture, "comm,sym", "perf shows the same rows")
    tap.ok(found.get(("renamed_sibling", "hot"), 0) > 20, f"1500 threads fit into {FILES} descriptors, with names and maps", found)
    told = told_of(capture)
    ours, others = told.pop(process.pid, 0), sum(told.values())
    everything = told_of(record("-a", command=["sleep", "0.8"]))
    all_others = sum(everything.values()) - everything.get(process.pid, 0)
    tap.ok(ours >= 1500 and foreign.pid not in told, "foreign processes that existed before are left out", told.get(foreign.pid))
    tap.ok(has_lost or others < all_others / 2, "and most of those that they start, unless FORKs were lost", f"{others} of {all_others} records")
    capture = record("-t", str(process.tid), preexec_fn=with_files(FILES // 8))
    tap.equal(tids(capture), {str(process.tid)}, "a thread of them is recorded alone")
    end(foreign)
    recorder = start_recorder("-o", tap.path("ends"), "-p", str(process.pid), preexec_fn=with_files(FILES))
    tap.ok(recorder.poll() is None, "the recording goes on with its process")
    end(process)
    tap.equal(recorder.wait(20), 0, "and ends with it")


CHILD = """
import os, subprocess, sys, threading, time
for _ in range(100):
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
print("ready", flush=True)
sys.stdin.readline()
child = subprocess.Popen(["sleep", "600"])
print(child.pid, flush=True)
time.sleep(0.1)
os._exit(0)
"""


def check_what_many_start():
    process = subprocess.Popen([sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    recorder = start_recorder("-o", tap.path("goes_on"), "--flush", "100ms", "-p", str(process.pid))
    process.stdin.write("\n")
    process.stdin.flush()
    child = int(process.stdout.readline())
    process.wait()
    time.sleep(1)
    tap.ok(recorder.poll() is None, "the recording goes on while what many threads started lives")
    os.kill(child, signal.SIGKILL)
    tap.equal(recorder.wait(20), 0, "and ends with it")


def start_foreign_late():
    """A foreign process starts while the events of many threads are opened. strace has this take two seconds. Returns whether it
    is left out, the records of each process, and whether any were lost: of FORKs that others fill the ring with meanwhile."""
    process = start("many", "100")
    capture, slow = tap.path("starts"), ["strace", "-D", "-qq", "-o", os.devnull, "-e", "trace=perf_event_open",
                                         "-e", "inject=perf_event_open:delay_exit=2000000:when=100"]
    told, answer = os.pipe(), os.pipe()
    recorder = subprocess.Popen([*slow, tap.TSTREAM, "record", "-q", "-e", "cpu-clock", "-o", capture, "-p", str(process.pid),
                                 "--control", f"fd:{told[0]},{answer[1]}"], pass_fds=(told[0], answer[1]))
    while recorder.poll() is None and nr_events(recorder.pid) < 90:
        time.sleep(0.01)
    family = subprocess.Popen(["sh", "-c", "read line; for i in $(seq 20); do /bin/true; done"], stdin=subprocess.PIPE)
    was_early = nr_events(recorder.pid) < 150
    os.write(told[1], b"ping\n")
    os.read(answer[0], 5)
    family.communicate(b"\n")
    os.write(told[1], b"stop\n")
    recorder.wait(30)
    end(process)
    names = tap.run(tap.PERF, "script", "-i", capture, "--show-task-events").out
    has_lost = tap.lost_said(tap.run(tap.TSTREAM, "report", "-i", capture).err) > 0
    return was_early and process.pid in told_of(capture) and " true:" not in names.replace("(", " "), told_of(capture), has_lost


def check_start_of_foreign():
    if not shutil.which("strace"):
        return tap.skip("a foreign process that starts while events are opened is left out", "strace is not installed")
    for _ in range(5):
        is_left_out, told, has_lost = start_foreign_late()
        if is_left_out or not has_lost:
            break
    return tap.ok(is_left_out, "a foreign process that starts while events are opened is left out", told)


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
check_many()
check_what_many_start()
check_start_of_foreign()
check_missing()
tap.done()
