#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`report --html` in a browser: the page asks for nothing, its totals are those of `report`, and all works from the keyboard.

PAGE_TOOLS names a folder whose node_modules has playwright-core and axe-core (npm install playwright-core axe-core); Chromium and node are
found in the PATH.
"""
import collections
import json
import os
import re
import shutil
import sys
import urllib.parse

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import page_file  # noqa: E402
import perf_file  # noqa: E402
import tap  # noqa: E402

TOOLS, CHROMIUM, NODE = os.environ.get("PAGE_TOOLS", ""), shutil.which("chromium"), shutil.which("node")
DRIVER = os.path.join(os.environ.get("abs_srcdir", "."), "tests/support/page_driver.mjs")
if not page_file.is_built():
    tap.skip_all("this tstream was built without zlib")
if not os.path.isdir(os.path.join(TOOLS or "/none", "node_modules/axe-core")):
    tap.skip_all("PAGE_TOOLS names no folder with playwright-core and axe-core")
if not CHROMIUM or not NODE:
    tap.skip_all("chromium or node is missing")
WORK = """import os, threading
def calls():
 for _ in range(20000):
  os.stat('/')
  [i * i for i in range(100)]
other = threading.Thread(target=calls)
other.start(); calls(); other.join()"""
EVENT = "cpu-clock:u" if os.geteuid() else "cpu-clock"
ALL = {"from": None, "to": None, "chips": []}


def visit(page, steps, scheme="light"):
    """What the page shows at first, then after each step."""
    with open(tap.path("steps.json"), "w", encoding="utf-8") as f:
        json.dump({"steps": steps, "scheme": scheme}, f)
    ran = tap.run(NODE, DRIVER, TOOLS, CHROMIUM, page, tap.path("steps.json"))
    if not ran.out.startswith("{"):
        tap.ok(False, f"{os.path.basename(page)} opens", (ran.out + ran.err)[:2000])
        tap.done()
    seen = json.loads(ran.out)
    tap.ok(not seen["errors"] and len(seen["requests"]) == 1, f"{os.path.basename(page)}: no error and no request but its own",
           f"{seen['errors']} {seen['requests']}"[:1500])
    return seen["results"]


def reported(*words):
    """{(function, object): (samples, period of self)} of report, by what the page shows."""
    table = json.loads(tap.run(tap.TSTREAM, "report", "--json", "--no-children", "--percentage=relative", "-s", "dso,sym", *words).out)["tables"][0]
    rows = collections.Counter()
    for row in table["rows"]:
        name, dso = re.sub(r"^\[.\] ", "", row["keys"]["sym"]), row["keys"]["dso"]
        rows[(name, dso) if not name.startswith(("0x", "[")) else ("", dso)] += row["self"]["samples"]
    return table["samples"], table["period"], rows


def shown(state):
    """The same of the page. Functions without a name are one for each object."""
    rows = collections.Counter()
    for row in state["rows"]:
        is_named = not row["name"].startswith("[")
        rows[(row["name"], row["object"]) if is_named else ("", row["object"] or row["name"])] += row["samples"]
    return rows


def compare(state, words, what):
    samples, period, wanted = reported(*words)
    tap.ok((state["samples"], state["period"]) == (samples, period), f"{what}: samples and period are those of report",
           f"{state['samples']} {state['period']} {samples} {period}")
    rows = shown(state)
    named = {key: nr for key, nr in wanted.items() if key[0] and key in rows}
    wrong = {key: (rows[key], nr) for key, nr in named.items() if rows[key] != nr}
    tap.ok(named and not wrong, f"{what}: each function has the samples of report", f"{wrong}"[:1500])
    rest = state["rest"]["samples"] if state["rest"] else 0
    tap.ok(sum(rows.values()) + rest == samples, f"{what}: rows and rest are all samples", f"{sum(rows.values())} + {rest}, {samples}")


def check_totals():
    cap, page = tap.path("cap"), tap.path("cap.html")
    tap.run(tap.TSTREAM, "record", "-q", "-F", "1999", "-e", EVENT, "-g", "-o", cap, "--", sys.executable, "-c", WORK)
    tap.run(tap.TSTREAM, "report", "--html=" + page, cap)
    made = page_file.Page(page)
    tid = made.meta["threads"]["tid"][1]
    lines = tap.run(tap.TSTREAM, "report", "--json", "--no-children", "-s", "cpu", cap).out
    cpu = int(json.loads(lines)["tables"][0]["rows"][0]["keys"]["cpu"])
    first = json.loads(tap.run(tap.TSTREAM, "report", "--json", cap).out)["capture"]["span"]["first_ns"]
    length = made.meta["length_ns"]
    start, end = length // 4 // 1000 * 1000, length // 2 // 1000 * 1000
    results = visit(page, [
        {"change": {**ALL, "from": start, "to": end}},
        {"change": {**ALL, "chips": [{"by": "thread", "value": 1, "only": True}]}},
        {"change": {**ALL, "chips": [{"by": "cpu", "value": cpu + 1, "only": True}]}},
        {"change": {**ALL, "chips": [{"by": "thread", "value": 0, "only": False}]}},
        {"change": {**ALL, "search": "stat"}},
    ])
    stamp = "{0[0]}.{0[1]:09d}".format
    compare(results[0], [cap], "nothing selected")
    base = made_start(cap, first)
    compare(results[1], ["--time", f"{stamp(divmod(base + start, 10 ** 9))},{stamp(divmod(base + end - 1, 10 ** 9))}", cap], "a time range")
    compare(results[2], ["--tid", str(tid), cap], "one thread")
    compare(results[3], ["-C", str(cpu), cap], "one CPU")
    compare(results[4], ["--tid", ",".join(map(str, made.meta["threads"]["tid"][1:])), cap], "without a thread")
    lines = tap.run(tap.TSTREAM, "export", "--format=folded", "-o", "-", cap).out.splitlines()
    matched = sum(int(line.rsplit(" ", 1)[1]) for line in lines if "stat" in line.rsplit(" ", 1)[0].lower())
    tap.equal(results[5]["matched"], matched, "a search: as many samples match as in the folded export")


def made_start(cap, first):
    """The time of the first sample that is shown: 0 of the page."""
    said = tap.run(tap.TSTREAM, "script", "--ns", "-F", "time", cap).out.split()
    return min(int(t.rstrip(":").replace(".", "")) for t in said) if said else first


def story():
    """A capture of two threads: hostile names, a second that lost samples."""
    names = ["main", "parse</script><b>", 'quo"te\'s', "naïve_λ", "long_" + "x" * 100000]
    program = perf_file.Program(tap.path("prog.so"), names)
    capture = perf_file.PerfFile(chains=True)
    for tid in (7, 8):
        capture.thread(7, tid, "<i>comm" if tid == 7 else "worker")
    capture.map(7, program)
    for i in range(400):
        leaf = names[1 + i % 4]
        capture.sample(7, 7 + i % 2, 10 ** 9 + i * 10 * 10 ** 6, [program.at(leaf), program.at("main")])
    capture.lost(3, 2 * 10 ** 9 + 1)
    capture.write(tap.path("story"))
    page = tap.path("story.html")
    tap.run(tap.TSTREAM, "report", "--html=" + page, tap.path("story"))
    return page


def check_keys(page):
    results = visit(page, [
        {"press": "/"}, {"type": "quo"}, {"press": "Escape"}, {"press": "n"}, {"press": "s"}, {"press": "Escape"},  # 1-6
        {"press": "Enter"}, {"press": "Escape"}, {"change": {"zoom": -1}, "press": "i"}, {"press": "t"}, {"press": "Escape"},  # 7-11
        {"press": "c"}, {"press": "Escape"}, {"press": "m"}, {"press": "Escape"}, {"press": "o"}, {"press": "Escape"},  # 12-17
        {"press": "?"}, {"press": "Escape"}, {"drag": ["#lanes .over", 200, 20, 300, 20]}, {"press": "d"},  # 18-21
        {"drag": ["#heat .over", 5, 20, 60, 60]}, {"press": "Escape"}, {"press": "Escape"}, {"press": "ArrowDown"}, {"press": "ArrowLeft"}])
    tap.ok(results[1]["focus"] == "search", "/ is the search")
    tap.ok(results[2]["state"]["search"] == "quo" and results[2]["matched"] == 100, "the search marks", f"{results[2]['matched']}")
    tap.ok('quo"te' in results[4]["current"], "n is the next match", results[4]["current"])
    tap.ok(results[5]["sandwich"] and not results[6]["sandwich"], "s shows callers and callees, Escape hides them")
    tap.ok(results[7]["state"]["zoom"] >= 0 and results[8]["state"]["zoom"] < results[7]["state"]["zoom"], "Enter zooms, Escape goes back")
    tap.ok(not results[9]["state"]["icicle"], "i turns the graph")
    for at, word in ((10, "worker"), (12, "CPU"), (14, "<i>comm"), (16, "prog.so"), (18, "callers and callees")):
        tap.ok(results[at]["isDialogOpen"] and word in results[at]["dialog"], f"a list has {word}", results[at]["dialog"][:300])
        tap.ok(not results[at + 1]["isDialogOpen"], "Escape closes it")
    tap.ok(0 < results[20]["samples"] < 400 and " to " in results[20]["chips"], "a drag in the timeline selects a time", f"{results[20]['samples']}")
    tap.ok(results[21]["state"]["a"] and results[21]["samples"] == 400, "d keeps the selection as A")
    tap.ok(0 < results[22]["samples"] < 400, "a drag in the heat map selects a time", f"{results[22]['samples']}")
    tap.ok(not results[23]["state"]["a"], "Escape ends the comparison")
    tap.ok(results[24]["samples"] == 400, "Escape ends the selection")
    tap.ok(len({results[i]["node"] for i in (24, 25, 26)}) == 3, "arrows move", f"{[results[i]['node'] for i in (24, 25, 26)]}")
    tap.ok("Lost: at least 3" in results[0]["faults"], "losses are told in the head", results[0]["faults"])
    names = {row["name"] for row in results[0]["rows"]}
    tap.ok({"parse</script><b>", 'quo"te\'s', "naïve_λ"} <= names, "names are text", f"{ {n[:40] for n in names} }")
    return results[22]["hash"]


def idle_story():
    """A capture whose prog.so only calls lib.so, and whose CPU was idle at times; one event."""
    caller, leaf = perf_file.Program(tap.path("caller.so"), ["main"]), perf_file.Program(tap.path("leaf.so"), ["leaf", "a" * 60])
    capture = perf_file.PerfFile(chains=True)
    for tid, name in ((7, "busy"), (0, "swapper")):
        capture.thread(tid, tid, name)
    capture.map(7, caller)
    capture.map(7, leaf)
    for i in range(100):
        capture.sample(7, 7, 10 ** 9 + i * 10 ** 7, [leaf.at("leaf" if i % 2 else "a" * 60), caller.at("main")])
        capture.sample(0, 0, 10 ** 9 + i * 10 ** 7 + 1, [leaf.at("leaf")])
    capture.write(tap.path("idle"))
    tap.run(tap.TSTREAM, "report", "--html=" + tap.path("idle.html"), tap.path("idle"))
    return tap.path("idle.html")


def check_more_keys(page):
    slow = {"by": "match", "value": "(a+)+$", "only": True}
    results = visit(page, [
        {"press": "h"}, {"press": "Escape"}, {"press": "x"}, {"press": "x"}, {"press": "w"}, {"press": "w"},  # 1-6
        {"press": "ArrowDown"}, {"press": "y"}, {"change": {"search": "leaf"}, "press": "N"}, {"change": {"search": ""}},  # 7-10
        {"press": "o"}, {"press": "Escape"}, {"change": {"search": "(a+)+b"}}, {"change": {"search": "a*a*a*a*a*a*b"}},  # 11-14
        {"change": {"search": "(a|a)" * 30}}, {"change": {"search": "ma.*n|le[*+?]*af"}}, {"change": {"search": "("}},  # 15-17
        {"change": {"search": "", "chips": [slow]}}, {"change": {"chips": []}}])  # 18-19
    tap.ok("idle" in results[1]["dialog"] and not results[2]["isDialogOpen"], "h lists hosts", results[1]["dialog"])
    tap.equal([results[i]["samples"] for i in (0, 3, 4)], [200, 100, 200], "x hides idle CPUs, and shows them")
    tap.equal([results[i]["state"]["weight"] for i in (0, 5, 6)], ["period", "samples", "period"], "w changes weights")
    tap.ok(re.match("copied: (busy|swapper)$|not copied: ", results[8]["current"]), "y says whether it copied the name", results[8]["current"])
    tap.ok(results[9]["current"].startswith("leaf"), "N is the match before", results[9]["current"])
    tap.ok(re.search(r"50\.00%\s*caller.so", results[11]["dialog"]), "o lists objects that only call others", results[11]["dialog"])
    tap.ok(re.match("200 samples of [a-z]", results[0]["facts"]), "the head names the only event", results[0]["facts"])
    for at in (13, 14, 15):
        tap.ok("takes too long" in results[at]["said"], f"an expression that may try for hours is refused: {results[at]['state']['search'][:20]}", results[at]["said"])
    tap.ok("matched: 50.00%, 100 samples" in results[16]["said"], "others are not", results[16]["said"])
    tap.ok("no regular expression" in results[17]["said"], "what is no expression is told", results[17]["said"])
    tap.ok(results[18]["samples"] == 0 and "takes too long" in results[18]["chips"], "a chip of a link, too", results[18]["chips"])


def check_focus(page):
    focus = "document.querySelector('#callees').focus()"
    results = visit(page, [
        {"click": "#functions th.total button"}, {"click": "#functions td.name button"}, {"change": {"zoom": 3}}, {"click": "#crumbs li:nth-child(2) button"},  # 1-4
        {"change": {"chips": [{"by": "thread", "value": i, "only": False} for i in (0, 1)]}}, {"click": "#chips button"}, {"click": "#chips button"},  # 5-7
        {"value": focus}, {"press": "ArrowDown"}, {"press": "ArrowDown"}, {"press": "Enter"}, {"value": focus}, {"press": "ArrowDown"}])  # 8-13
    for at, what in ((1, "Total"), (2, results[1]["rows"][0]["name"]), (4, results[4]["state"]["zoom"] >= 0 and "the zoomed function")):
        tap.ok(what and what in results[at]["focusText"], f"a button that is made anew keeps the focus: {at}", results[at]["focusText"])
    tap.ok("remove: " in results[6]["focusText"], "the chip beside a removed one has the focus", results[6]["focusText"])
    tap.equal(results[7]["focus"], "by-thread", "behind the last chip it is at the filters")
    first = results[9]["sandwichSum"]
    tap.ok(first.startswith("main") and not results[10]["sandwichSum"].startswith("main"), "arrows move in the callees", f"{first} {results[10]['sandwichSum']}")
    tap.ok(results[11]["state"]["focus"] not in (-1, results[10]["state"]["focus"]), "Enter shows those of this function", results[11]["state"])
    tap.ok(results[13]["sandwichSum"].startswith(results[10]["sandwichSum"].split(" ")[0]), "where keys begin at the first box", results[13]["sandwichSum"])


def check_callers(page):
    """20000 calls of a function at 20000 depths: 200 million steps to the roots."""
    lines = """(() => {
        const nr = 40000, one = new Float64Array(nr).fill(1);
        const tree = {nr, look: new Uint8Array(nr), parent: new Int32Array(nr), outermost: new Uint8Array(nr).fill(1)};
        for (let i = 0; i < nr; i++) {
            tree.look[i] = i % 2;
            tree.parent[i] = i % 2 ? i - 1 : i - 2;
        }
        tree.parent[0] = -1;
        const made = tstream.sandwich.callers({tree, looks: {nr: 2}}, {node: {total: one, samples: one}}, 1);
        return {first: made.samples[0], steps: made.samples.reduce((a, b) => a + b), isCut: made.isCut};
    })()"""
    value = visit(page, [{"value": lines}])[1]["value"]
    tap.ok(value["first"] == 20000 and value["isCut"] and value["steps"] < 2 * 10 ** 6, "callers take no square of steps", value)


def check_accessible(page):
    for scheme in ("light", "dark"):
        results = visit(page, [{"axe": True}, {"press": "t", "axe": True}, {"press": "Escape"},
                               {"change": {"a": {"from": 0, "to": 2e9, "chips": []}, "from": 2e9, "to": 4e9}, "axe": True},
                               {"change": {"a": None, **ALL, "search": "main", "zoom": 1, "focus": 1}, "axe": True}], scheme)
        found = [line for result in results for line in result.get("axe", [])]
        tap.equal(found, [], f"{scheme}: axe-core finds nothing in four states")


def check_link(page):
    state = {"from": 1e9, "to": 2e9, "chips": [{"by": "thread", "value": 1, "only": True}]}
    ran = visit(page, [{"change": state}])[1]
    again = visit(page + "#" + urllib.parse.quote(json.dumps(state)), [])[0]
    tap.equal(again["samples"], ran["samples"], "a link shows the same selection")
    wrong = visit(page + "#" + urllib.parse.quote('{"event":99}'), [])[0]
    tap.equal(wrong["samples"], 400, "a wrong link shows everything")


check_totals()
STORY = story()
check_keys(STORY)
IDLE = idle_story()
check_more_keys(IDLE)
check_focus(STORY)
check_callers(IDLE)
check_accessible(STORY)
check_link(STORY)
tap.done()
