# SPDX-License-Identifier: Apache-2.0
"""The text of report beside that of perf report, of captures that are made here.

    capture = report_text.make("name", 1, nr_events=2)
    report_text.check(capture, "rows", [["-n"], ["--hierarchy", "-s", "comm,sym"]])
"""
import concurrent.futures
import difflib
import os
import random
import re

import perf_file
import tap

UNKNOWN_LEVEL = re.compile(r"(\[unknown\]\s+|^ +\S+% +)\[[k.]\](?= 0x|$)")
OURS = re.compile(r"# (Captured|Selected|Loss|Own|\(Tip)")
ALONE = re.compile(r"(  of event)s( '[^ ]+')")  # what perf says of the first event of a group also where it is alone


def make(name, seed, nr_events, groups=()):
    """300 samples in three processes; no two rows weigh the same. Its path."""
    chance = random.Random(seed)
    functions = [f"function_{i}" for i in range(12)]
    program, other = perf_file.Program(tap.path(name + ".so"), functions), perf_file.Program(tap.path(name + "-2.so"), ["o", "inner"])
    made = perf_file.PerfFile(nr_events, groups=groups)
    for pid in (10, 20, 30):
        made.thread(pid, pid, f"command{pid}")
        made.map(pid, program)
        made.map(pid, other)
    made.thread(10, 11, "worker")
    for i in range(300):
        chain = [program.at(functions[min(int(chance.expovariate(0.5)), 11)], chance.randrange(0, 250, 50))
                 for _ in range(chance.randint(1, 4))] + [other.at("o", 3)]
        chain = [0x5000 + i % 3] * (i % 19 == 0) + [other.at("inner", 5)] * (i % 5 == 0) + chain
        pid, tid = chance.choice(((10, 10), (10, 10), (10, 11), (20, 20), (30, 30)))
        made.sample(pid, tid, 1000 + 10 * i, chain, chance.randrange(1, 10 ** 9), chance.randrange(3), chance.randrange(nr_events))
    made.write(tap.path(name))
    return tap.path(name)


def text_of(tool, capture, *options):
    """Status and text from the first table on, without what stands at the end."""
    result = tap.run(tool, "report", "--stdio", "-i", capture, *options)
    text = result.out[max(result.out.find("# Samples:"), 0):].replace("[...] (inlined)", "[...]")
    text = ALONE.sub(r"\1\2", text)
    lines = [UNKNOWN_LEVEL.sub(r"\1[?]", line) for line in text.splitlines() if not OURS.match(line)]
    while lines and lines[-1] in ("", "#"):
        lines.pop()
    return result.status, lines


def compare(capture, options):
    """What is different; empty: nothing."""
    theirs, ours = text_of(tap.PERF, capture, "--no-inline", *options), text_of(tap.TSTREAM, capture, *options)
    if theirs == ours and not ours[0] and len(ours[1]) > 5:
        return ""
    lines = difflib.unified_diff(theirs[1], ours[1], "perf", "tstream", lineterm="", n=1)
    return f"{' '.join(options)}: status {theirs[0]} and {ours[0]}\n" + "\n".join(list(lines)[:20])


def check(capture, name, cases):
    """One test: with each list of options the text is perf's."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [text for text in pool.map(lambda case: compare(capture, case), cases) if text]
    tap.ok(not wrong, f"{name}, {len(cases)} times as perf", "\n".join(wrong[:3]))
