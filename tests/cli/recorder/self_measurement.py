#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What writers measure of themselves: in tstream.json and, with -v, as a table.

A recorder that is stopped for a second while calls wait in its ring has a lag of a second.
"""
import json
import os
import re
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import caller  # noqa: E402
import stopped  # noqa: E402
import tap  # noqa: E402


def check_histogram(name, histogram, nr):
    buckets = histogram["by_power_of_two_us"]
    tap.equal(sum(buckets), nr, f"{name}: one entry each")
    tap.ok(histogram["median_ns"] <= histogram["p99_ns"] <= histogram["max_ns"], f"{name}: median, 99 % and maximum rise",
           histogram)
    limit_us = histogram["max_ns"] // 1000
    tap.ok(len(buckets) == 1 + limit_us.bit_length() or len(buckets) == 26, f"{name}: the maximum is in the last bucket",
           histogram)


def check_writer(name, writer):
    check_histogram(f"{name}: write latency", writer["write"], writer["blocks"])
    tap.equal(writer["write"]["max_ns"], writer["write_max_ns"], f"{name}: the longest write is the one known before")
    tap.ok(writer["cpu"]["user_ns"] + writer["cpu"]["system_ns"] > 0, f"{name}: it took CPU time", writer["cpu"])
    tap.ok(writer["memory_bytes"] >= 512 << 10, f"{name}: it has its buffers", writer["memory_bytes"])


def check(name, *options):
    capture = tap.path("cap")
    recorder = caller.Recorder(tap.TSTREAM, capture, "-v", "--threads=package", *options)
    recorder.call(10)
    with stopped.recorder(recorder.process.pid):
        recorder.call(10)
        time.sleep(1)
    recorder.call(10)
    recorder.end()
    status, err = recorder.join()
    tap.equal(status, 0, f"{name}: recording succeeds")
    with open(os.path.join(capture, "tstream.json")) as f:
        note = json.load(f)
    active = [w for w in note["writers"] if w["blocks"]]
    for writer in active:
        check_writer(f"{name}: {writer['stream']}", writer)
        if "lag" in writer:
            check_histogram(f"{name}: {writer['stream']}: lag", writer["lag"], writer["chunks"])
    lags = [w["lag"]["max_ns"] for w in active if "lag" in w]
    if lags:
        tap.ok(max(lags) >= 1_000_000_000, f"{name}: a second's stop is a lag of a second", lags)
    else:
        tap.skip(f"{name}: a second's stop is a lag of a second", "this machine's clocks are too slow to be the events' clock")
    tap.ok(all(r["fill_max_bytes"] <= r["bytes"] for r in note["rings"]) and any(r["fill_max_bytes"] for r in note["rings"]),
           f"{name}: rings have been as full as they can be", note["rings"])
    compressing = sum(w["compress_ns"] for w in note["writers"])
    tap.equal((compressing > 0, bool(re.search(r", at \d+ MB/s of a CPU\)", err))), ("-z" in options,) * 2,
              f"{name}: how fast it compressed is told where it did")
    table = re.search(r"^  writer +ring .*\n((?: +\d+ +\d+ % \|.*\n)+)", err, re.M)
    tap.ok(table and table[1].count("\n") == len(note["writers"]), f"{name}: -v has a line for each writer", err)
    tap.ok(table and all(len(line) <= 100 for line in table[0].splitlines()), f"{name}: which fits 100 columns", err)


def main():
    caller.skip_all_where_impossible()
    check("io_uring")
    check("pwrite, compressed", "--io=pwrite", "-z")
    tap.done()


main()
