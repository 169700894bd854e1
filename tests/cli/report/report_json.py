#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""report --json: valid by docs/report.schema.json whatever is asked for, and the numbers are those of the text."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import json_schema  # noqa: E402
import perf_file  # noqa: E402
import tap  # noqa: E402

LAY = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/lay_capture")
with open(os.path.join(os.environ.get("abs_srcdir", "."), "docs/report.schema.json")) as schema_file:
    SCHEMA = json.load(schema_file)
ROW = re.compile(r"^ +(\d+\.\d\d)%(?: +(\d+\.\d\d)%)? +(\d+)  (.*)$", re.M)


def document(capture, *options, status=0):
    got = tap.run(tap.TSTREAM, "report", "--json", "-i", capture, *options)
    if got.status != status:
        return None, [f"status {got.status}: {got.err}"]
    try:
        found = json.loads(got.out)
    except ValueError as wrong:
        return None, [f"{wrong}: {got.out[:200]}"]
    return found, json_schema.violations(found, SCHEMA)


def make():
    program = perf_file.Program(tap.path("prog.so"), ["main", "left", "right", "leaf"])
    strange = perf_file.Program(tap.path('str"ange\\\x1b.so'), ["outer"])
    made = perf_file.PerfFile(nr_events=2)
    for tid, name in ((7, 'a "name"'), (8, "escape\x1b[0m"), (9, "plain")):
        made.thread(7, tid, name)
    made.map(7, program)
    made.map(7, strange)
    for i in range(400):
        chain = [program.at(f, i % 200) for f in (("leaf", "left", "main"), ("right", "main"), ("main",))[i % 3]]
        chain = chain if i % 5 else [strange.at("outer")] + chain
        chain = chain if i % 7 else [0x1234]
        made.sample(7, 7 + i % 3, 10 ** 9 + 1000 * i, chain, 100 + i * i % 977, i % 4, i % 2)
    made.lost(12, 10 ** 9 + 1, 0)
    made.write(tap.path("made"))
    return tap.path("made")


def rows_of_text(capture, *options):
    """By event: [children or self percent, self percent, samples, the rest]."""
    text = tap.run(tap.TSTREAM, "report", "-n", "-i", capture, *options).out
    parts = re.split(r"^# Samples: .*$", text, flags=re.M)[1:]
    return [ROW.findall(part) for part in parts]


def rows_of_json(found):
    tables = []
    for table in found["tables"]:
        rows = []
        for row in table["rows"]:
            own = f"{row['self']['percent']:.2f}"
            total = f"{row['children']['percent']:.2f}" if "children" in row else ""
            rows.append((total or own, own if total else "", str(row["self"]["samples"]), row["keys"]))
        tables.append(rows)
    return tables


def is_same_row(text, made):
    return text[:3] == made[:3] and all(re.sub(r"[\x00-\x1f\x7f]", "?", str(v)) in text[3] for v in made[3].values())


def check_numbers(capture):
    for options in (["--no-children", "-g", "none"], ["--children", "-g", "none"], ["--no-children", "-g", "none", "-s", "pid,sym"],
                    ["-g", "none", "-s", "sym,dso"], ["--no-children", "-g", "none", "-s", "comm", "-S", "leaf"],
                    ["--no-children", "-g", "none", "-s", "parent,sym", "-p", "left|right"],
                    ["--no-children", "-g", "none", "--percent-limit", "1"]):
        found, wrong = document(capture, *options)
        sentence = f"{' '.join(options)}: rows, percentages and samples are those of the text"
        if wrong:
            tap.ok(False, sentence, "\n".join(wrong))
            continue
        theirs, mine = rows_of_text(capture, *options), rows_of_json(found)
        same = len(theirs) == len(mine) and all(
            len(a) == len(b) and all(is_same_row(x, y) for x, y in zip(a, b)) for a, b in zip(theirs, mine))
        tap.ok(same and sum(map(len, mine)) > 1, sentence, f"{theirs}\n{mine}")


def folded(calls, before=()):
    """Call chains of a tree with the period that ends at each, as -g folded prints them."""
    for call in calls:
        way = (*before, *call["frames"])
        below = call.get("calls", [])
        left = call["period"] - sum(c["period"] for c in below)
        if left:
            yield left, ";".join(way)
        yield from folded(below, way)


def check_graphs(capture):
    options = ["--no-children", "-s", "comm"]
    text = tap.run(tap.TSTREAM, "report", "-q", "-i", capture, *options, "-g", "folded,0,period,caller").out
    theirs = sorted(re.findall(r"^(\d+) (\S+)$", text, re.M))
    found, wrong = document(capture, *options, "-g", "graph,0,caller")
    chains = [] if wrong else [chain for t in found["tables"] for row in t["rows"] for chain in folded(row.get("calls", []))]
    tap.ok(theirs and sorted((str(n), way) for n, way in chains) == theirs, "the tree holds the call chains of -g folded",
           f"{wrong}\n{theirs}\n{chains}")
    for words in ("flat,0", "folded,0,1", "fractal,10,callee", "graph,0,2,address"):
        _, wrong = document(capture, "-g", words)
        tap.ok(not wrong, f"-g {words}: valid", "\n".join(wrong[:5]))


