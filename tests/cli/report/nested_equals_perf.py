#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""report --hierarchy prints perf's text, of captures made here and a recorded one: keys in levels and in braces, sums, limits,
filters, call graphs, several events. Without perf: the rows of a few samples by hand, and the same from JSON.

No two rows of the captures weigh the same, so the order is perf's, too.
"""
import difflib
import json
import os
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import json_schema  # noqa: E402
import perf_file  # noqa: E402
import report_text  # noqa: E402
import tap  # noqa: E402

GRAPHLESS = [[], ["-n"], ["--percent-limit", "2"], ["--percent-limit", "9", "-n"], ["--show-total-period", "--show-cpu-utilization"],
             ["-s", "{comm,dso},sym"], ["-s", "comm,{dso,sym}"], ["-s", "{comm}{cpu}sym"], ["-s", "{comm,dso,sym"], ["-s", "sym"],
             ["-s", "pid,sym"], ["-s", "cpu,comm,dso"], ["-s", "comm,cpu,{pid,dso},sym", "-n"], ["-s", "+cpu"],
             ["-s", "comm,comm,dso"], ["-s", "time,comm", "--time-quantum", "1us"], ["-c", "command10"], ["--tid", "11"],
             ["-c", "command10,command20"], ["-c", "command10", "--percentage", "relative"], ["-q", "-s", "dso,comm"]]
CHAINED = [[], ["--children"], ["--no-children"], ["-g", "callee"], ["-g", "caller,3", "-s", "sym"], ["-g", "fractal,5"], ["-G"],
           ["-g", "folded,0", "-s", "{comm,sym}"], ["-g", "flat,2"], ["-s", "comm,dso", "-p", "inner"], ["--max-stack", "2"],
           ["-g", "none", "-s", "parent,sym", "-p", "function_1$"]]


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
        theirs, ours = (report_text.text_of(tool, recorded, "--hierarchy", "-n", "-s", keys) for tool in (tap.PERF, tap.TSTREAM))
        # rows of equal weight have an order of their own
        tap.ok(sorted(theirs[1]) == sorted(ours[1]) and not ours[0] and len(ours[1]) > 20, f"a recorded capture by {keys}: the same lines",
               "\n".join(difflib.unified_diff(sorted(theirs[1]), sorted(ours[1]), "perf", "tstream", lineterm="", n=0)))


def main():
    check_known(make_known())
    one, two = report_text.make("one", 1, 1), report_text.make("two", 2, 2)
    texts = {tap.run(tap.TSTREAM, "report", "--hierarchy", "-i", two, "-j", jobs).out for jobs in ("1", "2", "7")}
    tap.equal(len(texts), 1, "1, 2 and 7 workers report the same")
    if not tap.PERF:
        tap.skip("nested rows are perf's", "perf is not installed")
        tap.done()
        return
    report_text.check(one, "rows", [["--hierarchy", *case, "-g", "none"] for case in GRAPHLESS])
    report_text.check(one, "call graphs", [["--hierarchy", *case] for case in CHAINED])
    some = GRAPHLESS[1], GRAPHLESS[3], GRAPHLESS[8], CHAINED[0], CHAINED[7]
    report_text.check(two, "two events", [["--hierarchy", *case] for case in some])
    check_recorded()
    tap.done()


main()
