#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tstream report --html`: what the page holds, decoded by a reader of its own (page_file.py), is what `report --json` and `script` say;
names are text; steps of time where samples do not fit; what goes wrong."""
import collections
import itertools
import json
import os
import random
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import dialect as d  # noqa: E402
import page_file  # noqa: E402
import perf_file  # noqa: E402
import tap  # noqa: E402
from exported import COMM, EVENT, MAPPED, USER, WORK, lossy, made  # noqa: E402

CMDLINE = 11  # of the header's features
POLICY = "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; form-action 'none'"

with open(os.path.join(os.environ.get("abs_srcdir", "."), "reader/html/body.html"), encoding="utf-8") as markup:
    TAGS = {tag[0] for tag in page_file.Elements(markup.read()).tags}
TAGS |= set("html head meta title style body script noscript h1 pre table tr th td svg rect g text p".split())


def report(*words, **more):
    return tap.run(tap.TSTREAM, "report", *words, **more)


def page(*words, out="page.html"):
    """(the page; None: none was written, the run)"""
    path = tap.path(out)
    if os.path.exists(path):
        os.remove(path)
    result = report("--html=" + path, *words)
    return (page_file.Page(path) if os.path.exists(path) else None), result


# --- what the report says ---

def rows_of(keys, *words, table=0):
    """{values of the keys: [samples, period]}; functions without a name are one of their object."""
    told = json.loads(report("--json", "--no-children", "-g", "none", "-s", keys, *words).out)
    found = collections.defaultdict(lambda: [0, 0])
    for row in told["tables"][table]["rows"]:
        values = [row["keys"][key] for key in keys.split(",")]
        if keys == "dso,sym" and values[1].startswith("0x"):
            values = ["", "[unknown]"] if values[0] == "[unknown]" else [values[0], values[0] if values[0].startswith("[") else f"[{values[0]}]"]
        sums = found[tuple(values)]
        sums[0] += row["self"]["samples"]
        sums[1] += row["self"]["period"]
    return dict(found)


def totals_of(*words):
    """{(object, function): period} with its callees."""
    told = json.loads(report("--json", "--children", "-g", "none", "-s", "dso,sym", *words).out)
    return {(row["keys"]["dso"], row["keys"]["sym"]): row["children"]["period"] for row in told["tables"][0]["rows"]
            if not row["keys"]["sym"].startswith(("0x", "[unknown]"))}


# --- what the page says ---

def leaf(p):
    """Object and function of a row, as the report has them."""
    of_stack = [p.looks[p.path(stack)[-1]] for stack in range(p.meta["stacks"])]
    return lambda row: (of_stack[row[2]][1], of_stack[row[2]][0])


def command(p):
    of_stack = [p.looks[p.path(stack)[0]][0] for stack in range(p.meta["stacks"])]
    return lambda row: (of_stack[row[2]],)


def tid(p):
    return lambda row: (p.meta["threads"]["tid"][row[0]],)


def cpu(_):
    return lambda row: (row[3],)


KEYS = {"dso,sym": leaf, "comm": command, "tid": tid, "cpu": cpu}


def equals(p, *words, table=0, wanted=lambda row: True, keys=tuple(KEYS)):
    """"" or what differs."""
    for key in keys:
        ours, theirs = p.sums(KEYS[key](p), wanted), rows_of(key, *words, table=table)
        if ours != theirs:
            return f"{key}: " + str({k: (ours.get(k), theirs.get(k)) for k in {*ours, *theirs} if ours.get(k) != theirs.get(k)})[:800]
    return ""


def totals(p):
    found, of_stack = collections.Counter(), [{p.looks[look] for look in p.path(stack)[1:]} for stack in range(p.meta["stacks"])]
    for row in p.rows:
        for name, where, kind in of_stack[row[2]]:
            if name not in (f"[{where}]", where, "[unknown]"):
                found[where, name] += row[5]
    return dict(found)


def folded_of(p):
    """{stack: samples}, as export --format=folded names frames; those without a function are joined."""
    of_stack = [joined(p.looks[look][0].replace(";", ":").rstrip() for look in p.path(stack)) for stack in range(p.meta["stacks"])]
    found = collections.Counter()
    for row in p.rows:
        found[of_stack[row[2]]] += row[6]
    return found


def joined(names):
    """Names without a function, as [unknown], that follow each other are one."""
    return ";".join(name for name, group in itertools.groupby(names) for name in ([name] if name.startswith("[") else group))


def folded(*words):
    found = collections.Counter()
    for line in tap.run(tap.TSTREAM, "export", "--format=folded", "-o", "-", *words).out.splitlines():
        stack, _, nr = line.rpartition(" ")
        found[joined(stack.split(";"))] += int(nr)
    return found


# --- checks ---

def samples_of_script(capture):
    """({(tid, CPU, time in microseconds): number}, first time in ns)"""
    text = tap.run(tap.TSTREAM, "script", "--ns", "-F", "tid,cpu,time", "-i", capture).out
    found = [(int(tid), int(cpu), int(s) * 10**9 + int(ns)) for tid, cpu, s, ns in re.findall(r"(\d+) +\[(\d+)\] +(\d+)\.(\d{9}):", text)]
    first = min(time for _, _, time in found)
    return collections.Counter((tid, cpu, (time - first) // 1000) for tid, cpu, time in found), first


def in_seconds(ns):
    return f"{ns // 10**9}.{ns % 10**9:09}"


def check_recorded():
    cap = tap.path("cap")
    recorded = tap.run(tap.TSTREAM, "record", "-q", "-F", "1999", "-e", EVENT, "-g", "-o", cap, "--", sys.executable, "-c", WORK)
    p, result = page(cap)
    if not tap.ok(recorded.status == result.status == 0 and p, "a recording", recorded.err + result.err):
        return cap
    tap.ok(re.search(rf"page.html: {len(p.rows)} samples, [\d.]+[KM]?; any browser opens it", result.err) and not result.out, "a line says how to open it", result.err)
    tap.ok(os.stat(tap.path("page.html")).st_mode & 0o777 == 0o600, "only its owner reads it")
    wanted, first = samples_of_script(cap)
    tids = p.meta["threads"]["tid"]
    got = collections.Counter((tids[row[0]], row[3], row[1] // 1000) for row in p.rows)
    tap.ok(got == wanted and len(wanted) > 200, "thread, CPU and time of each sample are those of script", f"{got - wanted}, {wanted - got}"[:500])
    differs = equals(p, cap)
    tap.ok(not differs, "functions, commands, threads and CPUs have the samples and periods of report", differs)
    ours, theirs = totals(p), totals_of(cap)
    tap.ok(ours == theirs, "functions with their callees, too", str({k: (ours.get(k), theirs.get(k)) for k in {*ours, *theirs} if ours.get(k) != theirs.get(k)})[:500])
    low, high = p.meta["length_ns"] // 3000 * 1000, p.meta["length_ns"] // 2000 * 1000 + 999
    differs = equals(p, "--time", f"{in_seconds(first + low)},{in_seconds(first + high)}", cap, wanted=lambda row: low <= row[1] <= high)
    tap.ok(not differs, "a range of time has the samples of --time", differs)
    kinds = {p.looks[look][2] for stack in range(p.meta["stacks"]) for look in p.path(stack)}
    tap.ok({"user", "command"} <= kinds and ("kernel" in kinds or os.geteuid()), "frames have kinds", kinds)
    tap.ok(all(p.looks[p.path(stack)[0]][1:] == ("", "command") for stack in range(p.meta["stacks"])), "roots are commands")
    check_meta(p)
    return cap


def check_meta(p):
    meta, capture = p.meta, p.meta["captures"][0]
    tap.ok("threading" in meta["title"] and "threading" in capture["command"] and p.title[:-2] == meta["title"][:198],
           "the title is the command line", f"{meta['title']} {p.title}")
    tap.ok(capture["host"] == os.uname().nodename and capture["kernel"] == os.uname().release and capture["arch"] == os.uname().machine and
           capture["cpus"] >= 1 and capture["samples"] == len(p.rows) and capture["faults"] == [], "host, kernel, CPUs and samples", capture)
    tap.ok(abs(capture["start_ms"] / 1000 - os.stat(tap.path("cap")).st_mtime) < 600, "it began when the capture did", capture["start_ms"])
    event, = meta["events"]
    tap.ok(event["name"].startswith("cpu-clock") and event["unit"] == "ns" and event["samples"] == len(p.rows) and
           event["period"] == event["samples"] * event["one_period"] and meta["columns"]["period"] == meta["columns"]["event"] == 0,
           "a clock: each sample has the same period, so there is no column of them", event)
    tap.ok(meta["has_times"] and meta["step_ns"] == 0 and meta["time_unit_ns"] == 1000 and meta["columns"]["count"] == 0 and
           max(row[1] for row in p.rows) == meta["length_ns"] // 1000 * 1000 and min(row[1] for row in p.rows) == 0, "times begin at 0, in microseconds")
    threads = meta["threads"]
    tap.ok("sh" in threads["name"] and COMM in threads["process"] and len({tuple(pair) for pair in zip(threads["pid"], threads["tid"])}) == len(threads["tid"]),
           "threads have names", threads["name"])
    tap.ok([kind["name"] for kind in meta["kinds"]] == ["user", "kernel", "inlined", "jit", "unknown", "command"] and
           all(re.fullmatch("[0-9a-f]{6}", colour) for kind in meta["kinds"] for colour in (kind["light"], kind["dark"])), "kinds have colours")
    tap.ok(meta["version"] == 1 and meta["tstream"] and meta["selection"] == "" and
           not [line for line in meta["warnings"] if "frame pointers" not in line], "its version", meta["version"])


def check_markup(p, name):
    """One file that asks for nothing, with the hashes of exactly its own scripts and styles."""
    policy, = [tag[1]["content"] for tag in p.elements.tags if tag[0] == "meta" and tag[1].get("http-equiv") == "Content-Security-Policy"]
    hashes = [" ".join(f"'{page_file.hash_of(text)}'" for text in texts) for texts in (p.scripts, p.styles)]
    tap.ok(policy == POLICY.format(*hashes) and p.scripts and p.styles, f"{name}: the policy has the hashes of its scripts and styles", policy)
    asked = [tag for tag in p.elements.tags if tag[0] in ("link", "img", "iframe", "object", "embed", "base", "form") or
             any(key in ("src", "href", "style", "action", "background") or key.startswith("on") for key in tag[1])]
    tap.ok(not asked, f"{name}: nothing is loaded, and no attribute is script or style", asked)
    tap.ok(p.text.startswith("<!DOCTYPE html>\n<html lang=\"en\">") and p.text.endswith("</html>\n") and "\0" not in p.text, f"{name}: it is a document")
    strange = {tag[0] for tag in p.elements.tags} - TAGS
    tap.ok(not strange, f"{name}: no name is markup", strange)


def still_rows(p):
    """(self in percent, samples, function) of the table for browsers without script."""
    table = p.text[p.text.index("<noscript>"):p.text.index("</noscript>")]
    return [(float(own), int(nr), name) for own, nr, name in re.findall(r"<tr><td>([\d.]+)%<td>[\d.]+%<td>(\d+)<td>(.*)<td>", table)]


def check_still(cap):
    p, _ = page(cap)
    rows, wanted = still_rows(p), rows_of("dso,sym", cap)
    by_size = sorted((sums[0] for sums in wanted.values()), reverse=True)[:50]
    tap.equal([nr for _, nr, _ in rows], by_size, "without script: the 50 functions with the most samples of their own")
    total = len(p.rows)
    tap.ok(all(abs(own - 100 * nr / total) < 0.01 for own, nr, _ in rows), "with their shares", rows[:3])
    names = [element[2] for element in p.elements.found if element[0] == "title"]
    tap.ok(any(name.startswith("os_stat") or name.startswith(COMM) or COMM in name for name in names) and "class=\"still\"" in p.text and
           "<style" not in p.text[p.text.index("<noscript>"):], "and a still graph, whose style is that of the page", names[:5])
    check_markup(p, "recorded")


def check_ways(cap):
    """Options that change which samples there are."""
    for jobs in ("-j1", "-j4"):
        page(jobs, cap, out=jobs)
    with open(tap.path("-j1"), "rb") as one, open(tap.path("-j4"), "rb") as four:
        tap.ok(one.read() == four.read(), "one thread and four write the same")
    for words in ([], ["--max-stack", "2"]):
        p, _ = page(*words, cap)
        tap.ok(folded_of(p) == folded(*words, cap), f"{' '.join(words)}: stacks are those of the folded export")
    for words in (["--time", "10%-60%"], ["--comm", COMM], ["--dso", "libc.so.6"]):
        p, result = page(*words, cap)
        differs = equals(p, *words, cap) if p else "no page"
        tap.ok(p and result.status == 0 and not differs, f"{' '.join(words)}: the samples of report", result.err + differs)
    tap.ok(page("--comm", COMM, cap)[0].meta["selection"] == "comm " + COMM, "the selection is told", page("--comm", COMM, cap)[0].meta["selection"])
    streamed = tap.run(tap.TSTREAM, "report", "--html=-", cap)
    page(cap)
    with open(tap.path("page.html"), encoding="utf-8") as f:
        tap.ok(f.read() == streamed.out and not streamed.err, "standard output gets the same", streamed.err)
    first = tap.path("first")
    tap.run(tap.TSTREAM, "merge", "-q", "-o", first, cap)
    p, result = page(first, cap)
    differs = equals(p, first, cap, keys=("dso,sym", "comm", "cpu"))
    tap.ok(not differs and [c["path"] for c in p.meta["captures"]] == [first, cap], "two captures: the samples of both", differs + result.err)
    alone = page(cap)[0].meta["threads"]
    both = p.meta["threads"]
    tap.ok(both["capture"] == [0] * len(alone["tid"]) + [1] * len(alone["tid"]) and both["tid"] == 2 * alone["tid"] and both["name"] == 2 * alone["name"],
           "threads are those of a capture")
    begins = [min(row[1] for row in p.rows if both["capture"][row[0]] == capture) for capture in (0, 1)]
    tap.equal(begins, [0, 0], "each capture begins at 0")


def check_events():
    """Two events in a capture, with periods that differ; captures with different events."""
    one, two = d.Event(d.USUAL, ids=(77,), name="cycles", config=5), d.Event(d.USUAL, ids=(78,), name="faults", config=2)
    idle = d.Event(d.USUAL, ids=(79,), name="idle", config=3)
    start = one.comm() + one.mmap()
    records = b"".join(one.sample(MAPPED + 16 * (i % 3), 1000 * i, cpu=i % 3, period=100 + i) for i in range(300))
    records += b"".join(two.sample(MAPPED + 16 * (i % 2), 1000 * i + 500, cpu=300, period=5) for i in range(40))
    both = made("both", [one, two, idle], start + records)
    p, result = page(both)
    tap.equal([(e["name"], e["unit"], e["samples"], e["period"], e["one_period"]) for e in p.meta["events"]],
              [("cycles", "", 300, sum(100 + i for i in range(300)), 0), ("faults", "", 40, 200, 5)], "events that have samples, with their sums")
    for number, name in enumerate(("cycles", "faults")):
        differs = equals(p, both, table=number, wanted=lambda row, number=number: row[4] == number)
        tap.ok(not differs, f"samples and periods of {name} are those of report", differs)
    tap.ok({row[3] for row in p.rows if row[4] == 1} == {300}, "CPU 300", result.err)
    p, _ = page("-e", "faults", both)
    tap.ok([e["name"] for e in p.meta["events"]] == ["faults"] and len(p.rows) == p.meta["captures"][0]["samples"] == 40 and p.meta["columns"]["event"] == p.meta["columns"]["period"] == 0,
           "-e: only that one", p.meta["events"])
    first = made("ones", [one], start + one.sample(MAPPED, 1000) * 3)
    second = made("twos", [two], start + two.sample(MAPPED + 16, 1001) * 2)
    p, _ = page(first, second)
    tap.ok({(p.meta["threads"]["capture"][row[0]], p.meta["events"][row[4]]["name"], row[5]) for row in p.rows} == {(0, "cycles", 1), (1, "faults", 1)} and
           len(p.rows) == 5, "captures with different events", p.meta["events"])
    huge = made("huge", [one], start + one.sample(MAPPED, 1, period=(1 << 63) + 7) + one.sample(MAPPED, 2, period=(1 << 64) - 1))
    p, _ = page(huge)
    tap.equal((sorted(row[5] for row in p.rows), p.meta["events"][0]["period"]), ([(1 << 63) + 7, (1 << 64) - 1], (1 << 64) - 1), "periods up to 2^64")


def check_names():
    event = d.Event(d.USUAL | d.CALLCHAIN)
    names = ["</script>", "<!--<script>", "\"quo\\te'", "new\nline", "ümlaut", "]]>&lt;"]
    records = b"".join(event.comm(pid=i + 1, name=name) + event.mmap(f"/none/{name}{i}".replace("/s", "s"), pid=i + 1) +
                       event.sample(MAPPED + 8, 1000 + i, pid=i + 1, chain=[USER, MAPPED + 8]) for i, name in enumerate(names))
    bad = event.comm(pid=9, name="zzzz").replace(b"zzzz", b"\xff\xfez\x80") + event.mmap(pid=9) + event.sample(MAPPED, 1100, pid=9, chain=[USER, MAPPED])
    p, result = page(made("a<b>&", [event], records + bad))
    tap.equal(set(p.meta["threads"]["name"]), {*names, "\ufffd\ufffdz\ufffd"}, "names of threads are texts, whatever they hold")
    roots = {p.looks[p.path(stack)[0]][0] for stack in range(p.meta["stacks"])}
    tap.equal(roots, {name.replace("\n", "?") for name in names} | {"\ufffd\ufffdz\ufffd"}, "names of commands are texts of a line")
    tap.ok(any("ümlaut4" in where for where in p.objects) and any(where.startswith("<!--<script>") for where in p.objects), "names of objects, too", p.objects)
    check_markup(p, "hostile names")
    long = "ä" * 30000
    program = perf_file.Program(tap.path("long.so"), ["main", long, "</script>"])
    capture = perf_file.PerfFile()
    capture.thread(7, 7, "name")
    capture.map(7, program)
    for function in ("main", long, "</script>"):
        capture.sample(7, 7, 1000, [program.at(function)])
    capture.write(tap.path("long"))
    p, result = page(tap.path("long"))
    tap.ok({"main", "ä" * 256, "</script>"} <= set(p.names) and len(p.bytes) < 400000, "a name of 60 kB is cut at 512 bytes", [name[:20] for name in p.names])
    words = ["/bin/</title>", "x" * 300000, "&<>\"'"]
    line = struct.pack("<I", len(words)) + b"".join(d.string(word) for word in words)
    features = {**d.usual_features([event]), d.HOSTNAME: d.string("h" * 100000), CMDLINE: line}
    with open(tap.path("said"), "wb") as f:
        f.write(d.file([event], records + event.comm(pid=20, name="c" * 50000) + event.sample(MAPPED, 2000, pid=20, chain=[USER, MAPPED]), features))
    p, result = page(tap.path("said"))
    told = p.meta["captures"][0]
    tap.ok(p.meta["title"].startswith("title> xxx") and len(p.meta["title"]) == len(told["command"]) == 4096 and len(told["host"]) == 512 and
           max(map(len, p.meta["threads"]["name"])) <= 512 and len(p.bytes) < 400000, "a command line of 300 kB, a host of 100 kB and a thread of 50 kB are cut",
           f"{p.meta['title'][:20]} {len(p.bytes)} {result.err}"[:300])
    check_markup(p, "long names")


def deep_stacks(name, nr_samples, nr_frames, nr_functions):
    """The path of a capture of stacks that share little."""
    program = perf_file.Program(tap.path(name + ".so"), [f"function_{i}" for i in range(nr_functions)])
    capture = perf_file.PerfFile()
    capture.thread(7, 7, "name")
    capture.map(7, program)
    for i in range(nr_samples):
        capture.sample(7, 7, 1000 + i, [program.at(f"function_{(i * 131 + k * (i + 1)) % nr_functions}") for k in range(nr_frames)])
    capture.write(tap.path(name))
    return tap.path(name)


def check_sizes():
    usual = d.Event(d.USUAL)
    start = usual.comm() + usual.mmap()
    p, _ = page(made("single", [usual], start + usual.sample(MAPPED, 1000)))
    tap.ok(len(p.rows) == 1 and p.meta["length_ns"] == 0 and p.meta["nodes"] == 2, "one sample", p.meta)
    p, _ = page("--max-stack", "600", deep_stacks("deep", 1, 500, 500))
    tap.ok(len(p.path(0)) == 501, "a stack of 500 frames", len(p.path(0)))
    p, _ = page("--max-stack", "600", deep_stacks("large", 30, 500, 4000))
    tap.ok(p.meta["nodes"] > 10000 and "<svg" not in p.text and "<p>The flame graph is too large" in p.text and len(still_rows(p)) == 30,
           "a still graph of more than a megabyte is left out", f"{p.meta['nodes']} {len(p.bytes)}")
    threads = b"".join(usual.sample(MAPPED + i % 7, 50000 - i, pid=i + 1) for i in range(12000)) + usual.sample(MAPPED, 90000, pid=2400)
    p, _ = page(made("threads", [usual], start + threads))
    table = p.meta["threads"]
    tap.ok(len(table["tid"]) == 10000 and table["merged"][-1] == 2001 and table["rows"][-1] == 2001 and table["name"][-1] == "2001 other threads" and
           sum(table["rows"]) == 12001, "of 12000 threads the smallest are one", f"{len(table['tid'])} {table['name'][-1]}")
    timeless = d.Event(d.USUAL & ~d.TIME)
    p, result = page(made("timeless", [timeless], timeless.comm() + timeless.mmap() + timeless.sample(MAPPED, 0, addr=0) * 3))
    tap.ok(p and not p.meta["has_times"] and len(p.rows) == 3 and p.meta["length_ns"] == 0 and p.meta["columns"]["time"] == 0 and
           p.meta["captures"][0]["start_ms"] is None, "without times", result.err)
    p, result = page(made("none", [usual], start))
    tap.ok(not p and result.status == 1 and "no samples" in result.err, "without samples", result.err)
    p, result = page("--comm", "nobody", tap.path("single"))
    tap.ok(not p and result.status == 1 and "no command is called" in result.err, "a selection of nothing", result.err)


LOST_CALLER = 0x7000  # nothing is mapped there


def towers(name, nr_known, *heights, of=0):
    """The path of a capture of samples of `leaf`: so many called by main, one through each number of unknown callers, so many without callers."""
    program = perf_file.Program(tap.path(name + ".so"), ["main", "leaf", "[unknown]"])
    capture = perf_file.PerfFile()
    capture.thread(7, 7, "name")
    capture.map(7, program)
    for i, height in enumerate((*heights, *[0] * nr_known)):
        capture.sample(7, 7, 1000 + i, [program.at("leaf"), *[LOST_CALLER + 16 * k for k in range(height)], program.at("main")])
    for i in range(of):
        capture.sample(7, 7, 90000 + i, [program.at("leaf")])
    capture.write(tap.path(name))
    return tap.path(name)


def runs(p):
    """{stack: texts of the frames that are one}."""
    found = {}
    for stack in range(p.meta["stacks"]):
        node, texts = p.node_of[stack], []
        while node is not None:
            texts.insert(0, p.names[p.look_of[node]] + p.run_of[node])
            node = p.parent[node]
        found[";".join(texts)] = sum(row[6] for row in p.rows if row[2] == stack)
    return found


def check_unknown():
    """Unknown callers that follow each other are one; a sentence tells why there are so many."""
    said = "has no frame pointers"
    cap = towers("towers", 3, 2, 60, 60, 1)
    p, _ = page(cap)
    tap.equal(runs(p), {"name;main;leaf": 3, "name;main;[unknown] (1 to 60 frames);leaf": 4}, "unknown callers of several lengths are one")
    differs = equals(p, cap) or str(totals(p) != totals_of(cap) or "")
    tap.ok(not differs and p.meta["nodes"] == 5, "its sums are those of report", differs)
    tap.equal(set(runs(page(towers("same", 0, 23, 23))[0])), {"name;main;[unknown] (23 frames);leaf"}, "of one length: how many")
    one = page(towers("one", 0, 1))[0]
    tap.ok(set(runs(one)) == {"name;main;[unknown];leaf"} and one.meta["planes"]["run"] == 0, "a single one stays as it is")
    tap.ok(any(line.startswith("57% of the samples") and said in line and "--call-graph dwarf" in line for line in p.meta["warnings"]),
           "if most samples have unknown callers, the head says why", p.meta["warnings"])
    noscript = p.text[p.text.index("<noscript>"):p.text.index("</noscript>")]
    tap.ok(said in noscript and "[unknown] (1 to 60 frames): 4 samples" in noscript, "without script, too", noscript[:500])
    for name, words, wanted in (("half", (3, 1, 2, 3), False), ("few", (0, 4), False), ("enough", (0, 4), True)):
        p, _ = page(towers(name, *words, of={"few": 20, "enough": 19}.get(name, 0)))
        tap.equal(any(said in line for line in p.meta["warnings"]), wanted, f"{name}: {'a' if wanted else 'no'} sentence")
    event = d.Event(d.USUAL | d.CALLCHAIN)
    long = [USER, MAPPED] + [LOST_CALLER] * 3000
    p, _ = page("--max-stack", "4000", made("longest", [event], event.comm() + event.mmap() + event.sample(MAPPED, 1, chain=long)))
    tap.ok(any(text.startswith("[unknown] (3000 frames)") for text in p.run_of and [p.names[look] + run for look, run in zip(p.look_of, p.run_of)]),
           "3000 unknown callers", p.run_of)


def check_losses():
    """Of LOST records, in the second and in the fourth second."""
    p, result = page(lossy())
    tap.equal([gap[:4] for gap in p.meta["gaps"]], [[0, 10 ** 9, 2 * 10 ** 9, 3], [0, 3 * 10 ** 9, 4 * 10 ** 9, 40]], "losses have their times")
    faults = " ".join(p.meta["captures"][0]["faults"])
    tap.ok("at least 43 records" in faults and "at least 43 records" in p.text[p.text.index("<noscript>"):p.text.index("</noscript>")] and result.status == 0,
           "and are told, with script and without", faults)


def check_steps():
    """More samples than have room: times are in steps, and nothing is lost."""
    event = d.Event(d.USUAL)
    chance = random.Random(1)
    parts = [event.comm(pid=pid) + event.mmap(pid=pid) for pid in (500, 501, 502)]
    for i in range(120000):
        parts.append(event.sample(MAPPED + chance.randrange(50) * 16, 1000 + i * 50000 + chance.randrange(50000), pid=500 + chance.randrange(3),
                                  cpu=chance.randrange(2), period=chance.randrange(1, 10)))
    many = made("many", [event], b"".join(parts))
    whole, empty = page(many)[0], len(page(tap.path("single"))[0].bytes)
    room = (len(whole.bytes) - empty) // 2
    p, result = page(f"--html-limit={empty + room}", many)
    tap.ok(p and len(p.bytes) <= empty + room and p.meta["step_ns"] >= 10**6, "--html-limit: the page is no larger",
           f"{p and (len(p.bytes), p.meta['step_ns'])} {result.err}")
    tap.ok(len(p.bytes) - empty > room // 4, "and not much smaller", f"{len(p.bytes)} {empty} {room}")
    tap.ok(p.meta["time_unit_ns"] == p.meta["step_ns"] and any(f"in steps of {p.meta['step_ns'] // 10**6} ms" in line and "120000 samples" in line
                                                            for line in p.meta["warnings"]), "it says so", p.meta["warnings"])
    differs = equals(p, many)
    tap.ok(not differs and sum(row[6] for row in p.rows) == 120000, "its sums are those of report", differs)

    def by_step(page):
        return page.sums(lambda row: (row[0], row[1] // p.meta["step_ns"], leaf_of[page](row), row[3]))
    leaf_of = {whole: leaf(whole), p: leaf(p)}
    tap.ok(by_step(whole) == by_step(p), "each step has the samples of its time")
    tap.ok(len(p.rows) == len({row[:5] for row in p.rows}), "equal samples of a step are one row")
    p, result = page(f"--html-limit={empty // 2}", many)
    tap.ok(not p and result.status == 1 and "cannot make a page of" in result.err and "--html-limit" in result.err, "a limit that is too low", result.err)


def check_limit():
    """What is not rows counts, too: names of threads, the still graph."""
    event = d.Event(d.USUAL)
    chance = random.Random(2)
    parts = [event.comm(pid=500 + i, name=f"<{i:03}>" + "<" * 500 + 7 * "\0") + event.mmap(pid=500 + i) for i in range(200)]
    for i in range(40000):
        parts.append(event.sample(MAPPED + chance.randrange(50) * 16, 1000 + i * 50000, pid=500 + chance.randrange(200), cpu=chance.randrange(2)))
    named = made("named", [event], b"".join(parts))
    whole = page(named)[0]
    limit = len(page(f"--html-limit={len(whole.bytes) - 20000}", named)[0].bytes) - 20000  # the still graph has less room
    p, result = page(f"--html-limit={limit}", named)
    tap.ok(p and len(p.bytes) <= limit and p.meta["step_ns"] and sum(row[6] for row in p.rows) == 40000, "long names of threads have room within --html-limit",
           f"{limit} {p and len(p.bytes)} {result.err}")
    p, result = page("--html-limit=1M", named)
    tap.ok(not p and result.status == 1 and re.search(r"cannot make a page of 1M: without samples it takes [\d.]+M\n", result.err) and "--html-limit" in result.err,
           "if they have none, a sentence", result.err)
    still = deep_stacks("still", 10, 100, 800)
    sizes = [len(p.text[p.text.index("<noscript>"):p.text.index("</noscript>")]) for p in (page(still)[0], page("--html-limit=1M", still)[0])]
    tap.ok(sizes[0] > 1 << 17 > sizes[1], "the still graph has an eighth of the page", sizes)
    several = [made(f"host{i}", [usual], b"".join(usual.sample(MAPPED, 50000 + k, pid=k + 1) * (1 + (i == k == 1)) for k in range(600)))
               for i, usual in enumerate((d.Event(d.USUAL), d.Event(d.USUAL)))]
    table = page("--html-limit=1M", *several)[0].meta["threads"]
    merged = [(capture, nr, rows) for capture, nr, rows in zip(table["capture"], table["merged"], table["rows"]) if nr]
    tap.ok([capture for capture, _, _ in merged] == [0, 1] and all(nr == rows for _, nr, rows in merged) and sum(table["rows"]) == 1201 and
           sum(max(1, nr) for nr in table["merged"]) == 1200, "merged threads are of their captures", merged)


def check_tree():
    """More nodes than have room: the smallest subtrees become a child of their parent."""
    program = perf_file.Program(tap.path("wide.so"), [f"f{i}" for i in range(4002)])
    capture = perf_file.PerfFile()
    capture.thread(7, 7, "name")
    capture.map(7, program)
    for i in range(7000):
        capture.sample(7, 7, 1000 + i, [program.at(f"f{i % 3900}"), program.at(f"f{i % 19}"), program.at("f4000")])
    for i in range(900):
        capture.sample(7, 7, 9000 + i, [program.at("f4001"), program.at("f4000")])
    capture.write(tap.path("wide"))
    limit = len(page(tap.path("single"))[0].bytes) + 50000
    whole, cut = page(tap.path("wide"))[0], page(f"--html-limit={limit}", tap.path("wide"))[0]
    tap.ok(whole.meta["nodes"] > 6000 > cut.meta["nodes"] and len(cut.bytes) <= limit, "a tree that is too large is cut",
           f"{whole.meta['nodes']} {cut.meta['nodes']} {len(cut.bytes)}")
    small = [stack for stack in range(cut.meta["stacks"]) if re.fullmatch(r"\(\d+ small\)", cut.looks[cut.path(stack)[-1]][0])]
    tap.ok(small and all(cut.looks[cut.path(stack)[-1]][1:] == ("", "unknown") for stack in small), "what is merged has a look of its own")
    tap.ok(any("merged" in line for line in cut.meta["warnings"]), "it says so", cut.meta["warnings"])
    own = {name: sums for (_, name), sums in whole.sums(leaf(whole)).items()}
    left = {name: sums for (_, name), sums in cut.sums(leaf(cut)).items() if "small" not in name}
    tap.ok(left and all(own[name] == sums for name, sums in left.items()) and left["f4001"][0] == 900, "no sample becomes one of a caller itself", len(left))
    tap.equal(sum(row[6] for row in cut.rows), 7900, "and none is lost")


def check_refusals(cap):
    out, notes = cap + ".html", tap.path("notes")
    result = report("--html", cap)
    tap.ok(result.status == 0 and os.path.getsize(out) > 10000 and not result.out, "without a name it is CAPTURE.html", result.out + result.err)
    tap.ok(report("--html", cap).status == 0, "which is replaced, because it is ours")
    with open(notes, "w", encoding="utf-8") as f:
        f.write("notes")
    x = "--html=" + tap.path("x.html")
    for words, status, said in (([f"--html={notes}"], 1, "--force"), ([x, "-e", "none"], 1, "no such event"), (["--html-limit=1M"], 2, "give --html"),
                                ([x, "--html-limit=zzz"], 2, "give a size"), ([x, "--svg"], 2, "at once"), ([x, "--icicle"], 2, "give --svg"),
                                ([x, "--diff", cap], 2, "give --svg"), ([x, "--stats"], 2, "at once"), ([x, "--json"], 2, "as JSON"),
                                ([x, "--follow"], 2, "only rows are followed"), ([x, "-s", "dso"], 2, "cannot draw with --sort"),
                                ([x, "-g"], 2, "cannot draw with --call-graph"), ([x, "-G"], 2, "cannot invert a page"), ([f"--html={cap}"], 1, "directory")):
        result = report(*words, "-i", cap)
        tap.ok(result.status == status and said in result.err and not os.path.exists(tap.path("x.html")) and not os.path.exists(tap.path("x.html.new")),
               f"{' '.join(words).replace(tap.scratch, '')}: a sentence", f"{result.status} {result.err}")
    tap.ok(report(f"--html={notes}", "-f", cap).status == 0 and os.path.getsize(notes) > 10000, "--force replaces a file")
    torn = tap.path("torn")
    tap.run("cp", "-r", cap, torn)
    stream = max((os.path.join(torn, name) for name in os.listdir(torn) if name.startswith("data.")), key=os.path.getsize)
    os.truncate(stream, os.path.getsize(stream) // 2)
    p, result = page(torn)
    tap.ok(result.status == 1 and p and any("Damaged" in line for line in p.meta["captures"][0]["faults"]), "damage is told, and the status is 1", result.err)


if not page_file.is_built():
    tap.skip_all("this tstream was built without zlib")
capture = check_recorded()
check_still(capture)
check_ways(capture)
check_events()
check_names()
check_sizes()
check_unknown()
check_losses()
check_steps()
check_limit()
check_tree()
check_refusals(capture)
tap.done()
