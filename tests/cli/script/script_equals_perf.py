#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""script prints what perf script prints, line by line: captures of perf and of tstream, every kind of event here.

Samples of equal time may come in any order. Both sides leave inlined functions out (perf: --no-inline).
"""
import functools
import os
import re
import sys
from itertools import zip_longest

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

WORKLOAD = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/many_modules")
SYMBOL = re.compile(r"(\[unknown\]|\S+\+0x[0-9a-f]+) \((/[^)]*)\)$")
TIME = re.compile(r"^\s*\S.*?\s(\d+\.\d{6}): ")


def samples(text):
    """Whole samples (a line, and its frames), ordered by time, then text."""
    blocks, block = [], []
    for line in text.splitlines():
        if line and not line[0] == "\t" and block:
            blocks.append(block)
            block = []
        block.append(line)
    blocks.append(block)

    def key(lines):
        match = TIME.match(lines[0]) if lines else None
        return (float(match.group(1)) if match else 0.0, lines)
    return sorted(blocks, key=key)


@functools.lru_cache(maxsize=None)
def open_ended(module):
    """Names of the symbols that have no size in a file."""
    fields = [line.split() for line in tap.run("readelf", "-Ws", "--dyn-syms", module).out.splitlines()]
    return {f[7].split("@")[0] for f in fields if len(f) > 7 and f[2] == "0" and f[6] != "UND"}


def is_meant(ours, theirs):
    """What docs/differences.md explains: perf's symbols of unknown size reach over PLT and other sections."""
    a, b = SYMBOL.search(ours), SYMBOL.search(theirs)
    if not a or not b or ours[:a.start(1)] != theirs[:b.start(1)] or a.group(2) != b.group(2):
        return False
    name = b.group(1).split("+")[0]
    return (a.group(1) == "[unknown]" or "@plt+" in a.group(1)) and (
        name == "[unknown]" or name in open_ended(b.group(2)))


def same(ours, theirs):
    return len(ours) == len(theirs) and all(
        a == b or is_meant(a, b) for x, y in zip(ours, theirs) for a, b in zip_longest(x, y, fillvalue=""))


def first_difference(ours, theirs):
    for a, b in zip(ours, theirs):
        if not same([a], [b]):
            return "tstream: %s\nperf:    %s" % ("\n".join(a), "\n".join(b))
    return "tstream prints %d samples, perf %d" % (len(ours), len(theirs))


def compare(capture, sentence, at_least=1, options=(), plain=str):
    """`plain` makes of the text of either what is compared."""
    perf = tap.run(tap.PERF, "script", "--no-inline", "-i", capture, *options)
    ours = tap.run(tap.TSTREAM, "script", "-i", capture, *options)
    if "assertion failed" in perf.err:
        tap.skip(sentence, "perf itself crashed over records of two recorders at once (docs/differences.md)")
        return
    if perf.status or tap.but_disorder(tap.but_losses(perf.err)) or ours.status or tap.but_losses(ours.err):
        tap.ok(False, sentence, "perf: %s %s\ntstream: %s %s" % (perf.status, perf.err, ours.status, ours.err))
        return
    theirs, mine = samples(plain(perf.out)), samples(plain(ours.out))
    if "out of order" in perf.err and len(mine) == len(theirs) and not same(mine, theirs):
        tap.skip(sentence, "perf itself took names or maps too early or too late, and says so")
        return
    tap.ok(same(mine, theirs) and len(mine) >= at_least, sentence, first_difference(mine, theirs))


def compare_followed(capture, sentence):
    """Nothing tells that it grows, so all of it is printed."""
    followed, ours = (tap.run(tap.TSTREAM, "script", "-i", capture, *options) for options in (["--follow"], []))
    tap.ok(followed.out == ours.out and ours.out and followed.status == ours.status and "cannot follow" in followed.err,
           sentence, followed.err)


EVENTS = [
    ("cpu-clock", ["-e", "cpu-clock", "-F", "2000"]),
    ("cpu-clock with call chains", ["-e", "cpu-clock", "-F", "2000", "-g"]),
    ("task-clock with a fixed period", ["-e", "task-clock", "-c", "1000000"]),
    ("page-faults with addresses", ["-e", "page-faults", "-c", "1", "-d"]),
    ("context-switches and page-faults", ["-e", "context-switches,page-faults", "-c", "1"]),
    ("system calls", ["-e", "raw_syscalls:*"]),
    ("scheduling with call chains", ["-e", "sched:*", "-g"]),
    ("a clock and a tracepoint", ["-e", "cpu-clock", "-e", "sched:sched_switch"]),
]

GROUP = ("a group that is read", ["-e", "{cpu-clock,task-clock,context-switches}:S", "-e", "page-faults", "-F", "4000", "-g", "--timestamp-boundary"])


def quick_end(name):
    """Options of perf record: its thread that listens for BPF programs ends a second late, once is enough; only with its look
    for build-ids does it write the times of the first and the last sample, which parts of the time need."""
    if name == EVENTS[0][0]:
        return ["-B", "-N"]
    return ["--no-bpf-event"] if name == GROUP[0] else ["-B", "-N", "--no-bpf-event"]


PERF_MODES = [("one file", []), ("--threads", ["--threads"]), ("-z", ["-z"]), ("--threads -z", ["--threads", "-z"])]
OUR_MODES = [("plain", []), ("-z", ["-z"]), ("--threads=cpu", ["--threads=cpu"])]


def record_and_compare(tool, name, events, mode_name, mode, targets, selections=((),)):
    checks = []
    for target_name, target in targets:
        capture = tap.path("cap of " + target_name)
        quiet = ["-q", *quick_end(name)] if tool[0] == tap.PERF else ["-q"]
        result = tap.run(*tool, "record", *quiet, "-m", "2M", *events, *mode, *target, "-o", capture, "--", WORKLOAD)
        sentence = "%s, %s, %s, %s" % (os.path.basename(tool[0]), name, mode_name, target_name)
        if result.status:
            tap.ok(False, sentence, result.err)
        for options in () if result.status else selections:
            checks.append(functools.partial(compare, capture, " ".join((sentence, *options)), options=options))
        if not result.status and name == GROUP[0]:
            checks.append(functools.partial(compare_followed, capture, sentence + " --follow"))
    tap.at_once(checks)
    for target_name, _ in targets:
        tap.run("rm", "-rf", tap.path("cap of " + target_name))


def main():
    if not tap.PERF:
        tap.skip_all("perf is not installed: there is nothing to compare with")
    if not tap.can_record_all():
        tap.skip_all("recording tracepoints of the whole machine needs root")
    command, everything = ("a command", []), ("everything", ["-a"])
    for name, events in EVENTS:
        record_and_compare([tap.PERF], name, events, *PERF_MODES[0], [command, everything])
        record_and_compare([tap.TSTREAM], name, events, *OUR_MODES[0], [command, everything])
    for mode in (PERF_MODES[0], PERF_MODES[1]):
        record_and_compare([tap.PERF], *GROUP, *mode, [everything], [(), ("--time", "20%-70%"), ("-C", "0")])
    for mode in PERF_MODES[1:]:
        record_and_compare([tap.PERF], *EVENTS[1], *mode, [everything])
    for mode in OUR_MODES[1:]:
        record_and_compare([tap.TSTREAM], *EVENTS[1], *mode, [everything])
    tap.done()


if __name__ == "__main__":
    main()
