#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`export --format=firefox` opened by the Firefox profiler itself, in its command line program.

PROFILER_CLI names that program, from the npm package @firefox-devtools/profiler-cli (0.10 was tried): no part of this tree.
"""
import collections
import json
import os
import re
import shutil
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import firefox_file  # noqa: E402
import perf_file  # noqa: E402
import tap  # noqa: E402
from exported import CALLS, EVENT  # noqa: E402

CLI = os.environ.get("PROFILER_CLI", "")
if not firefox_file.is_built():
    tap.skip_all("this tstream was built without zlib")
if not shutil.which(CLI or "/none"):
    tap.skip_all("PROFILER_CLI names no profiler-cli")
os.environ.update(HOME=tap.scratch, PROFILER_CLI_SESSION_DIR=tap.path("sessions"), PROFILER_CLI_NO_SYMBOLICATE="1")


def ask(*words):
    result = tap.run(CLI, *words, "--json")
    return json.loads(result.out) if result.status == 0 and result.out.startswith("{") else {"error": result.out + result.err}


def opened(*words):
    """Exports and loads it. A slow machine is not ready within half a second, and the program says so too early."""
    path = tap.path("profile.json.gz")
    made = tap.run(tap.TSTREAM, "export", "--format=firefox", "-f", "-o", path, *words)
    said = tap.run(CLI, "load", path)
    for _ in range(100):
        threads = ask("thread", "list")
        if "threads" in threads:
            break
        time.sleep(0.1)
    return threads.get("threads", []), made.err + said.out + said.err


def closed(function):
    """Each session is a process: it ends, whatever a check finds."""
    try:
        function()
    finally:
        tap.run(CLI, "stop")


def rows(*words):
    """{(object, function): (self, total)} of report, for functions that are known."""
    table = json.loads(tap.run(tap.TSTREAM, "report", "--json", "-s", "dso,sym", *words).out)["tables"][0]
    each = table["period"] / table["samples"]
    found = {}
    for row in table["rows"]:
        name = re.sub(r"^\[.\] ", "", row["keys"]["sym"])
        if not name.startswith(("0x", "[")):
            dso, (own, total) = row["keys"]["dso"], found.get((row["keys"]["dso"], name), (0, 0))
            found[dso, name] = own + row["self"]["samples"], total + round(row["children"]["period"] / each)
    return found


def check_recorded():
    cap = tap.path("cap")
    tap.run(tap.TSTREAM, "record", "-q", "-F", "1999", "-e", EVENT, "-g", "-o", cap, "--", sys.executable, "-c", CALLS)
    threads, said = opened(cap)
    counts = {row["keys"]["tid"]: row["self"]["samples"]
              for row in json.loads(tap.run(tap.TSTREAM, "report", "--json", "--no-children", "-s", "tid", cap).out)["tables"][0]["rows"]}
    tap.equal({thread["tid"] for thread in threads}, set(counts), "the viewer has the threads of report")
    for thread in threads:
        tid, handle = thread["tid"], thread["threadHandle"]
        info = ask("thread", "info", "--thread", handle)
        tap.ok(info.get("sampleCount") == counts[tid], f"{thread['name']}: as many samples", f"{info} {counts[tid]} {said}"[:800])
        got = collections.defaultdict(lambda: (0, 0))  # an object may have two paths
        for f in ask("thread", "functions", "--thread", handle, "--limit", "0", "--include-idle").get("functions", []):
            own, total = got[f.get("library") or "", f["name"]]
            got[f.get("library") or "", f["name"]] = own + f["selfSamples"], total + f["totalSamples"]
        wanted = rows("--tid", str(tid), cap)
        wrong = [f"{key}: {got.get(key)} and {wanted[key]}" for key in wanted if got.get(key) != wanted[key]]
        tap.ok(wanted and not wrong, f"{thread['name']}: self and total of each function are those of report", "\n".join(wrong[:10]))


def check_losses():
    program = perf_file.Program(tap.path("prog.so"), ["main"])
    capture = perf_file.PerfFile(chains=False)
    capture.thread(7, 7, "name")
    capture.map(7, program)
    for i in range(80):
        capture.sample(7, 7, 10 ** 9 + i * 50 * 10 ** 6, [program.at("main")])
    capture.lost(3, 2 * 10 ** 9 + 1)
    capture.write(tap.path("lossy"))
    opened(tap.path("lossy"))
    said = tap.run(CLI, "thread", "markers").out
    tap.ok("lost samples" in said and "1 markers  (interval: min=1s" in said, "losses are marks of their seconds", said)


closed(check_recorded)
closed(check_losses)
tap.done()
