#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""report counts and reports what perf report does: captures of perf and of tstream, both read by both.

--stats is compared as text. Rows are compared with their percentages and numbers of samples; perf prints the rows of
equal percentage in an order that depends on its search trees, so only the order of the percentages counts.

Of the sets of keys half are compared in a capture of perf, the others in one of tstream; REPORT_KEYS=all: all in both.
"""
import collections
import functools
import itertools
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

WORKLOAD = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/many_modules")
KEYS = ["comm", "pid", "dso", "sym", "cpu"]
UNKNOWN_LEVEL = re.compile(r"(\[unknown\]\s+)\[[k.]\]")
PLT = re.compile(r"(_init|\S*@plt|\.plt|0x[0-9a-f]{16}|0{16})$")
ROW = re.compile(r"^ +\d+\.\d\d%")


def report(tool, capture, *options):
    return tap.run(tool, "report", "--stdio", "-i", capture, *options)


def rows(text):
    """Rows as tuples of fields, in the order of the text; heads as they are."""
    lines = [UNKNOWN_LEVEL.sub(r"\1[?]", line) for line in text.splitlines()]
    return [tuple(re.split(r"  +", line.strip())) for line in lines if ROW.match(line)]


def heads(text):
    """perf says "events" of the leader of a group, also where it shows that one alone."""
    found = re.findall(r"^# (?:Samples|Event count|Total Lost).*$", text, re.M)
    return [line.replace(" of events '", " of event '") for line in found]


def percents(found):
    return [float(row[0].rstrip("%")) for row in found]


def merged(found):
    """Rows that differ in nothing but their numbers as one, without percentages: samples by what the row is of."""
    sums = collections.Counter()
    for row in found:
        sums[row[2:]] += int(row[1])
    return [(str(n),) + name for name, n in sums.items()]


def is_cut(short, whole):
    """Whether perf's row is ours with a command cut to the width of its column, a habit of perf's."""
    return len(short) == len(whole) and all(a == b or (b.startswith(a) and len(a) >= 7) for a, b in zip(short, whole))


def explain(theirs, ours):
    """Takes away from the rows that only one side has what docs/differences.md explains."""
    for short in list(theirs):
        whole = next((row for row in ours if is_cut(short, row)), None)
        if whole:
            theirs.remove(short)
            ours.remove(whole)
    # Addresses in a PLT fall into _init or not, depending on perf's search tree: the samples stay the same in number.
    is_plt = [all(any(PLT.search(field) for field in row) for row in side) for side in (theirs, ours)]
    sums = [sum(int(next(f for f in row[:3] if f.isdigit())) for row in side) for side in (theirs, ours)]
    return ([], []) if all(is_plt) and sums[0] == sums[1] else (theirs, ours)


def is_split_by_perf(keys):
    """Without dso perf compares some symbols by object and some not: its search tree may hold a function twice."""
    return "sym" in keys.split(",") and "dso" not in keys.split(",")


def compare_rows(capture, sentence, *options):
    perf = report(tap.PERF, capture, *options)
    ours = report(tap.TSTREAM, capture, *options)
    if "build-id.c" in perf.err:
        return tap.skip(sentence, "perf fell over records that another recorder on this machine changed")
    if perf.status or ours.status or tap.but_losses(ours.err):
        return tap.ok(False, sentence, f"perf: {perf.status} {perf.err}\ntstream: {ours.status} {ours.err}")
    theirs, mine = rows(perf.out), rows(ours.out)
    if is_split_by_perf(options[-1]):
        theirs, mine = merged(theirs), merged(mine)
    only_theirs = list((collections.Counter(theirs) - collections.Counter(mine)).elements())
    only_mine = list((collections.Counter(mine) - collections.Counter(theirs)).elements())
    if only_theirs or only_mine:
        only_theirs, only_mine = explain(only_theirs, only_mine)
    show = "\n".join([f"rows: {len(theirs)} and {len(mine)}"] + [f"perf:    {r}" for r in only_theirs[:5]] +
                     [f"tstream: {r}" for r in only_mine[:5]] +
                     [f"{p} | {t}" for p, t in itertools.zip_longest(heads(perf.out), heads(ours.out)) if p != t])
    good = not only_theirs and not only_mine and mine and heads(perf.out) == heads(ours.out)
    if not good and mine and "out of order" in perf.err:
        return tap.skip(sentence, "perf itself took names or maps too early or too late, and says so")
    # Events follow each other, so percentages fall but where a head stands between them.
    falls = all(a >= b for part in re.split(r"^# Samples.*$", ours.out, flags=re.M) for a, b in itertools.pairwise(
        percents(rows(part)))) if sys.version_info >= (3, 10) else True
    return tap.ok(good and falls, sentence, show)


def compare_stats(capture, sentence):
    perf = tap.run(tap.PERF, "report", "--stats", "-i", capture)
    ours = tap.run(tap.TSTREAM, "report", "--stats", "-i", capture)
    same = perf.out == ours.out and "SAMPLE events" in ours.out
    return tap.ok(same and not perf.status and not ours.status, sentence,
                  f"perf {perf.status}: {perf.out} {perf.err}\ntstream {ours.status}: {ours.out} {ours.err}")


def subsets(tool):
    found = [",".join(keys) for n in range(1, len(KEYS) + 1) for keys in itertools.combinations(KEYS, n)]
    return found if os.environ.get("REPORT_KEYS") == "all" else found[tool == tap.PERF::2]


EVENTS = {
    "cpu-clock": ["-e", "cpu-clock", "-F", "4000"],
    "call chains": ["-e", "cpu-clock", "-F", "4000", "-g"],
    "several clocks": ["-e", "cpu-clock/period=250000/,task-clock/period=300000/", "-e", "context-switches,page-faults", "-c", "10"],
    "system calls": ["-e", "raw_syscalls:*"],
    "scheduling": ["-e", "sched:*", "-g"],
    "stacks": ["-e", "cpu-clock", "-F", "1000", "--call-graph", "dwarf,4096"],
}
HARDWARE = {
    "hardware": ["-e", "cycles,instructions,cache-misses", "-F", "2000"],
    "raw events": ["-e", "r1a2,cycles:u,cpu/event=0xc0/", "-c", "500000", "-g"],
}
MODES = {
    tap.PERF: [("one file", []), ("--threads", ["--threads"]), ("-z", ["-z"]), ("--threads -z", ["--threads", "-z"])],
    tap.TSTREAM: [("plain", []), ("--threads=cpu", ["--threads=cpu"]), ("-z", ["-z"])],
}


def record(tool, events, mode, targets):
    capture = tap.path("cap")
    tap.run("rm", "-rf", capture, capture + ".old")
    # perf's thread that listens for BPF programs ends a second late: the default event has it, that is enough.
    if tool == tap.PERF and events != EVENTS["cpu-clock"]:
        mode = [*mode, "--no-bpf-event"]
    # perf's rings overflow at these rates; what is lost is counted by both sides alike.
    result = tap.run(tool, "record", "-q", "-m", "2M", *events, *mode, *targets, "-o", capture, "--", WORKLOAD)
    return capture, result


def compare_capture(tool, name, mode_name, mode, targets):
    whose = f"{os.path.basename(tool)}, {name}, {mode_name}{', -a' if targets else ''}"
    capture, result = record(tool, EVENTS[name], mode, targets)
    if result.status:
        tap.ok(False, f"{whose}: recorded", result.err)
        return
    checks = [functools.partial(compare_stats, capture, f"{whose}: --stats is the same")]
    for keys in ("comm,dso,sym", "sym", "pid,cpu") if name != "stacks" else ():
        checks.append(functools.partial(compare_rows, capture, f"{whose}: rows by {keys}", "--no-children", "-g", "none", "-n", "-s", keys))
    tap.at_once(checks)


def compare_keys(tool):
    name = os.path.basename(tool)
    capture, result = record(tool, EVENTS["call chains"], [], ["-a"])
    if result.status:
        tap.ok(False, f"{name}: recorded for all keys", result.err)
        return
    rows_of = [(f"{keys} alone", "--no-children", "-g", "none", "-n", "-s", keys) for keys in subsets(tool)]
    rows_with = [("children", "--children", "-g", "none", "-n"), ("children and call graphs", "-n")]
    rows_with += [(f"call graphs by {mode}", "--no-children", "-n", "-g", mode) for mode in ("caller", "callee")]
    for options in (("--max-stack", "3"), ("--max-stack", "0"), ("--ignore-callees", "^do_syscall_64$"), ("--percent-limit", "2"),
                    ("-F", "+period")):
        rows_with.append((" ".join(options), "--no-children", "-n", *options, "-s", "dso,sym"))
    rows_with += [(f"children of {n} frames", "-n", "--max-stack", n, "-s", "dso,sym") for n in ("3", "0")]
    tap.at_once([functools.partial(compare_rows, capture, f"{name}: rows {how} {what}", *options)
                 for how, table in (("by", rows_of), ("with", rows_with)) for what, *options in table])
    compare_jobs(capture, name)


def compare_jobs(capture, name):
    """Any number of workers gives the same text."""
    texts = {report(tap.TSTREAM, capture, "-j", n).out for n in ("1", "2", "7")}
    tap.ok(len(texts) == 1 and ROW.search(next(iter(texts)).split("#\n")[-1]), f"{name}: 1, 2 and 7 workers report the same")


def compare_groups():
    """Counters of a group that are read at samples of its first one: samples of each, of what they have grown by."""
    for mode_name, mode, targets in (("a command", [], []), ("--threads -a", ["--threads"], ["-a"])):
        whose = f"a group that is read, {mode_name}"
        events = ["-e", "{cpu-clock,task-clock,context-switches}:S", "-e", "page-faults", "-F", "2000", "-g"]
        capture, result = record(tap.PERF, events, mode, targets)
        if result.status:
            tap.ok(False, f"{whose}: recorded", result.err)
            continue
        compare_stats(capture, f"{whose}: --stats is the same")
        for selected in ([], ["--time", "30%-60%"]):
            compare_rows(capture, f"{whose}: rows {' '.join(selected)}", "--no-children", "-g", "none", "-n", "--no-group", *selected)
        compare_jobs(capture, whose)


def main():
    if not tap.PERF:
        tap.skip_all("perf is not installed: there is nothing to compare with")
    if not tap.can_record_all():
        tap.skip_all("recording tracepoints of the whole machine needs root")
    if tap.is_counted("cycles"):
        EVENTS.update(HARDWARE)
    else:
        tap.skip("hardware events", "this machine counts none")
    compare_groups()
    for tool, modes in MODES.items():
        compare_keys(tool)
        for name in EVENTS:
            compare_capture(tool, name, *modes[0], ["-a"] if name != "stacks" else [])
        compare_capture(tool, "several clocks", *modes[0], [])
        for mode in modes[1:]:
            compare_capture(tool, "call chains", *mode, ["-a"])
            compare_capture(tool, "stacks", *mode, [])
        tap.read_few_kernel_symbols()  # from the second tool's captures on
    tap.done()


if __name__ == "__main__":
    main()
