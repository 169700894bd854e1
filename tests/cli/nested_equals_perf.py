#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""report --hierarchy prints perf's text, of captures made here and a recorded one: keys in levels and in braces, sums, limits,
filters, call graphs, several events. Without perf: the rows of a few samples by hand, and the same from JSON.

No two rows of the captures weigh the same, so the order is perf's, too.
"""
import concurrent.futures
import difflib
import json
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import json_schema  # noqa: E402
import perf_file  # noqa: E402
import tap  # noqa: E402

UNKNOWN_LEVEL = re.compile(r"(\[unknown\]\s+|^ +\S+% +)\[[k.]\](?= 0x|$)")
OURS = re.compile(r"# (Captured|Selected|Loss|Own|\(Tip)")
GRAPHLESS = [[], ["-n"], ["--percent-limit", "2"], ["--percent-limit", "9", "-n"], ["--show-total-period", "--show-cpu-utilization"],
             ["-s", "{comm,dso},sym"], ["-s", "comm,{dso,sym}"], ["-s", "{comm}{cpu}sym"], ["-s", "{comm,dso,sym"], ["-s", "sym"],
             ["-s", "pid,sym"], ["-s", "cpu,comm,dso"], ["-s", "comm,cpu,{pid,dso},sym", "-n"], ["-s", "+cpu"],
             ["-s", "comm,comm,dso"], ["-s", "time,comm", "--time-quantum", "1us"], ["-c", "command10"], ["--tid", "11"],
             ["-c", "command10,command20"], ["-c", "command10", "--percentage", "relative"], ["-q", "-s", "dso,comm"]]
CHAINED = [[], ["--children"], ["--no-children"], ["-g", "callee"], ["-g", "caller,3", "-s", "sym"], ["-g", "fractal,5"], ["-G"],
           ["-g", "folded,0", "-s", "{comm,sym}"], ["-g", "flat,2"], ["-s", "comm,dso", "-p", "inner"], ["--max-stack", "2"],
           ["-g", "none", "-s", "parent,sym", "-p", "function_1$"]]


def make(name, seed, nr_events):
    chance = random.Random(seed)
    functions = [f"function_{i}" for i in range(12)]
    program, other = perf_file.Program(tap.path(name + ".so"), functions), perf_file.Program(tap.path(name + "-2.so"), ["o", "inner"])
    made = perf_file.PerfFile(nr_events)
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
    result = tap.run(tool, "report", "--stdio", "--hierarchy", "-i", capture, *options)
    text = result.out[max(result.out.find("# Samples:"), 0):].replace("[...] (inlined)", "[...]")
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
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [text for text in pool.map(lambda case: compare(capture, case), cases) if text]
    tap.ok(not wrong, f"{name}, {len(cases)} times as perf", "\n".join(wrong[:3]))


KNOWN = """# Event count (approx.): 100
#
#       Overhead       Samples  Command / Shared Object / Symbol
# ............................  ................................
#
    70.00%             3        one
       50.00%             2        known.so
          50.00%             2        [.] work
       20.00%             1        [unknown]
          20.00%             1        [.] 0x0000000000005000
    30.00%             2        two
       30.00%             2        known.so
                                      no entry >= 18.00%
"""


def make_known():
    program = perf_file.Program(tap.path("known.so"), ["main", "work"])
    made = perf_file.PerfFile(chains=False)
    for pid, name in ((5, "one"), (6, "two")):
        made.thread(pid, pid, name)
        made.map(pid, program)
    for pid, address, period in ((5, program.at("work", 8), 20), (5, program.at("work", 9), 30), (5, 0x5000, 20),
                                 (6, program.at("main", 1), 16), (6, program.at("work", 1), 14)):
        made.sample(pid, pid, 1000 + len(made.records), [address], period)
    made.write(tap.path("known"))
    return tap.path("known")


def check_known(capture):
    """Without perf."""
    got = tap.run(tap.TSTREAM, "report", "--hierarchy", "-n", "--percent-limit", "18", "-i", capture)
    text = "\n".join(line.rstrip() for line in got.out[got.out.find("# Event count"):].splitlines())
    tap.equal(text.rstrip() + "\n", KNOWN, "rows by hand")
    made = tap.run(tap.TSTREAM, "report", "--hierarchy", "--json", "--percent-limit", "18", "-i", capture)
    rows = [(row["depth"], row["self"]["period"], row["self"]["samples"], row["keys"]) for row in json.loads(made.out)["tables"][0]["rows"]]
    tap.equal(rows, [(0, 70, 3, {"comm": "one"}), (1, 50, 2, {"dso": "known.so"}), (2, 50, 2, {"sym": "work"}),
                     (1, 20, 1, {"dso": "[unknown]"}), (2, 20, 1, {"sym": "0x0000000000005000"}),
                     (0, 30, 2, {"comm": "two"}), (1, 30, 2, {"dso": "known.so"})], "the same rows as JSON, each with its keys and depth")
    with open(os.path.join(os.environ.get("abs_srcdir", "."), "docs/report.schema.json")) as f:
        tap.equal(json_schema.violations(json.loads(made.out), json.load(f)), [], "the JSON is valid by its schema")
    some = tap.run(tap.TSTREAM, "report", "-q", "--hierarchy", "-s", "comm,sym", "-S", "work", "-i", capture).out.split()
    tap.equal(some, ["50.00%", "one", "50.00%", "[.]", "work", "14.00%", "two", "14.00%", "[.]", "work"],
              "rows above what was selected count that alone")
    refused = tap.run(tap.TSTREAM, "report", "--hierarchy", "-F", "comm", "-i", capture)
    tap.ok(refused.status == 2 and "cannot nest rows" in refused.err and not refused.out, "--fields is refused", refused.err)


def check_recorded():
    """Levels of a capture whose events have fields of their own: one level less where an event has none of them."""
    recorded = tap.path("recorded")
    made = tap.run(tap.TSTREAM, "record", "-q", "-m", "1M", "-e", "sched:sched_process_exec,sched:sched_process_fork,cpu-clock", "-o",
                   recorded, "--", "sh", "-c", "for i in 1 2 3 4; do true | /bin/true; done")
    if made.status or not tap.can_record_all():
        tap.skip("a recorded capture", "recording tracepoints needs root")
        return
    for keys in ("comm,old_pid", "child_comm,{pid,parent_comm}"):
        theirs, ours = (text_of(tool, recorded, "-n", "-s", keys) for tool in (tap.PERF, tap.TSTREAM))
        # rows of equal weight have an order of their own
        tap.ok(sorted(theirs[1]) == sorted(ours[1]) and not ours[0] and len(ours[1]) > 20, f"a recorded capture by {keys}: the same lines",
               "\n".join(difflib.unified_diff(sorted(theirs[1]), sorted(ours[1]), "perf", "tstream", lineterm="", n=0)))


def main():
    check_known(make_known())
    one, two = make("one", 1, 1), make("two", 2, 2)
    texts = {tap.run(tap.TSTREAM, "report", "--hierarchy", "-i", two, "-j", jobs).out for jobs in ("1", "2", "7")}
    tap.equal(len(texts), 1, "1, 2 and 7 workers report the same")
    if not tap.PERF:
        tap.skip("nested rows are perf's", "perf is not installed")
        tap.done()
        return
    check(one, "rows", [[*case, "-g", "none"] for case in GRAPHLESS])
    check(one, "call graphs", CHAINED)
    check(two, "two events", [GRAPHLESS[1], GRAPHLESS[3], GRAPHLESS[8], CHAINED[0], CHAINED[7]])
    check_recorded()
    tap.done()


main()
