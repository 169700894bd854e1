#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Call graphs are perf's text: each print type, order, value, threshold and limit, with children and without, over captures
made here and a recorded one.

Two things are taken out of perf's text first: the "(inlined)" that it prints behind "[...]" from memory that it has not
written, and the level of [unknown] rows (docs/differences.md). By address perf says the line of the source, here it is the
offset in the function: compared without either.
"""
import difflib
import functools
import itertools
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import perf_file  # noqa: E402
import tap  # noqa: E402

CALLS = [sys.executable, "-c", "import os, time\nwhile time.process_time() < 0.3:\n os.stat('/')\n os.getppid()"]
UNKNOWN_LEVEL = re.compile(r"(\[unknown\]\s+)\[[k.]\]")
PLACE = re.compile(r" \?\?:0|\+0x[0-9a-f]+")
TYPES = ("graph", "fractal", "flat", "folded")
ORDERS = ("caller", "callee")
CHILDREN = ("--children", "--no-children")


def text_of(tool, capture, *options):
    result = tap.run(tool, "report", "--stdio", "-i", capture, *options)
    lines = [line.rstrip() for line in result.out.splitlines() if not line.startswith("#")]
    text = UNKNOWN_LEVEL.sub(r"\1[?]", "\n".join(lines)).replace("[...] (inlined)", "[...]")
    return result.status, text.strip("\n")


def compare(capture, *options, is_by_address=False):
    """What is different; empty: nothing."""
    theirs, ours = (text_of(tool, capture, *options, *more) for tool, more in
                    ((tap.PERF, ["--no-inline"]), (tap.TSTREAM, [])))
    if is_by_address:
        theirs, ours = ((status, PLACE.sub("", text)) for status, text in (theirs, ours))
    if theirs == ours and not ours[0] and "%" in ours[1]:
        return ""
    lines = difflib.unified_diff(theirs[1].splitlines(), ours[1].splitlines(), "perf", "tstream", lineterm="", n=2)
    return f"{' '.join(options)}: status {theirs[0]} and {ours[0]}\n" + "\n".join(list(lines)[:20])


def compare_all(capture, cases, **how):
    """The cases that differ."""
    found = tap.at_once([functools.partial(compare, capture, *case, **how) for case in cases])
    return [difference for difference in found if difference]


def check(capture, name, table):
    """A line of the table: a sentence, and the options of -g."""
    for sentence, modes, extra in table:
        cases = [("-g", mode, children, *extra) for mode in modes for children in CHILDREN]
        wrong = compare_all(capture, cases)
        tap.ok(not wrong, f"{name}: {sentence}, {len(cases)} times as perf", "\n".join(wrong[:2]))


def joined(*parts):
    return [",".join(part for part in case if part) for case in itertools.product(*parts)]


TABLE = [
    ("each print type and order", joined(TYPES, ("0.5",), ORDERS), []),
    ("periods", joined(TYPES, ("0.5",), ORDERS, ("function",), ("period",)), []),
    ("numbers of samples", joined(TYPES, ("2",), ORDERS, ("count",)), []),
    ("a high threshold", joined(TYPES, ("12",), ORDERS), []),
    ("at most two branches", joined(TYPES, ("0,2",), ORDERS), []),
    ("at most one branch", joined(TYPES, ("0.1,1",), ORDERS, ("count",)), []),
    ("words in another order, abbreviated", ["callee,fr,5", "per,fold,caller", "cou,gr,calle,0.2,3"], []),
    ("sorted by function, whose name is not repeated", joined(TYPES, ("0.5",), ORDERS), ["-s", "sym"]),
    ("inverted", ["graph", "flat,callee", "fractal,5,callee"], ["-G"]),
]


def make(name, seed, nr_functions, nr_stacks, depth):
    """Random walks over functions; periods such that no two branches weigh the same."""
    chance = random.Random(seed)
    functions = [f"function_{i}" for i in range(nr_functions)]
    program = perf_file.Program(tap.path(name + ".so"), functions)
    other = perf_file.Program(tap.path(name + "-other.so"), ["outer", "inner"])
    made = perf_file.PerfFile(flags=perf_file.EXCLUDE_KERNEL)
    for pid in (10, 20):
        made.thread(pid, pid, f"command{pid}")
        made.map(pid, program)
        made.map(pid, other)
    for i in range(nr_stacks):
        chain = [program.at(functions[min(int(chance.expovariate(0.6)), nr_functions - 1)], chance.randrange(0, 250, 50))
                 for _ in range(chance.randint(1, depth))]
        chain += [other.at("inner", 9)] * chance.randint(0, 2) + [other.at("outer", 3)]
        for again in range(chance.randint(1, 3)):
            made.sample(chance.choice((10, 10, 20)), 10, 1000 + 10 * i + again, chain, chance.randrange(1, 10 ** 9))
    made.write(tap.path(name))
    return tap.path(name)


FRACTAL = """            |
            ---main
               |          
               |--50.00%--left
               |          leaf
               |          
               |--30.00%--right
               |          leaf
                --20.00%--[...]

