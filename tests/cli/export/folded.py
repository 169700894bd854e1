#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tstream export --format=folded`: the lines that perf's script gives when it is folded by hand; totals and selections are those of
`report`; names, several captures, events, and what goes wrong."""
import collections
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import dialect as d  # noqa: E402
import perf_file  # noqa: E402
import tap  # noqa: E402

tap.read_few_kernel_symbols()
CALLS = [sys.executable, "-c", "import os\nfor _ in range(40000):\n os.stat('/')\n [i * i for i in range(100)]"]
COMM = os.path.basename(sys.executable)[:15]
MAPPED, USER = 0x400000, (1 << 64) - 512


def folded(*words):
    """(status, {stack: weight}, lines, stderr)"""
    result = tap.run(tap.TSTREAM, "export", "--format=folded", "-o", "-", *words)
    lines = result.out.splitlines()
    return result.status, {line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in lines}, lines, result.err


def folded_by_hand(script):
    """The text of `perf script -F comm,ip,sym,dso`: a line for the command, a line for each frame, an empty line."""
    found = collections.Counter()
    for block in script.strip("\n").split("\n\n"):
        comm, *frames = block.split("\n")
        names = [comm.strip()]
        for frame in reversed(frames):
            name, dso = re.fullmatch(r"\s*[0-9a-f]+ (.*) \((.*)\)", frame).groups()
            dso = dso.split("/")[-1]
            names.append((dso if dso[0] == "[" else f"[{dso}]") if name == "[unknown]" else name)
        found[";".join(name.replace(";", ":") for name in names)] += 1
    return dict(found)


def rows_of(*words):
    """Of the first table of `report --json`: (samples, period)."""
    tables = json.loads(tap.run(tap.TSTREAM, "report", "--json", "--percentage=relative", *words).out)["tables"]
    return (tables[0]["samples"], tables[0]["period"]) if tables else (0, 0)


def check_recorded():
    cap, single = tap.path("cap"), tap.path("single")
    made = tap.run(tap.TSTREAM, "record", "-q", "-F", "999", "-e", "cpu-clock:u" if os.geteuid() else "cpu-clock", "-g", "-o", cap, "--", *CALLS)
    status, stacks, lines, err = folded(cap)
    tap.ok(made.status == status == 0 and len(lines) == len(stacks) > 10, "a recording: each stack once", made.err + err)
    named = [line.rpartition(" ")[0].encode().split(b";") for line in lines if "[" not in line]
    tap.ok(named == sorted(named), "in the order of the names")
    samples, period = rows_of(cap)
    tap.ok(sum(stacks.values()) == samples > 100, "as many samples as report says", f"{sum(stacks.values())}, {samples}")
    by_period = folded(cap, "--weight=period")[1]
    tap.ok(sum(by_period.values()) == period and by_period.keys() == stacks.keys(), "periods of which the sum is report's")
    tap.ok(folded(cap, "-j1")[2] == folded(cap, "-j4")[2] == lines, "one thread and four write the same")
    for words in (["--time", "10%-60%"], ["--cpu", tap.a_cpu_of(cap)], ["--comm", COMM], ["--dso", "libc.so.6"], ["--symbol-filter", "stat"]):
        got = sum(folded(cap, *words)[1].values())
        tap.ok(got == rows_of(cap, *words)[0], f"{' '.join(words)}: as many samples as report says", f"{got}")
    short = folded(cap, "--max-stack", "3")[1]
    tap.ok(sum(short.values()) == samples and max(line.count(";") for line in short) == 3, "--max-stack=3: three frames below the command")
    twice = folded(cap, single)[1] if tap.run(tap.TSTREAM, "merge", "-q", "--single", "-o", single, cap).status == 0 else {}
    tap.ok(twice == {stack: 2 * nr for stack, nr in stacks.items()}, "two captures are added up")
    if not tap.PERF:
        tap.skip("perf's script, folded by hand, is the same", "no perf")
        return
    theirs = tap.run(tap.PERF, "script", "--no-inline", "-F", "comm,ip,sym,dso", "-i", single)
    wanted = folded_by_hand(theirs.out)
    wrong = [f"{stack}: {wanted.get(stack)} and {stacks.get(stack)}" for stack in {*wanted, *stacks} if wanted.get(stack) != stacks.get(stack)]
    tap.ok(theirs.status == 0 and wanted and not wrong, "perf's script, folded by hand, is the same", "\n".join(wrong[:10]) + theirs.err)


def check_names():
    """Names of commands and of functions in a perf map."""
    event = d.Event(d.USUAL | d.CALLCHAIN)
    path = tap.path("names")
    comms = ["a;b", "new\nline ", "\x1b[31m", "blank  ", "ümlaut"]
    records = b"".join(event.comm(pid=i + 1, name=name) + event.mmap(pid=i + 1) + event.sample(MAPPED + 8, 1000 + i, pid=i + 1, chain=[USER, MAPPED + 8])
                       for i, name in enumerate(comms))
    with open(path, "wb") as f:
        f.write(d.file([event], records, d.usual_features([event])))
    status, stacks, lines, err = folded(path)
    names = sorted(line.split(";")[0] for line in lines)
    tap.ok(status == 0 and len(lines) == 5 and all(re.fullmatch(r"[^;\x00-\x1f]+;[^;\x00-\x1f]+ 1", line) for line in lines),
           "names with ';', newlines, escapes and blanks at the end are names", f"{lines} {err}")
    tap.ok({"a:b", "blank", "ümlaut"} <= set(names), "a ';' becomes ':', blanks at the end are left out", f"{names}")


def check_events():
    first, second = d.Event(d.USUAL, name="first:u"), d.Event(d.USUAL, ids=(78,), name="second")
    path = tap.path("events")
    records = first.comm() + first.mmap() + first.sample(MAPPED, 1000) + second.sample(MAPPED, 1001) + second.sample(MAPPED, 1002)
    with open(path, "wb") as f:
        f.write(d.file([first, second], records, d.usual_features([first, second])))
    _, stacks, _, err = folded(path)
    tap.ok(sum(stacks.values()) == 1 and "only first:u is exported; other events with samples: 1; -e names one" in err, "the first of two events, and a note", err)
    for name, nr in (("second", 2), ("first:u", 1), ("first", 1)):
        status, stacks, _, err = folded(path, "-e", name)
        tap.ok(status == 0 and sum(stacks.values()) == nr and not err, f"-e {name}: its samples", err)
    status, _, lines, err = folded(path, "--time", "0,0.000001", "-e", "second")
    tap.ok(status == 1 and not lines and "no samples" in err, "an event without samples there", err)
    status, _, lines, err = folded(path, "-e", "third")
    tap.ok(status == 1 and not lines and "no such event" in err and "its events are: first:u, second" in err, "an event that is not there is refused", err)
    many = [d.Event(d.USUAL, ids=(70 + i,), name=f"event-{i:03}") for i in range(99)]
    with open(tap.path("manifold"), "wb") as f:
        f.write(d.file(many, many[0].comm() + many[0].mmap() + many[0].sample(MAPPED, 1000), d.usual_features(many)))
    err = folded(tap.path("manifold"), "-e", "third")[3]
    tap.ok(re.search(r"event-000, event-001, .*event-\d\d\d and others$", err, re.M), "many events are listed as far as there is room", err)


def check_names_of_events():
    """cycles:u, cycles, and two that differ in modifiers; one has no sample."""
    events = [d.Event(d.USUAL, ids=(70 + i,), name=name) for i, name in enumerate(("cycles:u", "cycles", "faults:u", "faults:k", "idle"))]
    path = tap.path("several")
    records = events[0].comm() + events[0].mmap() + b"".join(e.sample(MAPPED, 1000 + i) * (i + 1) for i, e in enumerate(events[:4]))
    with open(path, "wb") as f:
        f.write(d.file(events, records, d.usual_features(events)))
    for name, nr in (("cycles", 2), ("cycles:u", 1), ("faults:k", 4)):
        tap.ok(sum(folded(path, "-e", name)[1].values()) == nr, f"-e {name} is the event of that name")
    for name, said in (("faults", "2 events are called so"), ("idle", "it has no samples here")):
        status, _, lines, err = folded(path, "-e", name)
        tap.ok(status == 1 and not lines and said in err, f"-e {name}: {said}", err)


def check_files():
    cap, out = tap.path("cap"), tap.path("cap.folded")
    made = tap.run(tap.TSTREAM, "export", "--format=folded", cap)
    with open(out, encoding="utf-8") as f:
        lines = f.read().splitlines()
    tap.ok(made.status == 0 and lines == folded(cap)[2], "without -o the file is CAPTURE.folded", made.err)
    tap.ok(os.stat(out).st_mode & 0o777 == 0o600, "its owner alone can read it")
    tap.ok(made.err.count("\n") == 1 and "flamegraph.pl" in made.err and f"{len(lines)} stacks" in made.err, "a line says how to open it", made.err)
    again = tap.run(tap.TSTREAM, "export", "--format=folded", cap + "/")
    tap.ok(again.status == 0 or not keeps_marks(), "it is replaced by the next one", again.err)
    with open(out, "a", encoding="utf-8") as f:
        f.write("notes\n")
    edited = tap.run(tap.TSTREAM, "export", "--format=folded", cap)
    tap.ok(edited.status == 1 and "--force" in edited.err and has_text(out, "notes"), "unless somebody has written to it", edited.err)
    single, bytes_before = tap.path("single"), os.path.getsize(tap.path("single"))
    os.makedirs(os.path.join(cap, "symbols"), exist_ok=True)
    for where in (single, os.path.join(cap, "data"), os.path.join(cap, "data.77"), os.path.join(cap, "symbols", "x")):
        over = tap.run(tap.TSTREAM, "export", "--format=folded", "-f", "-o", where, cap)
        tap.ok(over.status == 1 and "it is a capture, or a file of one" in over.err and os.path.getsize(single) == bytes_before,
               f"{os.path.basename(where)}: a capture is never replaced, nor a file put into one", over.err)
    notes = tap.path("notes")
    with open(notes, "w") as f:
        f.write("notes")
    refused = tap.run(tap.TSTREAM, "export", "--format=folded", "-o", notes, cap)
    tap.ok(refused.status == 1 and "--force" in refused.err and os.path.getsize(notes) == 5, "another file is not", refused.err)
    full = tap.run("sh", "-c", f"{tap.TSTREAM} export --format=folded -o - {cap} >/dev/full")
    tap.ok(full.status == 1 and "No space left" in full.err, "a full disk is told", full.err)
    head = tap.run("sh", "-c", f"{tap.TSTREAM} export --format=folded -o - {cap} | head -1")
    tap.ok(head.status == 0 and head.out.count("\n") == 1 and not head.err, "a reader that goes away is no error", head.err)


def has_text(path, text):
    with open(path, encoding="utf-8") as f:
        return text in f.read()


def keeps_marks():
    try:
        with open(tap.path("mark"), "w", encoding="utf-8"):
            os.setxattr(tap.path("mark"), "user.tstream.result", b"1")
        return True
    except OSError:
        return False


def check_refusals():
    cap, out = tap.path("cap"), tap.path("none.folded")
    for words, status, said in ((["--comm", "nobody"], 1, "no command is called 'nobody'"), (["--comm", "nobody"], 1, "nothing was exported"),
                                (["--time", "0,1"], 1, "no samples"), (["-i", cap], 2, "more than once"),
                                (["--weight", "mass"], 2, "give samples or period"), (["--format", "png"], 2, "no such format")):
        result = tap.run(tap.TSTREAM, "export", "--format=folded", "-o", out, *words, cap)
        tap.ok(result.status == status and said in result.err and not os.path.exists(out) and not os.path.exists(out + ".new"),
               f"{' '.join(words)}: a sentence, and no file", f"{result.status}: {result.err}")
    piped = tap.run("sh", "-c", f"{tap.TSTREAM} export --format=folded -i - <{tap.path('single')}")
    tap.ok(piped.status == 1 and "cannot name the result of standard input" in piped.err, "standard input has no name", piped.err)
    result = tap.run(tap.TSTREAM, "export", cap)
    tap.ok(result.status == 2 and "the formats are: folded" in result.err, "without a format", result.err)
    if os.path.exists("/proc/self/fd"):
        gone = tap.run(tap.TSTREAM, "export", "--format=folded", "-o", tap.path("no/such/file"), cap)
        tap.ok(gone.status == 1 and "No such file or directory" in gone.err and "make its directory" in gone.err, "a folder that is not there", gone.err)


def check_deep():
    program = perf_file.Program(tap.path("deep.so"), ["leaf", "again", "main"])
    capture = perf_file.PerfFile()
    capture.thread(7, 7, "name")
    capture.map(7, program)
    for i in range(3):
        capture.sample(7, 7, 10 ** 9 + i, [program.at("leaf"), *[program.at("again")] * 600, program.at("main")])
    capture.write(tap.path("deep"))
    tap.equal(folded(tap.path("deep"))[2], ["name;main;" + "again;" * 600 + "leaf 3"], "a stack deeper than the kernel's usual limit keeps the sampled function")
    tap.equal(folded("--max-stack=3", tap.path("deep"))[2], ["name;main;again;again 3"], "unless --max-stack cuts it")


def check_huge():
    """Sums of what a capture says may be larger than a number: then they are the largest one, and no lossy capture is whole."""
    event = d.Event(d.USUAL | d.CALLCHAIN)
    start = event.comm("name")
    path = tap.path("huge")
    samples = b"".join(event.sample(MAPPED + at, 1000 + i, period=period, chain=[USER, MAPPED + at]) for i, (at, period) in enumerate(((0, 1 << 63), (0, 1 << 63), (0, 5))))
    with open(path, "wb") as f:
        f.write(d.file([event], start + samples, d.usual_features([event])))
    text = tap.run(tap.TSTREAM, "report", "--json", path).out
    percent = [float(nr) for nr in re.findall(r'"percent":([0-9.]+)', text)]
    tap.ok(rows_of(path)[1] == (1 << 64) - 1 and percent and max(percent) <= 100, "a sum of periods that is too large stays the largest number", text[:300])
    tap.ok(sum(folded("--weight=period", path)[1].values()) == (1 << 64) - 1, "in lines, too")
    capture = perf_file.PerfFile(chains=False)
    capture.thread(7, 7, "name")
    for i in range(3):
        capture.sample(7, 7, 10 ** 9 + i, [MAPPED])
        capture.lost(1 << 63, 10 ** 9 + i)
    capture.write(tap.path("losses"))
    tap.ok("Lost: at least 18446744073709551615 records" in tap.run(tap.TSTREAM, "report", tap.path("losses")).out, "nor is a capture whole because its losses are huge")


check_recorded()
check_deep()
check_huge()
check_names()
check_events()
check_names_of_events()
check_files()
check_refusals()
tap.done()
