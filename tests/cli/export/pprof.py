#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tstream export --format=pprof`: stacks are those of the folded export, rows and totals those of `report`; locations, functions,
objects, texts; what was lost; names; what is refused."""
import json
import os
import re
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import dialect as d  # noqa: E402
import perf_file  # noqa: E402
import pprof_file  # noqa: E402
import tap  # noqa: E402

COMM = os.path.basename(sys.executable)[:15]
tap.read_few_kernel_symbols()
CALLS = [sys.executable, "-c", "import os\nfor _ in range(40000):\n os.stat('/')\n [i * i for i in range(100)]"]
CLOCK = "cpu-clock:u" if os.geteuid() else "cpu-clock"
MAPPED, USER = 0x400000, (1 << 64) - 512
export = pprof_file.export


def folded(*words):
    """{(command, function, ...): weight}, inlined functions by their own names, as pprof has them."""
    out = tap.run(tap.TSTREAM, "export", "--format=folded", "-o", "-", *words).out
    found = {}
    for line in out.splitlines():
        names, _, weight = line.replace(" (inlined)", "").rpartition(" ")
        found[tuple(names.split(";"))] = found.get(tuple(names.split(";")), 0) + int(weight)
    return found


def folds(stacks):
    """Names as the folded format writes them; stacks without weight are left out there."""
    found = {}
    for names, weight in stacks.items():
        key = tuple(name.replace(";", ":").rstrip(" ") for name in names)
        found[key] = found.get(key, 0) + weight
    return {names: weight for names, weight in found.items() if weight}


def rows_of_report(*words):
    """{function: (self, total)} in periods; objects in brackets stand for functions without a name."""
    table = json.loads(tap.run(tap.TSTREAM, "report", "--json", "-g", "none", "--percentage=relative", "-s", "sym,dso", *words).out)["tables"][0]
    found = {}
    for row in table["rows"]:
        name, dso = row["keys"]["sym"], row["keys"]["dso"]
        if not re.match("0x[0-9a-f]+$", name):  # the total of an object is not the sum of its addresses: one stack may have several
            own, total = found.get(name, (0, 0))
            found[name] = own + row["self"]["period"], total + row.get("children", row["self"])["period"]
        else:
            found[dso] = found.get(dso, (0, 0))[0] + row["self"]["period"], None
    return found, table


def difference(a, b):
    return "\n".join(f"{key}: {a.get(key)} and {b.get(key)}" for key in {*a, *b} if a.get(key) != b.get(key))[:2000]


def check_recorded():
    cap, single, before = tap.path("cap"), tap.path("single"), time.time_ns()
    made = tap.run(tap.TSTREAM, "record", "-q", "-F", "999", "-e", CLOCK, "-g", "-o", cap, "--", *CALLS)
    after = time.time_ns()
    status, p, data, err = export(cap)
    tap.ok(made.status == status == 0 and len(p.samples) > 10, "a recording", made.err + err)
    tap.equal(p.types, [("samples", "count"), ("cpu", "nanoseconds")], "samples, and nanoseconds of a clock")
    tap.equal((p.default, p.period, p.period_type), ("cpu", 10 ** 9 // 999, ("cpu", "nanoseconds")), "the clock is shown first, and has a period")
    for kind, weight in ((0, "samples"), (1, "period")):
        wanted, got = folded(cap, "--weight", weight), folds(p.stacks(kind))
        tap.ok(wanted == got and len(got) > 10, f"{weight}: stacks are those of the folded export", difference(wanted, got))
    check_rows(p, cap)
    tap.ok(before < p.time_ns < after and 0 < p.duration_ns < after - before, "its time and duration", f"{p.time_ns} {p.duration_ns}")
    tap.ok(any(re.match("Command: .*python.* -c import os", line) for line in p.comments) and f"Host: {os.uname().nodename}" in p.comments,
           "command and host are comments", f"{p.comments}")
    tap.ok(not any("Lost" in line or "Damaged" in line or "Selected" in line for line in p.comments), "and no fault")
    tap.ok(export(cap, "-j1")[2] == export(cap, "-j4")[2] == data, "one thread and four write the same bytes")
    tap.equal([export(cap, f"--weight={weight}")[1].default for weight in ("samples", "period")], ["samples", "cpu"], "--weight says what is shown first")
    short = folds(export(cap, "--max-stack", "3")[1].stacks(0))
    tap.equal(short, folded(cap, "--max-stack", "3"), "--max-stack")
    twice = export(cap, single)[1] if tap.run(tap.TSTREAM, "merge", "-q", "--single", "-o", single, cap).status == 0 else None
    tap.ok(twice and twice.stacks(0) == {stack: 2 * nr for stack, nr in p.stacks(0).items()} and f"Capture: {single}" in twice.comments,
           "two captures are added up, and named")


def check_rows(p, cap):
    """Rows of report beside those that a viewer of pprof would make."""
    wanted, table = rows_of_report("-i", cap)
    got = p.rows(1)
    wrong = []
    for name, (own, total) in wanted.items():
        mine = got.get(name) or got.get(f"[{name}]" if name[:1] != "[" else name) or (0, 0)
        if mine[0] != own or total not in (None, mine[1]):
            wrong.append(f"{name}: {(own, total)} and {mine}")
    tap.ok(not wrong and len(wanted) > 20, "self and total of each function are those of report", "\n".join(wrong[:10]))
    tap.equal((sum(p.stacks(0).values()), sum(p.stacks(1).values())), (table["samples"], table["period"]), "and so are the sums")


def check_objects():
    _, p, _, _ = export(tap.path("cap"))
    paths = [mapping.path for mapping in p.mappings.values()]
    tap.ok(len(set(paths)) == len(paths) > 3 and all(mapping.has_functions for mapping in p.mappings.values()), "each object is a mapping", f"{paths}")
    libc = [mapping for mapping in p.mappings.values() if mapping.path.endswith("/libc.so.6")]
    tap.ok(libc and re.fullmatch("[0-9a-f]{40}", libc[0].build_id), "with its path and build-id", f"{libc}")
    if not os.geteuid():
        tap.ok("[kernel.kallsyms]" in paths, "the kernel is one of them", f"{paths}")
    programs = [path for path in paths if path[0] == "/" and not re.search(r"\.so($|[._][0-9])", path)]
    tap.ok(not programs or paths[0] in programs, "the first one is a program, if a sample met one", f"{paths}")
    tap.ok(all(len(one.lines) == 1 for one in p.locations.values()), "without --inline each location is one function")
    names = list(p.functions.values())
    tap.ok(len(names) == len(set(names)) and sorted(p.functions) == list(range(1, len(names) + 1)), "functions are numbered from 1, each once")


def check_selections():
    cap = tap.path("cap")
    cpu = tap.a_cpu_of(cap)
    for words, said in ((["--time", "10%-60%"], "time 10%-60%"), (["--cpu", cpu], f"CPU {cpu}"), (["--comm", COMM], f"comm {COMM}"),
                        (["--dso", "libc.so.6"], "dso libc.so.6"), (["--symbol-filter", "stat"], "stat")):
        _, p, _, _ = export(cap, *words)
        samples = rows_of_report("-i", cap, *words)[1]["samples"]
        tap.ok(sum(p.stacks(0).values()) == samples > 0, f"{' '.join(words)}: as many samples as report says", f"{sum(p.stacks(0).values())} {samples}")
        tap.ok(any(line.startswith("Selected: ") and said in line for line in p.comments), "and a comment says so", f"{p.comments}")
    whole, part = (export(cap, *words)[1].duration_ns for words in ([], ["--time", "10%-60%"]))
    tap.ok(0.49 < part / whole < 0.51, "--time 10%-60%: half of the duration", f"{part} of {whole}")


def check_inlined():
    program = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/inlined_calls")
    cap = tap.path("nested")
    made = tap.run(tap.TSTREAM, "record", "-q", "-e", "cpu-clock:u", "-F", "500", "-m", "8M", "--call-graph", "dwarf", "-o", cap, "--", program, "3000")
    status, p, _, err = export(cap, "--inline")
    wanted, got = folded(cap, "--inline"), folds(p.stacks(0))
    tap.ok(made.status == status == 0 and wanted == got and got, "--inline: stacks are those of the folded export", made.err + err + difference(wanted, got))
    lines = [one.lines for one in p.locations.values()]
    tap.ok(any(len(names) > 1 and names[-1] in ("main", "outermost", "first", "second") and "middle" in names[:-1] for names in lines),
           "inlined functions are lines before the one that they are a part of", f"{lines}")
    tap.ok(not any("(inlined)" in name for name in p.functions.values()), "and have their own names")
    each = [(*one.lines, one.mapping and one.mapping.path) for one in p.locations.values()]
    tap.ok(len(set(each)) == len(each), "each location is there once", f"{sorted(map(str, each))}")


def write(name, events, records):
    with open(tap.path(name), "wb") as f:
        f.write(d.file(events, records, d.usual_features(events)))
    return tap.path(name)


def check_names():
    """Names of commands, objects and events that are no text, or are texts of the format itself."""
    event = d.Event(d.USUAL | d.CALLCHAIN, name="odd\x1bevent", config=2)
    comms = [b"a;b", b"new\nline ", b"\x1b[31m", b"\xff\xfe\xfd", "ümlaut".encode(), b"samples", b"count", b"comm", b""]
    records = b""
    for i, name in enumerate(comms):
        records += event.record(d.COMM, event.u64((i + 1) << 32 | i + 1) + name.ljust(16, b"\0") + event.trailer(i + 1, 0))
        records += event.mmap(pid=i + 1, path=f"/none/{i}\x7f\u0085;") + event.sample(MAPPED + 8, 1000 + i, pid=i + 1, chain=[USER, MAPPED + 8])
    status, p, _, err = export(write("names", [event], records))
    got = {sample.labels["comm"] for sample in p.samples}
    tap.ok(status == 0 and len(p.samples) == len(comms) and {"a;b", "ümlaut", "samples", "count", "comm"} <= got, "names stay, a ';' too", f"{got} {err}")
    tap.ok(not re.search("[\x00-\x1f\x7f-\x9f]", "".join(p.strings)), "without control characters, and UTF-8", f"{p.strings}")
    tap.ok(p.types[1][1] == "count" and p.types[1][0].startswith("odd") and p.default == p.types[1][0], "an event that is no clock counts", f"{p.types}")


def check_events():
    first, second = d.Event(d.USUAL, name="first"), d.Event(d.USUAL, ids=(78,), name="second", config=2)
    records = first.comm() + first.mmap() + first.sample(MAPPED, 1000) + second.sample(MAPPED, 1001, period=5) + second.sample(MAPPED, 1002, period=7)
    path = write("events", [first, second], records)
    _, p, _, err = export(path)
    tap.ok(sum(p.stacks(0).values()) == 1 and "only first is exported" in err, "the first of two events, and a note", err)
    _, p, _, _ = export(path, "-e", "second")
    tap.equal((p.stacks(0), p.stacks(1), p.types, p.period), ({("task", "[program]"): 2}, {("task", "[program]"): 12}, [("samples", "count"), ("second", "count")], 1),
              "-e: the samples, periods and period of the other; a stack without callers")
    still = d.Event(d.USUAL, name="still", config=2)
    _, p, _, _ = export(write("still", [still], still.comm() + still.sample(MAPPED, 1, period=0)))
    tap.equal((p.types, p.default, p.stacks(0)), ([("samples", "count")], "samples", {("task", "[unknown]"): 1}), "without periods there are samples alone")


def check_deep():
    event = d.Event(d.USUAL | d.CALLCHAIN)
    chain = [USER] + [MAPPED + i * 16 for i in range(500)]
    records = event.comm() + b"".join(event.mmap(path=f"/none/{i}", start=MAPPED + i * 16, length=16) for i in range(500))
    _, p, _, _ = export(write("deep", [event], records + event.sample(MAPPED, 9, chain=chain)), "--max-stack=1000")
    names = [one.lines[0] for one in p.samples[0].locations]
    tap.equal(names, [f"[{i}]" for i in range(500)], "500 frames, leaf first")


def check_faults():
    made = perf_file.PerfFile(nr_events=1)
    program = perf_file.Program(tap.path("prog"), ["main", "leaf"])
    made.thread(7, 7, "task")
    made.map(7, program)
    made.sample(7, 7, 10 ** 9, [program.at("leaf"), program.at("main")], 100, 0, 0)
    made.lost(12, 10 ** 9 + 1, 0)
    made.write(tap.path("lossy"))
    _, p, _, _ = export(tap.path("lossy"))
    tap.ok(any("Lost: " in line and "12 records" in line for line in p.comments), "losses are a comment", f"{p.comments}")
    tap.equal([mapping.path for mapping in p.mappings.values()][0], tap.path("prog"), "the first mapping is the program")
    torn, cap = tap.path("torn"), tap.path("cap")
    tap.run("cp", "-r", cap, torn)
    stream = max((os.path.join(torn, name) for name in os.listdir(torn) if name.startswith("data.")), key=os.path.getsize)
    os.truncate(stream, os.path.getsize(stream) // 2)
    status, p, _, _ = export(torn)
    tap.ok(status == 1 and any(line.startswith("Damaged: ") for line in p.comments), "damage is one, and the status is 1", f"{status} {p.comments}")
    tap.ok(not any(line.startswith("#") for line in p.comments), "pprof shows comments that do not begin with '#'")


def check_files():
    cap, out = tap.path("cap"), tap.path("cap.pb.gz")
    made = tap.run(tap.TSTREAM, "export", "--format=pprof", cap)
    with open(out, "rb") as f:
        tap.ok(made.status == 0 and f.read() == export(cap)[2], "without -o the file is CAPTURE.pb.gz", made.err)
    tap.ok(os.stat(out).st_mode & 0o777 == 0o600 and made.err.count("\n") == 1 and "go tool pprof -http=: FILE" in made.err, "a line says how to open it", made.err)
    full = tap.run("sh", "-c", f"{tap.TSTREAM} export --format=pprof -o - {cap} >/dev/full")
    tap.ok(full.status == 1 and "No space left" in full.err, "a full disk is told", full.err)
    gone = tap.run("bash", "-c", f"{tap.TSTREAM} export --format=pprof -o - {cap} > >(true); wait")
    tap.ok(not gone.err or "pipe" not in gone.err, "a reader that goes away is no error", gone.err)


def check_refusals():
    cap, out = tap.path("cap"), tap.path("none.pb.gz")
    for words, status, said in ((["--comm", "nobody"], 1, "no command is called 'nobody'"), (["--time", "0,1"], 1, "no samples"),
                                (["--annotate"], 2, "cannot annotate the format pprof"), (["--weight", "mass"], 2, "give samples or period")):
        result = tap.run(tap.TSTREAM, "export", "--format=pprof", "-o", out, *words, cap)
        tap.ok(result.status == status and said in result.err and not os.path.exists(out) and not os.path.exists(out + ".new"),
               f"{' '.join(words)}: a sentence, and no file", f"{result.status}: {result.err}")
    still = tap.run(tap.TSTREAM, "export", "--format=pprof", "--weight=period", "-o", out, tap.path("still"))
    tap.ok(still.status == 1 and "by period" in still.err and not os.path.exists(out), "--weight=period without periods", still.err)


def check_unbuilt():
    result = tap.run(tap.TSTREAM, "export", "--format=pprof", "-o", tap.path("x"), tap.path("cap"))
    tap.ok(result.status == 2 and re.search("cannot export as pprof: this tstream was built without (protobuf-c|zlib)", result.err)
           and not os.path.exists(tap.path("x")), "without its libraries the format is refused", result.err)
    tap.ok(re.search("not in this build: it lacks (protobuf-c|zlib)", " ".join(tap.run(tap.TSTREAM, "export", "--help").out.split())), "and --help says so")
    tap.skip("what it writes", "this tstream was built without protobuf-c or zlib")
    tap.done()
    sys.exit(0)


if not pprof_file.is_built():
    check_unbuilt()
check_recorded()
check_objects()
check_selections()
check_inlined()
check_names()
check_events()
check_deep()
check_faults()
check_files()
check_refusals()
tap.done()