"""


def check_values():
    """Without perf: what is drawn of three callchains, by hand."""
    program = perf_file.Program(tap.path("known.so"), ["main", "left", "right", "leaf"])
    made = perf_file.PerfFile(flags=perf_file.EXCLUDE_KERNEL)
    made.thread(5, 5, "known")
    made.map(5, program)
    for chain, period, nr in ((("leaf", "left", "main"), 50, 1), (("leaf", "right", "main"), 15, 2), (("leaf", "main"), 20, 1)):
        for _ in range(nr):
            made.sample(5, 5, 1000 + len(made.records), [program.at(f, 8) for f in chain], period)
    path = tap.path("known")
    made.write(path)
    for mode, wanted in (
            ("folded,0,caller", "50.00% main;left;leaf\n30.00% main;right;leaf\n20.00% main;leaf\n"),
            ("folded,0,count,callee", "1 leaf;left;main\n2 leaf;right;main\n1 leaf;main\n"),
            ("folded,25,period", "50 leaf;left;main\n30 leaf;right;main\n"),
            ("folded,0,1,address", "50.00% leaf+0x8;left+0x8;main+0x8\n"), ("fractal,25,caller", FRACTAL)):
        got = tap.run(tap.TSTREAM, "report", "-q", "-i", path, "--no-children", "-s", "comm", "-g", mode)
        tap.equal(got.out, "   100.00%  known  \n" + wanted + "\n\n", f"-g {mode} of three callchains")


def check_separators():
    """A name with the separator is one frame all the same."""
    program = perf_file.Program(tap.path("parted.so"), ["main", "a;b,d"])
    made = perf_file.PerfFile(flags=perf_file.EXCLUDE_KERNEL)
    made.thread(5, 5, "parted")
    made.map(5, program)
    made.sample(5, 5, 1000, [program.at(f, 8) for f in ("a;b,d", "main")], 7)
    made.write(tap.path("parted"))
    for options, wanted in (([], "100.00% a.b,d;main"), (["-t", ";"], "100.00% a.b,d;main"), (["-t", ","], "100.00% a;b.d,main")):
        got = tap.run(tap.TSTREAM, "report", "-q", "-i", tap.path("parted"), "--no-children", "-s", "comm", "-g", "folded", *options)
        tap.equal(got.out.splitlines()[1:2], [wanted], f"a name with the separator, -g folded {' '.join(options)}")


def check_parents(capture):
    """The sort key parent, by text with its titles."""
    patterns = (["-p", "^function_[12]$"], ["-p", "inner"], ["-p", "^function_3$", "-x"], ["-p", "nowhere"], ["-p", "outer", "-x"])
    keys = (["-s", "parent"], ["-s", "sym,parent"], ["-s", "parent,comm"], [])
    graphs = (["-g", "none"], ["-g", "graph,3,callee"], ["-g", "caller"])
    cases = [[*p, *k, *g, c] for p in patterns for k in keys for g in graphs for c in CHILDREN]
    wrong = compare_all(capture, cases)
    tap.ok(not wrong, f"--parent and --exclude-other, {len(cases)} times as perf", "\n".join(wrong[:2]))
    head = re.search(r"^# +Overhead .*$", tap.run(tap.TSTREAM, "report", "-i", capture, "--no-children", "-g", "none", "-p", "inner",
                                                  "-s", "comm").out, re.M)
    tap.ok(head and head[0].split() == ["#", "Overhead", "Command", "Parent", "symbol"], "--parent adds its column", head)


def check_recorded():
    """Callchains of the kernel: where functions begin and end is told by one list to both."""
    sentence, recorded = "a recorded capture: the same callchains", tap.path("recorded")
    made = tap.run(tap.PERF, "record", "-q", "-B", "-N", "--no-bpf-event", "-e", "cpu-clock:k", "-F", "1000", "-g",
                   "--kernel-callchains", "-m", "4M", "-o", recorded, "--", *CALLS)
    if made.status or not tap.can_record_all():
        tap.skip(sentence, "recording the kernel needs root")
        return
    for options in (["-g", "folded,0"], ["-g", "folded,0,caller,count"], ["-g", "folded,1,period"]):
        theirs, ours = (text_of(tool, recorded, *options, "--no-children", "-s", "comm") for tool in (tap.PERF, tap.TSTREAM))
        if theirs[0]:
            tap.skip(f"{sentence}, {options[1]}", f"perf itself failed: {theirs[0]}")
            continue
        lines = [sorted(text.splitlines()) for _, text in (theirs, ours)]
        tap.ok(lines[0] == lines[1] and not ours[0], f"{sentence}, {options[1]}",
               "\n".join(list(difflib.unified_diff(*lines, lineterm="", n=0))[:20]))


def main():
    check_values()
    check_separators()
    if not tap.PERF:
        tap.skip("call graphs are perf's", "perf is not installed")
        tap.done()
        return
    wide, deep = make("wide", 1, 12, 150, 4), make("deep", 2, 5, 60, 12)
    check(wide, "wide", TABLE)
    check(deep, "deep", TABLE[:2] + TABLE[4:5])
    modes = joined(TYPES, ("3",), ORDERS, ("address",))
    wrong = compare_all(deep, [("-g", mode, "--no-children") for mode in modes], is_by_address=True)
    tap.ok(not wrong, "by address: the same branches as perf's", "\n".join(wrong[:2]))
    check_parents(deep)
    check_recorded()
    tap.done()


main()
