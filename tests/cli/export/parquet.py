#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tstream export --format=parquet`: each sample of `script`, totals of `report`; groups, names, several captures and events; which
directories it replaces."""
import collections
import datetime
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import dialect as d  # noqa: E402
import parquet_file  # noqa: E402
import perf_file  # noqa: E402
import tap  # noqa: E402
from exported import COMM, EVENT, MAPPED, USER, WORK, made  # noqa: E402

FILES = ["samples.parquet", "stacks.parquet"]
GROUP = 131072
UNNAMED = re.compile(r"^\[.*\]$|^0x")


def command(*words, out):
    return [tap.TSTREAM, "export", "--format=parquet", "-o", out, *words]


def export(*words, out="out"):
    """(the tables; None: none were written, the run)"""
    path = tap.path(out)
    result = tap.run(*command("-f", *words, out=path))
    return (parquet_file.Export(path) if result.status == 0 else None), result


def bytes_of(*names):
    found = []
    for name in names:
        with open(tap.path(name), "rb") as f:
            found.append(f.read())
    return found


def script_samples(*words):
    """{(comm, tid, CPU, time in ns, period, event): number} of `script`."""
    text = tap.run(tap.TSTREAM, "script", "--ns", "-F", "comm,tid,cpu,time,period,event", *words).out
    found = re.findall(r"^ *(\S.*?) +(\d+) \[(\d+)\] +(\d+)\.(\d{9}): +(\d+) +(\S+): *$", text, re.M)
    return collections.Counter((comm, int(tid), int(cpu), int(s) * 10 ** 9 + int(ns), int(period), event)
                               for comm, tid, cpu, s, ns, period, event in found)


def sums(rows, key):
    found = collections.defaultdict(lambda: [0, 0])
    for row in rows:
        found[key(row)][0] += row["samples"]
        found[key(row)][1] += row["period"]
    return {name: tuple(pair) for name, pair in found.items()}


def report(*words):
    return json.loads(tap.run(tap.TSTREAM, "report", "--json", "--no-children", *words).out)["tables"]


def report_rows(key, *words):
    """{value of the key: (samples, period)} of report's first table."""
    found = collections.defaultdict(lambda: [0, 0])
    for row in report("-s", key, *words)[0]["rows"]:
        found[row["keys"][key]][0] += row["self"]["samples"]
        found[row["keys"][key]][1] += row["self"]["period"]
    return {name: tuple(pair) for name, pair in found.items()}


def folded(*words):
    found = collections.Counter()
    for line in tap.run(tap.TSTREAM, "export", "--format=folded", "-o", "-", *words).out.splitlines():
        stack, _, nr = line.rpartition(" ")
        found[stack] += int(nr)
    return found


def folded_of(tables):
    found = collections.Counter()
    for row in tables.rows:
        names = [row["comm"]] + [name for name, _, _ in row["stack"]]
        found[";".join(name.replace(";", ":").rstrip() for name in names)] += row["samples"]
    return found