def check_capture(capture):
    found, wrong = document(capture, "--cpu", "0-1")
    tap.ok(not wrong and found["selection"] == {"cpu": "0-1"} and found["capture"]["is_partly_read"], "a selection is in it",
           wrong)
    found, wrong = document(capture)
    c = found["capture"]
    tap.equal(c["counted_percent"], 100, "all of it was counted")
    tap.equal((wrong, c["kind"], c["samples"], c["threads"], c["span"]),
              ([], "file", 400, 3, {"first_ns": 10 ** 9, "last_ns": 10 ** 9 + 399000}), "what was captured")
    tap.equal((c["lost"]["records"], c["lost"]["by_cause"], c["lost"]["source"], c["lost"]["is_exact"]),
              (12, {"ring_full": 12}, "LOST records", False), "what was lost")
    tap.equal([e["name"] for e in c["events"]], ["cpu-clock", "task-clock"], "the events")
    texts = {tap.run(tap.TSTREAM, "report", "--json", "-i", capture, "-j", n).out for n in ("1", "2", "5")}
    tap.equal(len(texts), 1, "any number of workers prints the same")
    tap.ok("\x1b" not in texts.pop(), "control characters are escaped")


def check_symbol_filter(capture):
    """It selects as -S does, by a part of the name."""
    whole, _ = document(capture, "-S", "left,leaf", "-s", "sym")
    part, wrong = document(capture, "--symbol-filter", "le", "-s", "sym")
    tap.ok(not wrong and part["tables"] == whole["tables"] and part["tables"][0]["rows"], "--symbol-filter selects by a part of the name",
           wrong)


def check_ours():
    where = tap.path("ours")
    tap.run(LAY, where, "plain")
    found, wrong = document(where)
    tap.ok(not wrong and found["capture"]["kind"] == "directory" and found["capture"]["lost"]["source"] == "chunk headers",
           "a directory of ours", wrong)
    stream = os.path.join(where, "data.0")
    with open(stream, "r+b") as f:
        f.seek(4096 + 1000)
        f.write(b"\xff" * 8)
    found, wrong = document(where, status=1)
    text = tap.run(tap.TSTREAM, "report", "-i", where)
    places = found["capture"]["damaged"]["places"] if found else []
    said = re.search(r"warning: (\S+) is damaged at offset (\d+) \((\d+) bytes left out\): (.*)", text.err)
    tap.equal((wrong, [(p["file"], str(p["offset"]), str(p["bytes"]), p["reason"]) for p in places]), ([], [said.groups()]),
              "damage: file, offset, bytes and reason as on stderr, status 1")


def check_loss():
    where = tap.path("loss")
    tap.run(LAY, where, "example")
    lost = json.loads(tap.run(tap.TSTREAM, "report", "--loss", "--json", "-i", where).out)
    found, wrong = document(where)
    tap.equal((wrong, list(lost["format"]), lost["program"], sum(lost["lost"].values())),
              ([], list(found["format"]), found["program"], found["capture"]["lost"]["records"]),
              "--loss --json begins in the same way and counts the same")
    tap.equal(found["capture"]["lost"]["records"], 5, "the records that were lost before the chunk")


def main():
    capture = make()
    for options in ([], ["-q"], ["-s", "cpu"], ["-s", "pid,tid,dso"], ["-s", "time,socket,node,event"],
                    ["-s", "parent,sym", "-p", "left"], ["--percent-limit", "3"], ["-F", "sample,sym"], ["--time", "50%-60%"],
                    ["--comm", "nosuch"], ["-U"],
                    ["--last", "100us"], ["--symbol-filter", "le"], ["--percentage", "relative", "-S", "leaf"]):
        found, wrong = document(capture, *options)
        tap.ok(not wrong, f"{' '.join(options) or 'no options'}: valid", "\n".join(wrong[:5]))
    check_numbers(capture)
    check_graphs(capture)
    check_capture(capture)
    check_symbol_filter(capture)
    check_ours()
    check_loss()
    for options in (["--stats"], ["-D"], ["--header"], ["--header-only"], ["-t", ","], ["-w", "9"]):
        got = tap.run(tap.TSTREAM, "report", "--json", "-i", capture, *options)
        words = "cannot use -t or -w with --json: leave them out" if options[0] in ("-t", "-w") else "JSON"
        tap.ok(got.status == 2 and not got.out and words in got.err, f"--json {options[0]} is refused", got.err)
    tap.done()


main()
