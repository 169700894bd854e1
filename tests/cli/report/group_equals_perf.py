#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Events of a group share rows: the text is perf's, of captures made here whose events are grouped, or forced to be. Without
perf: the rows of a few samples by hand, -t, any number of workers, and what cannot be grouped.

No two rows of the captures weigh the same, so the order is perf's, too.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import perf_file  # noqa: E402
import report_text  # noqa: E402
import tap  # noqa: E402

CASES = [[], ["-n"], ["--no-group"], ["--group"], ["--group-sort-idx", "1"], ["--group-sort-idx", "7"], ["--no-children"],
         ["--no-children", "-g", "none", "--group-sort-idx", "1"],
         ["--percent-limit", "5"], ["--show-total-period", "--show-cpu-utilization", "-g", "none"], ["-s", "sym"], ["-s", "pid,cpu"],
         ["-c", "command10"], ["-c", "command10", "--percentage", "relative", "-g", "none"], ["-F", "sym,overhead,sample"], ["-g", "caller"],
         ["-s", "period,sym", "-g", "none"], ["-g", "fractal,5"], ["--max-stack", "2"], ["-q"],
         ["--hierarchy", "-g", "none"], ["--hierarchy", "-s", "{comm,dso},sym", "-n", "--group-sort-idx", "1"]]
FORCED = [[], ["--group"], ["--group", "-n"], ["--group", "--group-sort-idx", "2"], ["--group", "--hierarchy"]]
KNOWN = """# Samples: 4  of events 'anon group { cpu-clock, task-clock }'
# Event count (approx.): 110
#
#         Overhead                   Samples  Command
# ................  ........................  .......
#
    75.00%   0.00%             1           0  one
    25.00%  90.00%             1           1  two
     0.00%  10.00%             0           1  three
"""
REFUSED = [(["--json", "--group"], "JSON"), (["--no-group", "--group-sort-idx", "1"], "--no-group"), (["--group-sort-idx", "x"], "number"),
           (["--group", "-s", "event,sym"], "sort key"), (["--group-sort-idx", "1"], "without groups")]


def make_known(groups):
    made = perf_file.PerfFile(2, chains=False, groups=groups)
    program = perf_file.Program(tap.path("known.so"), ["main"])
    for pid, name in ((5, "one"), (6, "two"), (7, "three")):
        made.thread(pid, pid, name)
        made.map(pid, program)
    for pid, event, period in ((5, 0, 75), (6, 0, 25), (6, 1, 9), (7, 1, 1)):
        made.sample(pid, pid, 1000 + len(made.records), [program.at("main")], period, event=event)
    made.write(tap.path(f"known of {len(groups)}"))
    return tap.path(f"known of {len(groups)}")


def report(capture, *options):
    return tap.run(tap.TSTREAM, "report", "-i", capture, *options)


def check_known(known, plain):
    """Without perf."""
    text = "\n".join(line.rstrip() for line in report(known, "-n", "-s", "comm").out.splitlines())
    tap.equal(text[text.find("# Samples"):].rstrip() + "\n", KNOWN, "rows by hand")
    tap.equal(report(known, "-q", "-s", "comm", "-t", ";").out.split("\n")[:3],
              ["75.00% 0.00%;one", "25.00% 90.00%;two", "0.00% 10.00%;three"], "with -t, a blank between two members")
    rows = [[(row["keys"]["comm"], row["self"]["period"]) for row in table["rows"]]
            for table in json.loads(report(known, "--json", "-s", "comm").out)["tables"]]
    tap.equal(rows, [[("one", 75), ("two", 25)], [("two", 9), ("three", 1)]], "JSON has each event by itself")
    for options, word in REFUSED:
        refused = report(plain, *options)
        tap.ok(refused.status == 2 and refused.err.startswith("tstream: cannot ") and word in refused.err and not refused.out,
               f"{' '.join(options)} is refused", refused.err)


def main():
    check_known(make_known([("{anon_group}", 0, 2)]), make_known([]))
    odd = report(make_known([("a", 0, 2), ("b", 1, 1), ("c", 7, 2), ("d", 1, 2 ** 32 - 1)]), "-s", "comm")
    tap.ok("of events 'a { cpu-clock, task-clock }'" in odd.out and not odd.status,
           "groups of events that are not there are left out", odd.out)
    grouped = report_text.make("grouped", 3, 3, [("{anon_group}", 0, 2)])
    named = report_text.make("named", 4, 3, [("some name", 0, 3)])
    texts = {report(grouped, "-n", "-j", jobs).out for jobs in ("1", "2", "7")}
    tap.equal(len(texts), 1, "1, 2 and 7 workers report the same")
    if not tap.PERF:
        tap.skip("rows of groups are perf's", "perf is not installed")
        tap.done()
        return
    report_text.check(grouped, "a group and an event", CASES)
    report_text.check(named, "a group with a name", [["-n"], ["--group-sort-idx", "2"]])
    report_text.check(report_text.make("plain", 5, 3), "--group", FORCED)
    tap.done()


main()
