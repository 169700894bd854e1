#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""report --tasks prints perf's tree of threads, --mmaps their maps with it, and --raw-trace makes the key trace show perf's
fields."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

WORKLOAD = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/many_modules")
FORKS = ["-e", "sched:sched_process_fork"]
MAP = re.compile(r"^( +[0-9a-f]+-[0-9a-f]+ [r-][w-][x-][ps] [0-9a-f]{8,} )(\d+)( /)")
TOOLS = {"perf": [tap.PERF, "record", "-B", "-N", "--no-bpf-event"], "tstream": [tap.TSTREAM, "record"]}


def record(tool, name, *options):
    capture = tap.path(f"{tool}.{name}")
    result = tap.run(*TOOLS[tool], "-q", "-m", "4M", *FORKS, *options, "-o", capture, "--", WORKLOAD)
    tap.ok(result.status == 0, f"{tool} records {name}", result.err)
    return capture


def compare(capture, sentence, at_least, *options):
    perf = tap.run(tap.PERF, "report", "--stdio", *options, "-i", capture)
    ours = tap.run(tap.TSTREAM, "report", *options, "-i", capture)
    if "build-id.c" in perf.err:
        return tap.skip(sentence, "perf fell over records that another recorder on this machine changed")
    mine, theirs = ([line.rstrip() for line in text.splitlines()] for text in (ours.out, perf.out))
    if "/tstream." in capture:  # perf takes a part of the build-id for the inode
        mine, theirs = ([MAP.sub(r"\g<1>0\3", line) for line in lines] for lines in (mine, theirs))
    if "--raw-trace" in options:  # rows of equal weight have an order of their own, and so have comments
        mine, theirs = (sorted(line for line in lines if line and line[0] != "#") for lines in (mine, theirs))
    return tap.ok(ours.status == 0 and mine == theirs and len(mine) >= at_least, sentence,
                  f"{perf.status} {perf.err}{ours.status} {ours.err}\ntstream: {mine[:20]}\nperf:    {theirs[:20]}")


def main():
    if not tap.PERF:
        tap.skip_all("perf is not installed: there is nothing to compare with")
    if not tap.can_record_all():
        tap.skip_all("recording tracepoints of the whole machine needs root")
    for tool in TOOLS:
        for name, options in (("a command", []), ("everything", ["-a"])):
            capture = record(tool, name, *options)
            compare(capture, f"{tool}, {name}: the same tree", 5, "--tasks")
            compare(capture, f"{tool}, {name}: the same maps", 20, "--mmaps")
            inodes = [found.group(2) for line in tap.run(tap.TSTREAM, "report", "--mmaps", "-i", capture).out.splitlines()
                      if (found := MAP.match(line))]
            tap.ok(inodes and (len(set(inodes)) > 2 or tool == "tstream"), f"{tool}, {name}: files have inodes", inodes[:9])
            compare(capture, f"{tool}, {name}: the same fields", 2, "--raw-trace", "--no-children", "-g", "none", "--sort", "trace")
    for option in "--tasks", "--mmaps":
        refused = tap.run(tap.TSTREAM, "report", option, "--time", "1,2", "-i", capture)
        tap.ok(refused.status == 2 and f"cannot show {option} of a part" in refused.err, f"{option} is of the whole capture",
               refused.err)
    tap.done()


if __name__ == "__main__":
    main()
