#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`export --format=chrome` opened by speedscope, in a browser, and by the Firefox profiler's own program: the time of each function, and that
without what it calls, are the periods of `report`; of a recording all slices are there.

SPEEDSCOPE names the folder of the npm package speedscope (1.25 was tried), PAGE_TOOLS a folder whose node_modules has playwright-core; Chromium
and node are found in the PATH. PROFILER_CLI names the program of the npm package @firefox-devtools/profiler-cli (0.10 was tried).
"""
import collections
import json
import os
import random
import re
import shutil
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import chrome_file  # noqa: E402
import firefox_file  # noqa: E402
import perf_file  # noqa: E402
import tap  # noqa: E402
from exported import CALLS, EVENT  # noqa: E402

SPEEDSCOPE, TOOLS, CLI = (os.environ.get(name, "") for name in ("SPEEDSCOPE", "PAGE_TOOLS", "PROFILER_CLI"))
CHROMIUM, NODE = shutil.which("chromium"), shutil.which("node")
DRIVER = os.path.join(os.environ.get("abs_srcdir", "."), "tests/support/speedscope_driver.mjs")
HAS_SPEEDSCOPE = (CHROMIUM and NODE and os.path.exists(os.path.join(SPEEDSCOPE or "/none", "dist/release/index.html")) and
                  os.path.isdir(os.path.join(TOOLS or "/none", "node_modules/playwright-core")))
if not firefox_file.is_built():
    tap.skip_all("this tstream was built without zlib")
if not HAS_SPEEDSCOPE and not shutil.which(CLI or "/none"):
    tap.skip_all("SPEEDSCOPE, PAGE_TOOLS with Chromium and node, and PROFILER_CLI: no viewer is here")
FUNCTIONS = ["main", "read", "write", "parse", "sort"]
MS, GAP = 10 ** 6, float(chrome_file.GAP)
os.environ.update(HOME=tap.scratch, PROFILER_CLI_SESSION_DIR=tap.path("sessions"), PROFILER_CLI_NO_SYMBOLICATE="1")


def story():
    """Samples of three threads that are a period apart, or far: then slices have the periods of report. Functions call themselves, too."""
    program = perf_file.Program(tap.path("story.so"), FUNCTIONS)
    capture, choice = perf_file.PerfFile(), random.Random(7)
    for tid in (7, 8, 9):
        capture.thread(7, tid, f"thread{tid}")
    capture.map(7, program)
    at = 10 ** 9
    for _ in range(400):
        at += choice.choice((1, 1, 1, 2, 5)) * MS
        for tid in choice.sample((7, 8, 9), choice.randint(1, 3)):
            frames = ["main", *choice.choices(FUNCTIONS[1:], k=choice.randint(0, 4))]
            capture.sample(7, tid, at, [program.at(function) for function in reversed(frames)], period=MS)
    capture.write(tap.path("story"))
    return tap.path("story")


def recording():
    path = tap.path("cap")
    tap.run(tap.TSTREAM, "record", "-q", "-F", "999", "-e", EVENT, "-g", "-o", path, "--", sys.executable, "-c", CALLS)
    return path


def rows(path, tid):
    """{function: (own time, time) in us} of report."""
    table = json.loads(tap.run(tap.TSTREAM, "report", "--json", "-s", "sym", "--tid", str(tid), path).out)["tables"][0]
    return {re.sub(r"^\[.\] ", "", row["keys"]["sym"]): (row["self"]["period"] / 1000, row["children"]["period"] / 1000) for row in table["rows"]}


def exported(path, *words):
    """(the file, the trace)"""
    out = path + ".trace.json.gz"
    made = tap.run(tap.TSTREAM, "export", "--format=chrome", *words, "-f", "-o", out, path)
    return out, chrome_file.Trace(out) if made.status == 0 else tap.ok(False, "it is exported", made.err)


# --- slices of a viewer: (tid, name, from, until) in us ---

def times_of(slices):
    """{tid: {function: (own time, time)}} of slices, of which each stands behind those that it is in."""
    found, opened = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0])), collections.defaultdict(list)
    for tid, name, begin, end in slices:
        stack = opened[tid]
        while stack and stack[-1][1] <= begin:
            stack.pop()
        if stack:
            found[tid][stack[-1][0]][0] -= end - begin
        found[tid][name][0] += end - begin
        if name not in [of for of, _ in stack]:
            found[tid][name][1] += end - begin
        stack.append((name, end))
    return {tid: {name: tuple(each) for name, each in functions.items()} for tid, functions in found.items()}


def from_first(slices):
    """speedscope has each thread begin at 0."""
    first = {tid: min(begin for of, _, begin, _ in slices if of == tid) for tid, *_ in slices}
    return collections.Counter((tid, name, begin - first[tid], end - first[tid]) for tid, name, begin, end in slices)


def of_speedscope(path):
    saved = tap.path("saved.json")
    ran = tap.run(NODE, DRIVER, TOOLS, CHROMIUM, SPEEDSCOPE, path, saved)
    if not os.path.exists(saved):
        tap.ok(False, "speedscope opens it", (ran.out + ran.err)[:2000])
        tap.done()
    with open(saved, encoding="utf-8") as f:
        document = json.load(f)
    os.unlink(saved)
    said, found = json.loads(ran.out), []
    for profile in document["profiles"]:
        tid, opened = int(re.search(r"tid (\d+)\)$", profile["name"])[1]), []
        for event in profile["events"]:
            if event["type"] == "O":
                opened.append(len(found))
                found.append((tid, document["shared"]["frames"][event["frame"]]["name"], event["at"], None))
            else:
                number = opened.pop()
                assert profile["unit"] == "microseconds" and found[number][1] == document["shared"]["frames"][event["frame"]]["name"]
                found[number] = (*found[number][:3], event["at"] + GAP)
    return found, said["errors"]


def ask(*words):
    result = tap.run(CLI, *words, "--json")
    return json.loads(result.out) if result.status == 0 and result.out.startswith("{") else {"error": result.out + result.err}


def of_firefox(path):
    tap.run(CLI, "load", path)
    for _ in range(100):  # a slow machine is not ready when the program says so
        threads = ask("thread", "list")
        if "threads" in threads:
            break
        time.sleep(0.1)
    found = []
    for thread in threads.get("threads", []):
        markers = ask("thread", "markers", "--thread", thread["threadHandle"], "--limit", "0", "--top-n", "10000000")
        found += [(int(thread["tid"].rpartition(":")[2]), kind["markerName"], m["start"] * 1000, round(m["duration"] * 1000 + GAP))
                  for kind in markers.get("byType", []) if kind["isInterval"] for m in kind["topMarkers"]]
    tap.run(CLI, "stop")
    found = [(tid, name, round(begin), round(begin) + length) for tid, name, begin, length in found]
    return sorted(found, key=lambda s: (s[2], -s[3])), threads.get("error")


def check(viewer, read, has_order):
    path = story()
    out, trace = exported(path)
    got, errors = read(out)
    tap.ok(not errors, f"{viewer}: opens it without an error", errors)
    got = {tid: {name: times[0 if has_order else 1:] for name, times in functions.items()} for tid, functions in times_of(got).items()}
    wanted = {tid: {name: times[0 if has_order else 1:] for name, times in rows(path, tid).items()} for tid in (7, 8, 9)}
    tap.ok(got == wanted, f"{viewer}: each function has the periods of report{', with and without what it calls' if has_order else ''}",
           f"{got} {wanted}"[:1500])
    path = recording()
    for words in ([], ["--timeline=cpu"]):
        out, trace = exported(path, *words)
        got = [(tid, re.sub(r" \{.*\}$", "", name), begin, end) for tid, name, begin, end in read(out)[0]]  # speedscope adds arguments to names
        got, wanted = from_first(got), from_first([(s.tid, s.name, s.from_us, s.until_us) for s in trace.slices.elements()])
        tap.ok(len(wanted) > 50 and got == wanted, f"{viewer}: of a recording it has every slice {' '.join(words)}",
               f"{list((got - wanted).items())[:3]} {list((wanted - got).items())[:3]}")


if HAS_SPEEDSCOPE:
    check("speedscope", of_speedscope, True)
else:
    tap.skip("speedscope", "SPEEDSCOPE, PAGE_TOOLS, Chromium or node is missing")
if shutil.which(CLI or "/none"):
    check("Firefox profiler", of_firefox, False)
else:
    tap.skip("Firefox profiler", "PROFILER_CLI names no profiler-cli")
tap.done()
