#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is printed of a capture depends neither on the number of workers nor on how the records are kept, and is what perf prints,
which takes all records one after the other in the order of time.

tests/programs/lay_story.c makes captures in which processes fork, run programs, exit and come back with the same number, threads
are renamed, objects are mapped over others and samples are late; the same records as a directory of ours, plain and compressed,
as a directory of perf's and as one file.
"""
import collections
import functools
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

LAY = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/lay_story")
KINDS = ["plain", "compressed", "bare", "file"]
STREAMS, SAMPLES, STACKS = 3, 3000, 250
REPORTS = [
    ["-n", "--no-children", "-g", "none", "-s", "comm,dso,sym"],
    ["-n", "-s", "comm,pid,dso,sym"],
    ["-n", "-s", "cpu,dso", "--no-children", "-g", "caller"],
    ["-s", "pid", "-g", "callee"],
    ["-s", "sym", "-g", "none"],
]
BRANCH = re.compile(r"^[ |]*--(\d+\.\d\d%)--(.*)$")
ROW = re.compile(r"^ +\d+\.\d\d%")
DUMPED = re.compile(r"^(?:\S+ )?(\d+) (?:0x[0-9a-f]+|0) \[(0x[0-9a-f]+)\]: PERF_RECORD_(\w+)", re.M)


def lay(kind, seed):
    capture = tap.path(f"{kind}.{seed}")
    result = tap.run(LAY, capture, kind, str(STREAMS), str(SAMPLES), str(STACKS), str(seed))
    if result.status:
        tap.skip_all(f"no capture could be made: {result.err}")
    return capture


def printed(*command):
    result = tap.run(*command)
    return result.out if result.status == 0 else f"status {result.status}: {result.err}"


def by_one_cpu(*command):
    """With as many workers as CPUs, which is one."""
    cpu = min(os.sched_getaffinity(0))
    return printed("taskset", "-c", str(cpu), *command)


def body(text):
    return "\n".join(line.rstrip() for line in text.splitlines() if not line.startswith("#")).strip()


def essence(text):
    """Rows and branches with their shares, in any order: perf's among equal ones depends on addresses in its memory."""
    found = collections.Counter()
    for line in body(text).splitlines():
        branch = BRANCH.match(line)
        if branch:
            found[branch.groups()] += 1
        elif ROW.match(line):
            found[re.sub(r"  +", "  ", line)] += 1
    return found


def difference(a, b):
    return "\n".join([f"- {x}" for x in list((a - b).elements())[:5]] + [f"+ {x}" for x in list((b - a).elements())[:5]])


def dumped(text):
    """Time, size and type of the kernel's records, in order; perf has another name for our headers, and they have no time."""
    return [found for found in DUMPED.findall(text) if found[0] != "0"]


def check_workers(capture, whose):
    """The same from 1, 2, 3 and 7 workers; returns what they print, to be compared with other captures."""
    texts = []
    for words in [["report", "--stdio", *options] for options in REPORTS] + [["report", "-D"], ["report", "--stats"]]:
        found = {n: printed(tap.TSTREAM, *words, "-i", capture, "-j", n) for n in ("1", "2", "3", "7")}
        tap.ok(len(set(found.values())) == 1 and len(found["1"]) > 300,
               f"{whose}: 1, 2, 3 and 7 workers print the same: {' '.join(words)}", found["1"][:300])
        texts.append(found["1"])
    script = printed(tap.TSTREAM, "script", "-i", capture)
    tap.ok(script == by_one_cpu(tap.TSTREAM, "script", "-i", capture) and script.count("cpu-clock") == SAMPLES,
           f"{whose}: script prints the same with one CPU", script[:300])
    return texts[:len(REPORTS)], script


def check_kinds(texts, seed):
    for kind in KINDS[1:]:
        same = [body(a) == body(b) for a, b in zip(texts[KINDS[0]][0], texts[kind][0])]
        tap.ok(all(same) and texts[KINDS[0]][1] == texts[kind][1], f"story {seed}: the same of {KINDS[0]} and of {kind}", same)


def check_perf(capture, whose, texts, script):
    for options, ours in zip(REPORTS, texts):
        theirs = printed(tap.PERF, "report", "--stdio", *options, "-i", capture)
        a, b = essence(theirs), essence(ours)
        tap.ok(a == b and a, f"{whose}: as perf's: report {' '.join(options)}", difference(a, b))
    tap.ok(script == printed(tap.PERF, "script", "-i", capture), f"{whose}: as perf's, line by line: script")
    stats = [printed(tool, "report", "--stats", "-i", capture) for tool in (tap.PERF, tap.TSTREAM)]
    tap.equal(stats[1], stats[0], f"{whose}: as perf's: report --stats")
    dumps = [dumped(printed(tool, "report", "-D", "-i", capture)) for tool in (tap.PERF, tap.TSTREAM)]
    first = next((pair for pair in zip(*dumps) if pair[0] != pair[1]), [len(d) for d in dumps])
    tap.ok(dumps[0] == dumps[1] and len(dumps[0]) >= SAMPLES, f"{whose}: as perf's, in the same order: report -D", first)


def main():
    for seed in (1, 2):
        captures = {kind: lay(kind, seed) for kind in KINDS}
        texts = dict(zip(captures, tap.at_once([functools.partial(check_workers, capture, f"story {seed}, {kind}")
                                                for kind, capture in captures.items()])))
        check_kinds(texts, seed)
        if not tap.PERF:
            tap.skip(f"story {seed}: as perf's", "perf is not installed")
            continue
        tap.at_once([functools.partial(check_perf, captures[kind], f"story {seed}, {kind}", *texts[kind])
                     for kind in (KINDS if seed == 1 else KINDS[-1:])])
    tap.done()


main()
