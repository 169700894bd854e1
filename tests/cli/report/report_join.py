#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several captures in one report: its rows are the sums of the rows of each, the key host tells them apart, and so for any
number of workers; damage of any of them is named; what is no rows is what is printed of each alone, below its path."""
import collections
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import json_schema  # noqa: E402
import tap  # noqa: E402

EVENT = re.compile(r"^# Samples: \S+ +of events? '(.*)'", re.M)
ROW = re.compile(r"^ +\d+\.\d\d% +(\d+)  (.*)$")
FLAT = ("--no-children", "-g", "none", "-n")
with open(os.path.join(os.environ.get("abs_srcdir", "."), "docs/report.schema.json")) as schema_file:
    SCHEMA = json.load(schema_file)


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
    parts = [f"# Capture: {one}\n" + overview(report([one]).out) for one in captures]
    tap.ok(whole.status == 0 and whole.err == "" and "".join(parts) in whole.out,
           "comments say of each, below its path, what they say of it alone", whole.out[:1000] + whole.err)
    tap.equal(report(named).out, whole.out, "-i may be repeated")
    for options in ((), ("-s", "event,host"), FLAT):
        texts = {report(captures, "-j", jobs, *options).out for jobs in ("1", "2", "7")}
        tap.equal(len(texts), 1, f"1, 2 and 7 workers report the same: {options}")
    result = report([captures[0], captures[0]])
    tap.ok(result.status == 2 and "more than once: its samples would be counted again" in result.err, "one capture is not counted twice", result.err)
    for options in [], ["--stats"]:
        result = report([captures[0], tap.path("missing")], *options)
        tap.ok(result.status == 1 and not result.out and "missing" in result.err, f"each must be there {options}", result.err)


def overview(text):
    """Of the comments above the rows those of a capture."""
    return text[text.index("# Captured:"):text.index("# Samples:")]


def check_sections(captures):
    """What is no rows: of each what is printed of it alone."""
    for options in ("--stats",), ("--stats", "--cpu", "0"), ("--tasks",), ("-D",), ("--loss",), ("--header-only",), ("--header", "--stats"):
        alone = [report([one], *options) for one in captures]
        result = report(captures, *options)
        wanted = "".join(f"# Capture: {one}\n{of.out}" for one, of in zip(captures, alone))
        tap.ok(result.out == wanted and all(of.out for of in alone) and (result.status, result.err) == (0, ""),
               f"{' '.join(options)}: a section for each", result.out[:500] + result.err)
    headers = [report([one], "--header-only").out for one in captures]
    whole = report(captures, "--header").out
    tap.ok(whole.startswith("".join(f"# Capture: {one}\n{of}" for one, of in zip(captures, headers))) and "# Samples:" in whole,
           "--header: of each, then the report", whole[:300])
    quiet = report(captures, "-q", "--loss").out
    tap.equal(quiet, "".join(report([one], "-q", "--loss").out for one in captures), "-q: without the paths")


def check_documents(captures):
    """JSON: the first capture where it stands alone, then the others; the rows of all."""
    whole = json.loads(report(captures, "--json", *FLAT, "-s", "pid,sym").out)
    alone = [json.loads(report([one], "--json", *FLAT, "-s", "pid,sym").out) for one in captures]
    tap.equal(json_schema.violations(whole, SCHEMA), [], "the JSON of several is valid")
    found = [whole["capture"], *whole["other_captures"]]
    tap.equal([of.pop("host_key") for of in found], captures, "it says what rows call each")
    tap.equal(found, [of["capture"] for of in alone], "it says of each what it says of it alone")
    rows_of = collections.Counter((row["keys"]["pid"], row["pid_comm"], row["thread_host"])
                                  for table in whole["tables"] for row in table["rows"])
    wanted = collections.Counter((row["keys"]["pid"], row["pid_comm"], one) for one, of in zip(captures, alone)
                                 for table in of["tables"] for row in table["rows"])
    tap.equal(rows_of, wanted, "rows by thread say of which capture they are, with its names")
    lost = json.loads(report(captures, "--loss", "--json").out)
    others = lost.pop("other_captures")
    head = {"format": lost["format"], "program": lost["program"]}
    tap.equal([lost, *({**head, **of} for of in others)],
              [json.loads(report([one], "--loss", "--json").out) for one in captures], "--loss --json: the same of each")


def check_damage(captures):
    stream = sorted(name for name in os.listdir(captures[1]) if name.startswith("data."))[0]
    os.remove(os.path.join(captures[1], stream))
    result = report(captures)
    tap.ok(result.status == 1 and stream in result.err and "# Samples:" in result.out, "damage of the second is named", result.err)
    parts = result.out.split("# Capture: ")
    tap.ok("# Damaged:" not in parts[1] and "# Damaged: 1 stream missing" in parts[2], "and in its comment", parts[1:])
    found = json.loads(report(captures, "--json").out)
    tap.equal([len(of["damaged"]["streams"]) for of in (found["capture"], *found["other_captures"])], [0, 1], "and in JSON")
    result = report(captures, "--stats")
    tap.ok(result.status == 1 and stream in result.err and result.out.count("Aggregated stats") == 2, "and behind its section",
           result.err)


captures = [record("first", "-g"), record("second", "-e", "context-switches", "-c", "1")]
check_sums(captures)
check_forms(captures)
check_sections(captures)
check_documents(captures)
check_damage(captures)
tap.done()
