#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`report --html` in a browser: the page asks for nothing, its totals are those of `report`, and all works from the keyboard.

Captures are made, so nothing is recorded, and pages are the same on every machine. Where there is no browser it says skip (browser.py)."""
import collections
import json
import os
import random
import re
import struct
import sys
import urllib.parse

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import browser  # noqa: E402
import dialect as d  # noqa: E402
import page_file  # noqa: E402
import perf_file  # noqa: E402
import tap  # noqa: E402

SECOND, SAMPLE_NS, NR_SAMPLES, NR_FUNCTIONS = 10 ** 9, 10 ** 6, 4000, 300
ALL = {"from": None, "to": None, "chips": []}
OPEN = "document.getElementById('dialog').open"
ESCAPE = {"press": "Escape", "until": "!" + OPEN}
ARROWS = "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight"
pressed = set()


def opens(key):
    return {"press": key, "until": OPEN}


def visit(page, steps, scheme="light", part=""):
    """What the page shows at first, then after each step."""
    pressed.update(step["press"] for step in steps if "press" in step)
    seen = chromium.visit(page, steps, scheme, part)
    tap.ok(not seen["errors"] and len(seen["requests"]) == 1, f"{os.path.basename(page)}: no error and no request but its own",
           f"{seen['errors']} {seen['requests']}"[:1500])
    return seen["results"]


def page_of(capture):
    tap.run(tap.TSTREAM, "report", "--html=" + capture + ".html", capture)
    return capture + ".html"


# --- totals ---

def busy():
    """Two events, five threads of two processes, four CPUs; more functions than a table has rows, some hot; some code without a name."""
    names = [f"f{i:03}" for i in range(NR_FUNCTIONS)]
    caller, leaf = perf_file.Program(tap.path("caller.so"), ["main", "loop", "once"]), perf_file.Program(tap.path("leaf.so"), names)
    capture, chance = perf_file.PerfFile(nr_events=2, flags=perf_file.EXCLUDE_KERNEL), random.Random(1)
    threads = (7, 7), (7, 8), (7, 9), (30, 30), (30, 31)
    for pid, tid in threads:
        capture.thread(pid, tid, f"comm{pid}")
    for pid in (7, 30):
        capture.map(pid, caller)
        capture.map(pid, leaf)
    for i in range(NR_SAMPLES):
        pid, tid = threads[int(chance.random() ** 2 * 5)]
        at = leaf.at(names[int(chance.random() ** 3 * NR_FUNCTIONS)]) if i % 50 else 0x7000
        chain = [at, caller.at(("loop", "once")[i % 2]), caller.at("main")]
        capture.sample(pid, tid, SECOND + i * SAMPLE_NS, chain, 1 + i % 5, chance.randrange(4), int(i % 10 == 3))
    capture.write(tap.path("busy"))
    return tap.path("busy")


def table(number, *words):
    return json.loads(tap.run(tap.TSTREAM, "report", "--json", "--percentage=relative", "-g", "none", "-s", "dso,sym", *words).out)["tables"][number]


def function_of(row):
    """(function, object), as the page shows them: those without a name are one for each object."""
    name, dso = re.sub(r"^\[.\] ", "", row["keys"]["sym"]), row["keys"]["dso"]
    return (name, dso) if not name.startswith(("0x", "[")) else ("", dso)


def reported(number, *words):
    """Samples, period, {function: samples of self}, {function: period with its callees}."""
    flat, own = table(number, "--no-children", *words), collections.Counter()
    for row in flat["rows"]:
        own[function_of(row)] += row["self"]["samples"]
    whole = {function_of(row): row["children"]["period"] for row in table(number, "--children", *words)["rows"]}
    return flat["samples"], flat["period"], own, whole


def shown(state):
    """{function: its row} of the page."""
    return {((row["name"], row["object"]) if not row["name"].startswith("[") else ("", row["object"] or row["name"])): row for row in state["rows"]}


def compare(state, what, *words, number=0):
    samples, period, own, whole = reported(number, *words)
    rows, rest = shown(state), state["rest"] or {"nr": 0, "samples": 0}
    tap.ok(samples and (state["samples"], state["period"]) == (samples, period), f"{what}: samples and period are those of report",
           f"{state['samples']} {state['period']} {samples} {period}")
    wrong = {key: (row["samples"], own[key]) for key, row in rows.items() if row["samples"] != own[key]}
    tap.ok(rows and not wrong, f"{what}: each function has the samples of report", f"{wrong}"[:1500])
    wrong = {key: (row["total"], whole[key]) for key, row in rows.items() if key[0] and row["total"] != whole[key]}
    tap.ok(not wrong, f"{what}: with its callees, too", f"{wrong}"[:1500])
    tap.equal((sum(row["samples"] for row in rows.values()) + rest["samples"], len(rows) + rest["nr"]), (samples, len({*own, *whole})),
              f"{what}: rows and rest are all samples of all functions")
    return rest["nr"]


def seconds(offset_ns):
    return "{0[0]}.{0[1]:09d}".format(divmod(SECOND + offset_ns, SECOND))


def check_totals():
    cap = busy()
    page = page_of(cap)
    tids = page_file.Page(page).meta["threads"]["tid"]
    start, end = NR_SAMPLES // 4 * SAMPLE_NS, NR_SAMPLES // 2 * SAMPLE_NS
    thread, cpu = {"by": "thread", "value": 1, "only": True}, {"by": "cpu", "value": 2 + 1, "only": True}
    times = ["--time", f"{seconds(start)},{seconds(end - 1)}"]
    selections = [
        ("nothing selected", {}, []),
        ("a time range", {"from": start, "to": end}, times),
        ("one thread", {"chips": [thread]}, ["--tid", str(tids[1])]),
        ("one CPU", {"chips": [cpu]}, ["-C", "2"]),
        ("without a thread", {"chips": [{**thread, "only": False}]}, ["--tid", ",".join(map(str, tids[:1] + tids[2:]))]),
        ("all of these", {"from": start, "to": end, "chips": [thread, cpu]}, [*times, "--tid", str(tids[1]), "-C", "2"]),
    ]
    results = visit(page, [{"change": {**ALL, **change}} for _, change, _ in selections] + [{"change": {**ALL, "event": 1}}])
    rests = [compare(state, what, *words, cap) for state, (what, _, words) in zip(results[1:], selections)]
    tap.ok(rests[0] > 0, "not all functions are rows", rests)
    tap.equal(results[0], {**results[1], "spent": results[0]["spent"]}, "at first nothing is selected")
    compare(results[-1], "the other event", cap, number=1)
    check_search(cap, page)


def check_search(cap, page):
    results = visit(page, [{"change": {"search": "f01[0-4]|once"}}, {"change": {"search": "f0"}}, {"change": {"search": "LOOP"}},
                           {"change": {"search": "", "chips": [{"by": "match", "value": "^f000$", "only": True}]}}])
    names = ["once", *(f"f01{i}" for i in range(5))]
    samples, _, own, _ = reported(0, "-S", ",".join(names), cap)
    tap.ok(samples and {name: row["samples"] for (name, _), row in shown(results[1]).items()} == {name: own[name, f"{dso}.so"] for name, dso in
           ((name, "caller" if name == "once" else "leaf") for name in names)}, "a search: the rows are those of report --symbols", results[1]["rows"])
    _, period, _, whole = reported(0, cap)
    part = f"matched: {100 * whole['loop', 'caller.so'] / period:.2f}%,"
    tap.ok(results[3]["said"].startswith(part), "the part that matches is that of the function with its callees", f"{results[3]['said']} {part}")
    tap.equal(results[4]["period"], whole["f000", "leaf.so"], "only these: what matched is selected")
    lines = [line.rpartition(" ") for line in tap.run(tap.TSTREAM, "export", "--format=folded", "-o", "-", cap).out.splitlines()]
    for at, pattern in ((1, "f01[0-4]|once"), (2, "f0")):
        matched = sum(int(nr) for stack, _, nr in lines if re.search(pattern, stack))
        tap.ok(0 < matched == results[at]["matched"] < NR_SAMPLES, f"{pattern}: as many match as in the folded export", f"{results[at]['matched']} {matched}")


# --- keys ---

OBJECT = "<b>'\"λ.so"
CMDLINE = 11  # of the header's features
NAMES = ["main", "parse</script><b>", 'quo"te\'s', "naïve_λ", "long_" + "x" * 60000, "huge_" + "x" * 100000]  # report takes up to 64 KiB


def story():
    """Three threads: hostile names of functions, an object, threads, a host and a command line; a second that lost samples."""
    program = perf_file.Program(tap.path(OBJECT), NAMES)
    capture = perf_file.PerfFile(flags=perf_file.EXCLUDE_KERNEL)
    for tid, name in ((7, "<i>comm"), (8, "worker"), (9, "comm" * 1000)):
        capture.thread(7, tid, name)
    capture.map(7, program)
    capture.features = {d.HOSTNAME: d.string("host" * 25000), CMDLINE: struct.pack("<I", 2) + d.string("</script>") + d.string("word " * 20000)}
    for i in range(400):
        leaf = NAMES[1 + i % 5]
        capture.sample(7, 7 + i % 3, SECOND + i * 10 * 10 ** 6, [program.at(leaf), program.at("main")])
    capture.lost(3, 2 * SECOND + 1)
    capture.write(tap.path("story"))
    return page_of(tap.path("story"))


def check_names(page):
    """Names are text: none is an element, long ones are cut, and nothing gets wider than the window."""
    made = "[document.querySelectorAll('main b, main i, #page script').length, document.documentElement.scrollWidth - innerWidth]"
    long = "tstream.page.data().looks.name.findIndex(name => name.startsWith('long_'))"
    chosen = f"tstream.page.change({{focus: {long}, chips: [{{by: 'function', value: {long}, only: true}}]}})"
    results = visit(page, [{"value": made}, {"change": {"search": "^long_"}, "value": made}, {"press": "n", "value": made}, {"press": "Enter", "value": made},
                           {"value": chosen}, {"value": made}, {"press": "d", "value": made}, {**opens("t"), "value": made}, ESCAPE, {**opens("o"), "value": made}])
    rows = {row["name"]: row["object"] for row in results[0]["rows"]}
    tap.ok(rows == {name: OBJECT for name in (*NAMES[:4], NAMES[4][:512], f"[{OBJECT}]")}, "names are text, one of 60 kB is cut, one of 100 kB is none",
           f"{rows}"[:1500])
    wrong = {at: result["value"] for at, result in enumerate(results) if result.get("value", [0, 0]) != [0, 0]}
    tap.ok(not wrong, "no element is made of them, and nothing gets wider than the window", wrong)
    tap.equal((results[2]["matched"], results[3]["current"][:6], results[6]["samples"]), (80, "long_x", 80), "a long name is found and selected")
    tap.ok("comm" * 100 in results[8]["dialog"] and len(results[8]["dialog"]) < 2000, "a thread with a long name can be chosen", results[8]["dialog"])
    tap.ok("Lost: at least 3" in results[0]["faults"], "losses are told in the head", results[0]["faults"])
    tap.ok("script> word word" in results[0]["title"] and len(results[0]["title"]) < 5000, "a command line of 100 kB is the title, cut", results[0]["title"][:300])


def check_keys(page):
    results = visit(page, [
        {"press": "/"}, {"type": "quo"}, {"press": "Escape"}, {"press": "n"}, {"press": "s"}, {"press": "Escape"},  # 1-6
        {"press": "Enter"}, {"press": "Escape"}, {"change": {"zoom": -1}, "press": "i"}])  # 7-9
    tap.ok(results[1]["focus"] == "search", "/ is the search")
    tap.ok(results[2]["state"]["search"] == "quo" and results[2]["matched"] == 80, "the search marks", f"{results[2]['matched']}")
    tap.ok('quo"te' in results[4]["current"], "n is the next match", results[4]["current"])
    tap.ok(results[5]["sandwich"] and not results[6]["sandwich"], "s shows callers and callees, Escape hides them")
    tap.ok(results[7]["state"]["zoom"] >= 0 and results[8]["state"]["zoom"] < results[7]["state"]["zoom"], "Enter zooms, Escape goes back")
    tap.ok(not results[9]["state"]["icicle"], "i turns the graph")
    results = visit(page, [{"press": key} for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowLeft", "ArrowUp")])
    at = [result["node"] for result in results]
    tap.ok(len({*at[:4]}) == 4 and at[4:] == [at[2], at[1]], "arrows move, and back again", at)


def check_lists(page):
    """Each list opens by its key, has what it lists, and Escape closes it."""
    lists = [("t", "worker"), ("c", "CPU"), ("m", "<i>comm"), ("o", OBJECT), ("h", "hosthost"), ("?", "callers and callees")]
    results = visit(page, [step for key, _ in lists for step in (opens(key), ESCAPE)])
    for at, (key, word) in enumerate(lists):
        during, after = results[1 + 2 * at], results[2 + 2 * at]
        tap.ok(during["isDialogOpen"] and word in during["dialog"] and not after["isDialogOpen"], f"{key} opens a list that has {word}, Escape closes it",
               f"{during['dialog'][:300]} {after['isDialogOpen']}")


def check_times(page):
    results = visit(page, [{"drag": ["#lanes .over", 200, 20, 300, 20]}, {"press": "d"}, {"drag": ["#heat .over", 5, 20, 60, 60]},
                           {"press": "Escape"}, {"press": "Escape"}])
    tap.ok(0 < results[1]["samples"] < 400 and " to " in results[1]["chips"], "a drag in the timeline selects a time", f"{results[1]['samples']}")
    tap.ok(results[2]["state"]["a"] and results[2]["samples"] == 400, "d keeps the selection as A")
    tap.ok(0 < results[3]["samples"] < 400, "a drag in the heat map selects a time", f"{results[3]['samples']}")
    tap.ok(not results[4]["state"]["a"], "Escape ends the comparison")
    tap.ok(results[5]["samples"] == 400, "Escape ends the selection")


def check_all_keys(page):
    """What the page's list of keys has was pressed here."""
    listed = visit(page, [{**opens("?"), "value": "[...document.querySelectorAll('#dialog kbd')].map(key => key.textContent)"}])[1]["value"]
    wanted = {key for name in listed for key in (ARROWS if name == "arrows" else [name])}
    tap.ok(len(wanted) > 15 and wanted <= pressed, "each key of the list was pressed", f"{wanted - pressed} {listed}")


