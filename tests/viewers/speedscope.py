#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`export --format=speedscope` read by speedscope itself, in a browser: what it saves again has the rows of `report`.

SPEEDSCOPE names the folder of the npm package speedscope (1.25 was tried), PAGE_TOOLS a folder whose node_modules has playwright-core; Chromium
and node are found in the PATH.
"""
import collections
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import firefox_file  # noqa: E402
import tap  # noqa: E402
from exported import CALLS, EVENT  # noqa: E402

SPEEDSCOPE, TOOLS = os.environ.get("SPEEDSCOPE", ""), os.environ.get("PAGE_TOOLS", "")
CHROMIUM, NODE = shutil.which("chromium"), shutil.which("node")
DRIVER = os.path.join(os.environ.get("abs_srcdir", "."), "tests/support/speedscope_driver.mjs")
if not firefox_file.is_built():
    tap.skip_all("this tstream was built without zlib")
if not os.path.exists(os.path.join(SPEEDSCOPE or "/none", "dist/release/index.html")):
    tap.skip_all("SPEEDSCOPE names no folder of speedscope")
if not os.path.isdir(os.path.join(TOOLS or "/none", "node_modules/playwright-core")):
    tap.skip_all("PAGE_TOOLS names no folder with playwright-core")
if not CHROMIUM or not NODE:
    tap.skip_all("chromium or node is missing")


def read_by_viewer(*words):
    """The document that speedscope saves of what it has read."""
    path, saved = tap.path("profile.json.gz"), tap.path("saved.json")
    made = tap.run(tap.TSTREAM, "export", "--format=speedscope", "-f", "-o", path, *words)
    ran = tap.run(NODE, DRIVER, TOOLS, CHROMIUM, SPEEDSCOPE, path, saved)
    if not os.path.exists(saved):
        tap.ok(False, "speedscope opens it", (made.err + ran.out + ran.err)[:2000])
        tap.done()
    said = json.loads(ran.out)
    tap.ok(not said["errors"] and all(url.startswith(("file:", "blob:", "data:")) for url in said["requests"]), "no error, nothing is sent",
           f"{said}"[:1500])
    with open(saved, encoding="utf-8") as f:
        return json.load(f)


def threads_of(profile):
    return {int(p["name"].rpartition("/")[2].rstrip(")")): (sum(own_of(profile, [p]).values()), p["endValue"], p["unit"]) for p in profile["profiles"]}


def own_of(profile, parts):
    """{function: its own weight}. It saves the beginning and the end of each call."""
    found = collections.Counter()
    for p in parts:
        stack, before = [], 0
        for event in p["events"]:
            if stack:
                found[profile["shared"]["frames"][stack[-1]]["name"]] += event["at"] - before
            before = event["at"]
            if event["type"] == "O":
                stack.append(event["frame"])
            else:
                stack.pop()
    return found


def rows(keys, *words):
    table = json.loads(tap.run(tap.TSTREAM, "report", "--json", "--no-children", "-s", keys, *words).out)["tables"][0]
    found = collections.Counter()
    for row in table["rows"]:
        found[row["keys"][keys]] += row["self"]["period"]
    return found


cap = tap.path("cap")
tap.run(tap.TSTREAM, "record", "-q", "-F", "1999", "-e", EVENT, "-g", "-o", cap, "--", sys.executable, "-c", CALLS)
document = read_by_viewer(cap)
tap.equal(threads_of(document), {tid: (period, period, "nanoseconds") for tid, period in rows("tid", cap).items()}, "threads have the periods of report")
wanted = collections.Counter()
for name, period in rows("sym", cap).items():
    wanted[re.sub(r"^\[.\] ", "", name)] += period
own = own_of(document, document["profiles"])
wrong = {name: (own[name], period) for name, period in wanted.items() if not name.startswith(("0x", "[")) and own[name] != period}
tap.ok(len(wanted) > 10 and not wrong, "each function has the period of report", f"{wrong}"[:1000])
tap.done()