def check_recorded():
    cap = tap.path("cap")
    recorded = tap.run(tap.TSTREAM, "record", "-q", "-F", "1999", "-e", EVENT, "-g", "-o", cap, "--", sys.executable, "-c", WORK)
    tables, result = export(cap)
    tap.ok(recorded.status == result.status == 0, "a recording", recorded.err + result.err)
    rows = tables.rows
    wanted = script_samples("-i", cap)
    got = collections.Counter((row["comm"], row["tid"], row["cpu"], row["time"] - row["clock_ns"], row["period"], row["event"]) for row in rows)
    tap.ok(got == wanted and len(wanted) > 200, "command, thread, CPU, time, period and event of each sample are those of script",
           f"{got - wanted}, {wanted - got}"[:800])
    tap.equal(folded_of(tables), folded(cap), "stacks are those of the folded export")
    tap.equal(sums(rows, lambda row: row["comm"]), report_rows("comm", cap), "commands have the samples and periods of report")
    tap.equal(sums(rows, lambda row: str(row["tid"])), {str(tid): pair for tid, pair in report_rows("tid", cap).items()}, "threads, too")
    tap.equal(sums(rows, lambda row: int(row["cpu"])), {int(cpu): pair for cpu, pair in report_rows("cpu", cap).items()}, "CPUs, too")
    named = {name: pair for name, pair in sums(rows, lambda row: row["stack"][-1][0]).items() if not UNNAMED.match(name)}
    wanted = {name: pair for name, pair in report_rows("sym", cap).items() if not UNNAMED.match(name)}
    tap.ok(named == wanted and len(named) > 5, "functions, too", f"{set(named.items()) ^ set(wanted.items())}")
    kinds = {kind for stack in tables.stack_of.values() for _, _, kind in stack}
    modules = {module for stack in tables.stack_of.values() for _, module, _ in stack}
    tap.ok({"u"} <= kinds <= set("kuij?") and ("k" in kinds or os.geteuid()) and any("libc.so" in module for module in modules),
           "frames have modules and kinds", f"{kinds} {modules}")
    tap.ok({COMM, "sh"} <= {row["process"] for row in rows} and {row["host"] for row in rows} == {os.uname().nodename}, "processes and hosts have names")
    day = datetime.datetime.fromtimestamp(rows[0]["time"] / 1e9)
    tap.ok(abs(day.timestamp() - os.stat(cap).st_mtime) < 600, "times are those of the wall clock", day)
    tap.equal(tables.samples.types, {"host": "text", "event": "text", "time": "u64", "cpu": "u16", "pid": "u32", "tid": "u32", "comm": "text",
                                     "stack_id": "u64", "samples": "u32", "period": "u64", "process": "text", "clock_ns": "u64"}, "the columns of samples")
    tap.equal(tables.stacks.types, {"stack_id": "u64", "frames": "text list", "modules": "text list", "kinds": "text list"}, "and of stacks")
    notes = tables.samples.notes["tstream.about"]
    tap.ok("Command: tstream record" in notes and f"Host: {os.uname().nodename}\n" in notes and notes == tables.stacks.notes["tstream.about"],
           "the footers tell of the capture", notes)
    tap.ok(tables.samples.maker.startswith("tstream version "), "and of the program", tables.samples.maker)
    modes = [stat.S_IMODE(os.stat(tap.path(name)).st_mode) for name in ("out", "out/samples.parquet", "out/stacks.parquet")]
    tap.equal(modes, [0o700, 0o600, 0o600], "only their owner can read them")
    tap.ok("DuckDB" in result.err and f"{len(rows)} samples" in result.err, "it says how to read them", result.err)
    return cap


