#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several captures in one report: its rows are the sums of the rows of each, the key host tells them apart, and so for any
number of workers; damage of any of them is named; what is of one capture only is refused."""
import collections
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

EVENT = re.compile(r"^# Samples: \S+ +of events? '(.*)'", re.M)
ROW = re.compile(r"^ +\d+\.\d\d% +(\d+)  (.*)$")
FLAT = ("--no-children", "-g", "none", "-n")


def record(name, *options):
    capture = tap.path(name)
    command = ["sh", "-c", "ls -R /usr/lib/python3* >/dev/null; true | true"]
    result = tap.run(tap.TSTREAM, "record", "-q", "-e", "page-faults", "-c", "1", *options, "-o", capture, "--", *command)
    if result.status:
        tap.skip_all(f"cannot record here: {result.err}")
    return capture


def report(captures, *options):
    return tap.run(tap.TSTREAM, "report", *captures, *options)


def rows(result):
    """Samples by event and what the row is of."""
    found, event = collections.Counter(), None
    for line in result.out.splitlines():
        head, row = EVENT.match(line), ROW.match(line)
        event = head.group(1) if head else event
        if row:
            found[event, " ".join(row.group(2).split())] += int(row.group(1))
    return found


def check_sums(captures):
    for keys in ("comm,dso,sym", "sym", "dso", "comm", "cpu,comm", "dso,sym,cpu"):
        joined = rows(report(captures, *FLAT, "-s", keys))
        alone = sum((rows(report([one], *FLAT, "-s", keys)) for one in captures), collections.Counter())
        tap.ok(joined == alone and joined, f"rows by {keys} are the sums of those of each",
               f"{(joined - alone).most_common(5)}\n{(alone - joined).most_common(5)}")
    hosts = rows(report(captures, *FLAT, "-s", "host,comm,sym"))
    wanted = collections.Counter()
    for one in captures:
        for (event, text), n in rows(report([one], *FLAT, "-s", "comm,sym")).items():
            wanted[event, f"{one} {text}"] += n
    tap.equal(hosts, wanted, "host tells them apart, by the path where the hosts are the same")
    part = rows(report(captures, *FLAT, "-s", "sym", "--time", "0%-50%"))
    alone = sum((rows(report([one], *FLAT, "-s", "sym", "--time", "0%-50%")) for one in captures), collections.Counter())
    tap.equal(part, alone, "--time selects from each")
    threads = rows(report(captures, *FLAT, "-s", "pid"))
    alone = [key for one in captures for key in rows(report([one], *FLAT, "-s", "pid"))]
    tap.equal(sorted(threads), sorted(set(alone)), "threads have the names of their own captures")


def check_forms(captures):
    named = [word for one in captures for word in ("-i", one)]
    whole = report(captures)
    tap.ok(whole.status == 0 and whole.err == "" and f"# Captures: {captures[0]}, {captures[1]}" in whole.out,
           "a comment names them", whole.out[:500] + whole.err)
    tap.equal(report(named).out, whole.out, "-i may be repeated")
    for options in ((), ("-s", "event,host"), FLAT):
        texts = {report(captures, "-j", jobs, *options).out for jobs in ("1", "2", "7")}
        tap.equal(len(texts), 1, f"1, 2 and 7 workers report the same: {options}")
    for options in ("--json",), ("--stats",), ("-D",), ("--loss",), ("--header",), ("--header-only",), ("--tasks",):
        result = report(captures, *options)
        tap.ok(result.status == 2 and not result.out and "several captures" in result.err, f"{options[0]} is of one", result.err)
    result = report([captures[0], captures[0]])
    tap.ok(result.status == 2 and "twice" in result.err, "one capture is not counted twice", result.err)
    result = report([captures[0], tap.path("missing")])
    tap.ok(result.status == 1 and not result.out and "missing" in result.err, "each must be there", result.err)


def check_damage(captures):
    stream = sorted(name for name in os.listdir(captures[1]) if name.startswith("data."))[0]
    os.remove(os.path.join(captures[1], stream))
    result = report(captures)
    tap.ok(result.status == 1 and stream in result.err and "# Samples:" in result.out, "damage of the second is named", result.err)


captures = [record("first", "-g"), record("second", "-e", "context-switches", "-c", "1")]
check_sums(captures)
check_forms(captures)
check_damage(captures)
tap.done()