def idle_story():
    """A capture whose prog.so only calls lib.so, and whose CPU was idle at times; one event."""
    caller, leaf = perf_file.Program(tap.path("caller.so"), ["main"]), perf_file.Program(tap.path("leaf.so"), ["leaf", "a" * 60])
    capture = perf_file.PerfFile(flags=perf_file.EXCLUDE_KERNEL)
    for tid, name in ((7, "busy"), (0, "swapper")):
        capture.thread(tid, tid, name)
    capture.map(7, caller)
    capture.map(7, leaf)
    for i in range(100):
        capture.sample(7, 7, 10 ** 9 + i * 10 ** 7, [leaf.at("leaf" if i % 2 else "a" * 60), caller.at("main")])
        capture.sample(0, 0, 10 ** 9 + i * 10 ** 7 + 1, [leaf.at("leaf")])
    capture.write(tap.path("idle"))
    return page_of(tap.path("idle"))


def check_more_keys(page):
    slow = {"by": "match", "value": "(a+)+$", "only": True}
    results = visit(page, [
        opens("h"), ESCAPE, {"press": "x"}, {"press": "x"}, {"press": "w"}, {"press": "w"},  # 1-6
        {"press": "ArrowDown"}, {"press": "y", "until": "/copied/.test(document.getElementById('current-text').textContent)"}, {"change": {"search": "leaf"}, "press": "N"}, {"change": {"search": ""}},  # 7-10
        opens("o"), ESCAPE, {"change": {"search": "(a+)+b"}}, {"change": {"search": "a*a*a*a*a*a*b"}},  # 11-14
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


def tall():
    """400 functions, each calling the next one; and a tower of 23 or 60 unknown callers."""
    program = perf_file.Program(tap.path("tall.so"), [f"f{i}" for i in range(400)])
    capture = perf_file.PerfFile(flags=perf_file.EXCLUDE_KERNEL)
    capture.thread(7, 7, "name")
    capture.map(7, program)
    for i in range(100):
        unknown = [0x7000 + k for k in range((23, 60)[i % 2])]
        capture.sample(7, 7, SECOND + i * SAMPLE_NS, [program.at("f0"), *unknown] if i < 60 else [program.at(f"f{k}") for k in reversed(range(400))])
    capture.write(tap.path("tall"))
    tap.run(tap.TSTREAM, "report", "--max-stack", "500", "--html=" + tap.path("tall.html"), tap.path("tall"))
    return tap.path("tall.html")


def check_tall():
    """Towers do not push the table away: unknown callers are one box, and the graph scrolls by itself, also by keys."""
    graph = "document.getElementById('flame')"
    where = f"[{graph}.scrollTop, {graph}.scrollHeight - {graph}.clientHeight, document.getElementById('functions').getBoundingClientRect().top - innerHeight]"
    at_root = f"Math.abs({graph}.scrollTop - ({graph}.scrollHeight - {graph}.clientHeight)) < 2"
    def scrolled(wanted):  # a browser scrolls in many small steps
        return f"new Promise(done => {{ let left = 900; const look = () => {wanted} || !left-- ? done({wanted}) : requestAnimationFrame(look); look(); }})"
    results = visit(tall(), [
        {"value": where}, {"value": f"{graph}.focus()"}, {"press": "End", "value": scrolled(f"{graph}.scrollTop > 5000")},  # 1-3
        {"press": "Home", "value": scrolled(f"{graph}.scrollTop === 0")}, *[{"press": key} for key in ("ArrowDown", "ArrowDown")],  # 4-6
        {"value": f"getComputedStyle({graph}).outlineStyle"},  # 7
        {"press": "i", "value": at_root}, {"press": "i", "value": where}, {"change": {"search": "unknown"}}])  # 8-10
    top, room, beyond = results[1]["value"]
    tap.ok(top == 0 and room > 5000 and beyond < 0, "a graph of 400 rows scrolls by itself, and the table is in the window", results[1]["value"])
    tap.ok(results[3]["value"] and results[4]["value"], "End and Home scroll it", f"{results[3]['value']} {results[4]['value']}")
    tap.ok("[unknown] (23 to 60 frames): " in results[6]["current"] and "60 samples" in results[6]["current"], "unknown callers are one box with their number",
           results[6]["current"])
    tap.ok(results[7]["value"] == "solid", "the focus is seen")
    tap.ok(results[8]["value"] and results[9]["value"][0] == 0, "upside down it shows the root, and back again", f"{results[8]['value']} {results[9]['value']}")
    tap.equal(results[10]["matched"], 60, "a search finds them")
    tap.ok("no frame pointers" in results[0]["notes"], "and the head tells why", results[0]["notes"])


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
        results = visit(page, [{"axe": True}, {**opens("t"), "axe": True}, ESCAPE,
                               {"change": {"a": {"from": 0, "to": 2e9, "chips": []}, "from": 2e9, "to": 4e9}, "axe": True},
                               {"change": {"a": None, **ALL, "search": "main", "zoom": 1, "focus": 1}, "axe": True},
                               {"value": "document.documentElement.removeAttribute('lang')"}, {"axe": True}], scheme)
        found = [result["axe"] for result in results if "axe" in result]
        tap.equal(found[:4], [[]] * 4, f"{scheme}: axe-core finds nothing in four states")
        tap.ok(len(found[4]) == 1 and "html-has-lang" in found[4][0], f"{scheme}: but what is wrong", found[4])


def check_link(page):
    def part(state):
        return "#" + urllib.parse.quote(state)
    state = {"from": 1e9, "to": 2e9, "chips": [{"by": "thread", "value": 1, "only": True}]}
    ran = visit(page, [{"change": state}])[1]
    again = visit(page, [], part=part(json.dumps(state)))[0]
    tap.ok(0 < again["samples"] == ran["samples"] < 400, "a link shows the same selection", f"{again['samples']} {ran['samples']}")
    wrong = visit(page, [], part=part('{"event":99}'))[0]
    tap.equal(wrong["samples"], 400, "a wrong link shows everything")


if not page_file.is_built():
    tap.skip_all("this tstream was built without zlib")
chromium = browser.Browser()
check_totals()
STORY, IDLE = story(), idle_story()
check_names(STORY)
check_keys(STORY)
check_lists(STORY)
check_times(STORY)
check_more_keys(IDLE)
check_all_keys(IDLE)
check_focus(STORY)
check_tall()
check_callers(IDLE)
check_accessible(STORY)
check_link(STORY)
tap.equal(chromium.close(), [], "no process of the browser is left")
tap.done()