def check_ways(cap):
    """Options that change which samples there are."""
    export("-j1", cap, out="one")
    export("-j4", cap, out="four")
    tap.ok(bytes_of("one/samples.parquet", "one/stacks.parquet") == bytes_of("four/samples.parquet", "four/stacks.parquet"), "one thread and four write the same")
    whole = parquet_file.Export(tap.path("one"))
    cpu = str(whole.rows[0]["cpu"])
    for words in (["--time", "10%-60%"], ["--cpu", cpu], ["--comm", COMM], ["--dso", "libc.so.6"], ["--symbol-filter", "stat"], ["--tid", str(whole.rows[-1]["tid"])]):
        tables, result = export(*words, cap)
        tap.ok(tables and folded_of(tables) == folded(*words, cap), f"{' '.join(words)}: the stacks of the folded export", result.err)
        tap.ok(set(tables.stack_of) <= set(whole.stack_of) or words[0] in ("--dso", "--symbol-filter"), "numbers of stacks are those of the whole")
        tap.ok("Selected: " in tables.samples.notes["tstream.about"], "the footer tells of the selection", tables.samples.notes)
    times = sorted(row["time"] - row["clock_ns"] for row in whole.rows)
    middle = times[len(times) // 2]
    tables, _ = export("--time", f"{middle // 10 ** 9}.{middle % 10 ** 9:09d},", cap)
    tap.equal(len(tables.rows), sum(time >= middle for time in times), "times are those of --time")
    tables, result = export("--max-stack", "2", cap)
    tap.ok(tables and max(map(len, tables.stack_of.values())) == 2, "--max-stack", result.err)
    tables, result = export("--weight=period", cap)
    tap.ok(not tables and result.status == 2 and "samples and their periods" in result.err, "--weight is refused", result.err)
    first = tap.path("first")
    tap.run(tap.TSTREAM, "merge", "-q", "-o", first, cap)
    tables, _ = export(first, cap)
    tap.ok(folded_of(tables) == folded(first, cap) and {row["host"] for row in tables.rows} == {os.uname().nodename},
           "two captures of one host: the samples of both, with its name")
    tap.equal(set(tables.stack_of), set(whole.stack_of), "the same stacks have the same numbers")


def check_events():
    """Of all events, unless one is named; periods may be the largest numbers."""
    program = perf_file.Program(tap.path("prog.so"), ["main", "leaf"])
    capture = perf_file.PerfFile(nr_events=3)
    capture.thread(7, 7, "name")
    capture.map(7, program)
    for i in range(30):
        capture.sample(7, 7, 10 ** 9 + i * 10 ** 6, [program.at("leaf"), program.at("main")], event=i % 2, period=(1 << 64) - 1 if i < 2 else i)
    capture.name_events(["one", "two", "three"])
    capture.write(tap.path("events"))
    tables, result = export(tap.path("events"))
    wanted = {table["events"][0]: (table["samples"], table["rows"][0]["self"]["samples"]) for table in report(tap.path("events")) if table["rows"]}
    tap.equal({name: (nr, nr) for name, (nr, _) in sums(tables.rows, lambda row: row["event"]).items()}, wanted, "each event has its samples")
    tap.equal(sorted(row["period"] for row in tables.rows), sorted([*range(2, 30), (1 << 64) - 1, (1 << 64) - 1]), "and periods")
    tap.ok(len(tables.stack_of) == 1 and "is exported" not in result.err, "events share stacks", result.err)
    tables, _ = export("-e", "two", tap.path("events"))
    tap.equal(sums(tables.rows, lambda row: row["event"]).keys(), {"two"}, "-e names one")


def check_names():
    event = d.Event(d.USUAL | d.CALLCHAIN)
    names = ["</script>", "\"quo\\te\"", "'; --", "ümlaut", "a;b"]
    records = b"".join(event.comm(pid=i + 1, name=name) + event.mmap(f"/none/{i}\"é", pid=i + 1) +
                       event.sample(MAPPED + 8, 1000 + i, pid=i + 1, chain=[USER, MAPPED + 8]) for i, name in enumerate(names))
    bad = event.comm(pid=9, name="zz\nz").replace(b"zz\nz", b"\xff\xfe\nz") + event.mmap(pid=9) + event.sample(MAPPED, 1100, pid=9, chain=[USER, MAPPED])
    tables, result = export(made("names", [event], records + bad))
    tap.ok({row["comm"] for row in tables.rows} == {*names, "???z"} == {row["process"] for row in tables.rows}, "names are texts, whatever they hold", result.err)
    tap.ok({stack[0][1] for stack in tables.stack_of.values()} >= {f"/none/{i}\"é" for i in range(5)}, "objects, too")
    program = perf_file.Program(tap.path("long.so"), ["m" * 60000, "n" * 60000 + "1", "n" * 60000 + "2"])
    capture = perf_file.PerfFile()
    capture.thread(7, 7, "name")
    capture.map(7, program)
    for i, name in enumerate(program.functions):
        capture.sample(7, 7, 10 ** 9 + i, [program.at(name), program.at("m" * 60000)])
    capture.write(tap.path("long"))
    tables, _ = export(tap.path("long"))
    tap.ok({row["stack"][-1][0] for row in tables.rows} == set(program.functions), "names of 60 kB are whole")
    check_long_names()


def check_long_names():
    """A group of stacks has at most 8 MiB of texts, however many frames the next stack has."""
    program = perf_file.Program(tap.path("longs.so"), [f"{i:03}" + "n" * 59997 for i in range(240)])
    capture = perf_file.PerfFile()
    capture.thread(7, 7, "name")
    capture.map(7, program)
    for i in range(0, 240, 60):
        capture.sample(7, 7, 10 ** 9 + i, [program.at(name) for name in program.functions[i:i + 60]])
    capture.write(tap.path("longs"))
    tables, _ = export(tap.path("longs"))
    tap.equal(tables.stacks.group_rows, [2, 2], "a group of stacks is closed before its texts are too many")
    tap.ok({name for stack in tables.stack_of.values() for name, _, _ in stack} == set(program.functions), "names that are in no other group")


def check_sizes():
    event = d.Event(d.USUAL)
    start = event.comm() + event.mmap()
    tables, _ = export(made("single", [event], start + event.sample(MAPPED, 1000)))
    row = tables.rows[0]
    tap.equal((len(tables.rows), row["time"], row["clock_ns"], row["host"], row["samples"]), (1, 1000, 0, "host", 1), "one sample, without a wall clock")
    threads = b"".join(event.sample(MAPPED + i % 7, 5000 - i, pid=i + 1, cpu=i) for i in range(2500))
    tables, _ = export(made("threads", [event], start + threads))
    tap.equal(sorted((row["tid"], row["time"], row["cpu"]) for row in tables.rows), [(i + 1, 5000 - i, i) for i in range(2500)], "2500 threads and CPUs")
    far = event.sample(MAPPED, 5, pid=3000, cpu=(1 << 32) - 1) + event.sample(MAPPED, (1 << 64) - 1, pid=(1 << 31) - 1, cpu=70000)
    tables, _ = export(made("far", [event], start + far))
    tap.equal(sorted((row["time"], row["cpu"], row["tid"]) for row in tables.rows), [(5, 65535, 3000), ((1 << 64) - 1, 65535, (1 << 31) - 1)],
              "the largest times; CPUs that are not known")
    timeless = d.Event(d.USUAL & ~d.TIME)
    tables, result = export(made("timeless", [timeless], timeless.comm() + timeless.mmap() + timeless.sample(MAPPED, 0, addr=0)))
    tap.ok(not tables and "its samples have no time" in result.err, "without times", result.err)
    tables, result = export(made("none", [event], start), out="empty")
    tap.ok(not tables and result.status == 1 and "no samples" in result.err and not os.path.lexists(tap.path("empty")), "without samples", result.err)
    deep = d.Event(d.USUAL | d.CALLCHAIN)
    chains = b"".join(deep.sample(MAPPED, 1000 + i, chain=[USER, *range(MAPPED + i, MAPPED + 500)]) for i in range(400))
    tables, result = export("--max-stack", "1000", made("deep", [deep], deep.comm() + deep.mmap() + chains))
    tap.ok(max(map(len, tables.stack_of.values())) == 500 and len(tables.rows) == 400, "stacks of 500 frames", result.err)


def check_groups():
    """Row groups are slices of time, of a bounded size."""
    event = d.Event(d.USUAL)
    start = event.comm() + event.mmap()
    nr = 2 * GROUP + 1000
    records = b"".join(event.sample(MAPPED + i % 100, 10 ** 6 + 1000 * i, pid=1 + i % 5, cpu=i % 3) for i in range(nr))
    tables, _ = export(made("many", [event], start + records))
    groups, sizes = tables.samples.groups, tables.samples.group_rows
    tap.ok(sum(sizes) == nr and len(sizes) == 3 and max(sizes) <= GROUP, "groups of bounded size", sizes)
    ranges = [(min(group["time"].values), max(group["time"].values)) for group in groups]
    tap.ok(all(before[1] < after[0] for before, after in zip(ranges, ranges[1:])), "each is a slice of time", ranges)
    tap.equal([(group["time"].least, group["time"].most) for group in groups], ranges, "the footer has the range of times")
    tap.equal([(group["tid"].least, group["tid"].most, group["cpu"].most) for group in groups], [(1, 5, 2)] * 3, "and of threads and CPUs")
    tap.equal(sorted(row["time"] for row in tables.rows), [10 ** 6 + 1000 * i for i in range(nr)], "no sample is left out")
    brief = b"".join(event.sample(MAPPED, 10 ** 6 + 1000 * i, pid=1 + i % 2 + 2 * (i * 50 // nr)) for i in range(nr))
    tables, _ = export(made("brief", [event], start + brief))
    rows = [(row["tid"], row["time"]) for row in tables.rows]
    groups = [rows[sum(sizes[:i]):sum(sizes[:i + 1])] for sizes in [tables.samples.group_rows] for i in range(len(sizes))]
    tap.ok(len(groups) == 3 and all(group == sorted(group) for group in groups) and len(set(rows)) == nr, "threads that end before the last group, in order",
           tables.samples.group_rows)
    once = event.sample(MAPPED, 5000, pid=7) * (GROUP + 1)
    tables, _ = export(made("once", [event], start + once + event.sample(MAPPED, (1 << 64) - 1, pid=7)))
    tap.ok(max(tables.samples.group_rows) <= GROUP and len(tables.rows) == GROUP + 2, "also of samples at one time", tables.samples.group_rows)


def check_hosts():
    """Two hosts with clocks of their own."""
    paths, moments = [], {"a": (1700000000 * 10 ** 9, 5 * 10 ** 9), "b": (1700000100 * 10 ** 9, 9 * 10 ** 12)}
    event = d.Event(d.USUAL)
    for name, (day_ns, then_ns) in moments.items():
        features = d.usual_features([event])
        features[d.HOSTNAME] = d.string(name)
        features[29] = d.struct.pack("<IIQQ", 1, 1, day_ns, then_ns)
        paths.append(tap.path("host-" + name))
        with open(paths[-1], "wb") as f:
            f.write(d.file([event], event.comm() + event.mmap() + event.sample(MAPPED, then_ns + 7), features))
    tables, result = export(*paths)
    tap.equal({row["host"]: (row["time"], row["time"] - row["clock_ns"]) for row in tables.rows},
              {name: (day_ns + 7, then_ns + 7) for name, (day_ns, then_ns) in moments.items()}, "two hosts have one clock, and each its own")


def check_losses():
    program = perf_file.Program(tap.path("lossy.so"), ["main"])
    capture = perf_file.PerfFile(chains=False)
    capture.thread(7, 7, "name")
    capture.map(7, program)
    for i in range(80):
        capture.sample(7, 7, 10 ** 9 + i * 10 ** 6, [program.at("main")])
    capture.lost(43, 2 * 10 ** 9 + 1)
    capture.write(tap.path("lossy"))
    tables, result = export(tap.path("lossy"))
    tap.ok("at least 43 records" in tables.samples.notes["tstream.about"] and result.status == 0, "the footers tell of losses", tables.samples.notes)
    with open(tap.path("lossy"), "r+b") as f:
        f.truncate(os.path.getsize(tap.path("lossy")) // 2)
    tables, result = export(tap.path("lossy"))
    tap.ok(result.status == 1 and "damaged" in result.err.lower() + str(os.listdir(tap.path("out"))), "a damaged capture", result.err)
    left = parquet_file.Export(tap.path("out"))
    tap.ok(0 < len(left.rows) < 80 and re.search("amage|cut|end", left.samples.notes["tstream.about"]), "its samples that can be read, and the footer tells", left.samples.notes)


def check_folders():
    """A directory is replaced if its files are those of an export."""
    capture, other = tap.path("single"), tap.path("threads")
    out = tap.path("kept")
    run = tap.run
    tap.ok(run(*command(capture, out=out)).status == 0 and run(*command(other, out=out + "//")).status == 0, "an export replaces an older one")
    tap.equal(len(parquet_file.Export(out).rows), 2500, "by its own files")
    tap.ok(sorted(os.listdir(out)) == FILES and not os.path.lexists(out + ".new"), "nothing is left")
    with open(out + "/samples.parquet", "ab") as f:
        f.write(b"x")
    result = run(*command(capture, out=out))
    tap.ok(result.status == 1 and "samples.parquet" in result.err and "--force" in result.err and os.path.getsize(out + "/samples.parquet") > 100,
           "not if somebody has written to a file", result.err)
    tap.ok(run(*command("-f", capture, out=out)).status == 0 and len(parquet_file.Export(out).rows) == 1, "but by --force")
    with open(out + "/mine", "w") as f:
        f.write("mine")
    for words in ([], ["-f"]):
        result = run(*command(*words, capture, out=out))
        tap.ok(result.status == 1 and "mine" in result.err and sorted(os.listdir(out)) == ["mine", *FILES], "a directory with another file stays", result.err)
    os.mkdir(tap.path("void"))
    tap.ok(run(*command(capture, out=tap.path("void"))).status == 0, "an empty directory is replaced")
    os.symlink(tap.path("void"), tap.path("link"))
    with open(tap.path("plain"), "w") as f:
        f.write("plain")
    for name, why in (("link", "it is a link"), ("plain", "it is no directory"), ("single", "it is a capture"), ("-", "standard output")):
        result = run(*command("-f", capture, out=name if name == "-" else tap.path(name)))
        tap.ok(result.status == 1 and why in result.err, f"refused: {why}", result.err)
    tap.ok(os.path.islink(tap.path("link")) and len(parquet_file.Export(tap.path("void")).rows) == 1, "what is refused stays")
    run(tap.TSTREAM, "export", "--format=parquet", "-q", capture)
    tap.ok(len(parquet_file.Export(capture + ".parquet").rows) == 1, "without -o it is CAPTURE.parquet")
    check_left(capture)


def check_left(capture):
    """The directory of a killed command, and of one that is at work."""
    beside = tap.path("gone.new")
    os.mkdir(beside, 0o700)
    with open(beside + "/samples.parquet", "w"):
        pass
    result = tap.run(*command(capture, out=tap.path("gone")))
    tap.ok(result.status == 0 and not os.path.lexists(beside), "what a killed command left is removed", result.err)
    os.mkdir(beside, 0o700)
    with open(beside + "/notes", "w"):
        pass
    result = tap.run(*command(capture, out=tap.path("gone")))
    tap.ok(result.status == 1 and "gone.new" in result.err and os.path.exists(beside + "/notes"), "something else stays", result.err)
    full = tap.run("sh", "-c", "ulimit -f 1; trap '' XFSZ; exec " + " ".join(command(tap.path("many"), out=tap.path("large"))))
    tap.ok(full.status == 1 and "ulimit" in full.err and not os.path.lexists(tap.path("large")) and not os.path.lexists(tap.path("large.new")),
           "a full disk leaves nothing", full.err)


def check_interrupted():
    """^C at any moment: the result is there or not."""
    with subprocess.Popen(command("-q", tap.path("many"), out=tap.path("stopped")), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as p:
        while p.poll() is None and not os.path.exists(tap.path("stopped.new/samples.parquet")):
            time.sleep(0.001)
        p.send_signal(signal.SIGINT)
        err = p.communicate()[1].decode()
    is_there = os.path.exists(tap.path("stopped"))
    tap.ok((p.returncode == 0) == is_there and p.returncode in (0, 130) and not os.path.lexists(tap.path("stopped.new")), "^C while it writes", f"{p.returncode} {err}")


check_ways(check_recorded())
check_events()
check_names()
check_sizes()
check_groups()
check_hosts()
check_losses()
check_folders()
check_interrupted()
tap.done()
