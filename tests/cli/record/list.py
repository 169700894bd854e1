#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tstream list: what it shows is there, by perf's list and by tracefs, and record's -e takes it."""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap


def listed(*words):
    result = tap.run(tap.TSTREAM, "list", *words)
    rows = [re.split(r"\s{2,}| (?=\S+$)", line) for line in result.out.splitlines()]
    return result, {name: row[-1] for row in rows for name in row[0].strip().split(" or ")}


result, events = listed()
tap.equal(result.status, 0, "list exits 0")
tap.equal(events.get("cpu-clock"), "software", "cpu-clock is a software event")
tap.ok({"cs", "context-switches"} <= set(events), "both names of an event are shown", events)

result, software = listed("sw")
tap.equal(set(software.values()), {"software"}, "sw lists software events only")

result, clocks = listed("*-clock")
tap.equal(sorted(clocks), ["cpu-clock", "task-clock"], "a pattern chooses names")

result, part = listed("migr", "faults")
tap.ok({"cpu-migrations", "page-faults"} <= set(part) and "cpu-clock" not in part,
       "several words choose what fits any of them", part)

result = tap.run(tap.TSTREAM, "list", "no-such-event")
tap.equal(result.status, 1, "a word that nothing fits is a failure")
tap.equal(result.out, "", "then nothing is on stdout")
tap.ok(re.search("cannot list 'no-such-event': (this machine has no such event|it matches none of the events that could be read)", result.err),
       "and one sentence says so", result.err)

if not shutil.which("perf"):
    tap.skip("the lists of perf agree", "perf is not installed")
else:
    def perf_list(word):
        out = tap.run("perf", "list", word).out
        rows = re.findall(r"^  (\S.*?) +\[.*event.*\]$", out, re.M | re.I)
        return {name for row in rows for name in row.split(" OR ")}

    wanted = {e for e in perf_list("sw") if not re.search("_time$", e)}
    got = set(listed("sw")[1])
    tap.ok(wanted <= got, "every software event of perf list is shown", wanted - got)
    tap.equal({e for e in perf_list("hw") if "/" not in e}, set(listed("hw")[1]),
              "the hardware events are those of perf list")

    points = {e for e in perf_list("tracepoint")}
    result, ours = listed("tracepoint")
    if not points:
        tap.skip("the tracepoints are those of perf list", "perf lists none")
    else:
        tap.equal(set(ours), points, "the tracepoints are those of perf list")

if os.geteuid():
    tap.skip("an ordinary user is told why there are no tracepoints", "needs root to become one")
else:
    tracefs = "/sys/kernel/tracing"
    result = tap.run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", tap.TSTREAM,
                     "list")
    readable = os.path.isdir(tracefs) and os.stat(tracefs).st_mode & 0o005 == 0o005
    tap.ok(result.status == 0 and (readable or "cannot" in result.err),
           "an ordinary user is told why there are no tracepoints", result.err)
    result = tap.run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", tap.TSTREAM,
                     "list", "no-such-event")
    words = "this machine has no such event" if readable else "it matches none of the events that could be read"
    tap.ok(words in result.err, "and nothing is said of events that he cannot see", result.err)

tap.done()
