#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tstream export --format=chrome`: slices of each thread, made again of the samples of the Firefox format; the periods of `report`, kinds,
losses, names, several captures, widths of hostile periods, the most that viewers open."""
import collections
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import chrome_file  # noqa: E402
import dialect as d  # noqa: E402
import firefox_file  # noqa: E402
import kinds  # noqa: E402
import perf_file  # noqa: E402
import tap  # noqa: E402
from exported import COMM, EVENT, MAPPED, USER, WORK, lossy, made  # noqa: E402

MS = 10 ** 6


def export(*words, out="trace.json.gz"):
    """(the trace; None: none was written, the run)"""
    path = tap.path(out)
    result = tap.run(tap.TSTREAM, "export", "--format=chrome", "-f", "-o", path, *words)
    return (chrome_file.Trace(path) if result.status == 0 else None), result


def report(*words):
    return json.loads(tap.run(tap.TSTREAM, "report", "--json", *words).out)["tables"][0]


def difference(got, wanted):
    return f"{list((got - wanted).items())[:3]} {list((wanted - got).items())[:3]}"


def check_recorded():
    cap = tap.path("cap")
    recorded = tap.run(tap.TSTREAM, "record", "-q", "-F", "999", "-e", EVENT, "-g", "-o", cap, "--", sys.executable, "-c", WORK)
    trace, result = export(cap)
    tap.ok(recorded.status == result.status == 0 and "ui.perfetto.dev" in result.err, "a recording, and how to open it", recorded.err + result.err)
    wanted = chrome_file.wanted(cap)
    tap.ok(trace.slices == wanted and len(wanted) > 100, "slices are those of the samples", difference(trace.slices, wanted))
    periods = {row["keys"]["tid"]: row["self"]["period"] for row in report("--no-children", "-s", "tid", cap)["rows"]}
    tap.equal(set(trace.names("thread_name")), set(periods), "each thread has a track with a name")
    tap.ok("sh" in trace.names("thread_name").values() and COMM in trace.names("process_name").values(), "that of its command", trace.labels)
    shares = {tid: trace.total_us(tid=tid) * 1000 / period for tid, period in periods.items()}
    tap.ok(max(shares.values()) < 1.26 and sum(shares.values()) > 0.5 * len(shares), "with a time that is about its period in report", shares)
    ranks = [index for (label, _, _), index in trace.labels.items() if label == "thread_sort_index"]
    tap.equal(ranks, list(range(len(periods))), "the thread with the most samples comes first")
    kinds = {s.kind for s in trace.slices}
    tap.ok("user" in kinds and ("kernel" in kinds or os.geteuid()) and kinds <= set(chrome_file.KINDS.values()), "a category is the kind of a function", kinds)
    tap.ok(any("threading" in line for line in trace.about) and f"Host: {os.uname().nodename}" in trace.about and
           trace.json["otherData"]["about"] == trace.about, "a mark and the head tell the command line and the host", trace.about)
    return cap


def check_ways(cap):
    for words in (["--time", "10%-60%"], ["--cpu", tap.a_cpu_of(cap)], ["--comm", COMM], ["--symbol-filter", "stat"], ["--max-stack", "2"]):
        trace, result = export(*words, cap)
        wanted = chrome_file.wanted(*words, cap)
        tap.ok(trace and trace.slices == wanted, f"{words[0]}: the slices of its samples", result.err + (difference(trace.slices, wanted) if trace else ""))
    for weight in ("samples", "period"):
        trace, result = export(f"--weight={weight}", cap)
        tap.ok(result.status == 2 and not trace and "it shows times" in result.err, f"--weight={weight} is refused", result.err)
    one, four = (subprocess.run([tap.TSTREAM, "export", "--format=chrome", "-o", "-", jobs, cap], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                check=False).stdout for jobs in ("-j1", "-j4"))
    tap.ok(one == four and one[:2] == b"\x1f\x8b", "-o -: one thread and four write the same")
    alone, _ = export(cap)
    tap.run(tap.TSTREAM, "merge", "-q", "-o", tap.path("first"), cap)
    both, _ = export(tap.path("first"), cap)
    moved = collections.Counter({s._replace(tid=s.tid + chrome_file.CAPTURE): nr for s, nr in alone.slices.items()})
    tap.ok(both.slices == alone.slices + moved, "two captures: the tasks of the second one have higher numbers", difference(both.slices, alone.slices + moved))
    tap.ok(all(" on " in name for name in both.names("process_name").values()), "and processes say of which capture they are", both.labels)
    beside = tap.run(tap.TSTREAM, "export", "--format=chrome", cap)
    tap.ok(beside.status == 0 and chrome_file.Trace(tap.path("cap.trace.json.gz")).slices == alone.slices, "a file beside the capture", beside.err)


def story(name, samples, functions=("main", "work", "idle")):
    """A capture of (time, frames from the outermost one) of one thread, each with a period of 1 ms."""
    program = perf_file.Program(tap.path(f"{name}.so"), list(functions))
    capture = perf_file.PerfFile()
    capture.thread(7, 7, "name")
    capture.map(7, program)
    for time, frames in samples:
        capture.sample(7, 7, 10 ** 9 + time, [program.at(function) for function in reversed(frames)], period=MS)
    capture.write(tap.path(name))
    return tap.path(name)


def check_widths():
    """Samples of a clock that are a period apart, that are near, and behind a pause."""
    both, one = ["main", "work"], ["main"]
    apart = story("apart", [(i * MS, both if i % 3 else one) for i in range(30)])
    trace, result = export(apart)
    rows = {row["keys"]["sym"].split()[-1]: row["children"]["period"] for row in report("-s", "sym", apart)["rows"]}
    tap.ok(trace and {name: trace.total_us(name) * 1000 for name in rows} == rows == {"main": 30 * MS, "work": 20 * MS},
           "samples a period apart: the time of each function is its period in report", f"{rows} {result.err}")
    tap.equal(sum(s.name == "main" for s in trace.slices), 1, "a call that all samples show is one slice")
    trace, _ = export(story("pauses", [(0, both), (MS * 5 // 4, both), (3 * MS, both), (3 * MS + MS // 2, one)]))
    tap.equal(sorted((s.from_us, s.until_us, s.name) for s in trace.slices),
              sorted([(0, 2250, "main"), (0, 2250, "work"), (3000, 4500, "main"), (3000, 4000, "work")]),
              "up to a fourth more there is no pause; behind one a sample has its period; near ones have less")
    trace, _ = export(story("same", [(0, both), (0, one), (MS, both)]))
    tap.equal(trace.total_us(), 2000, "samples of one time")
    tap.equal(trace.slices, chrome_file.wanted(tap.path("same")), "have slices of their other samples")


def ran(trace):
    """{(CPU, thread, process): its slices on the CPU's track}"""
    found = collections.defaultdict(list)
    for e in sorted((e for e in trace.events if e["ph"] == "X" and e.get("cat") == "thread"), key=lambda e: e["ts"]):
        found[e["tid"], e["args"]["tid"], e["args"]["process"]].append((e["name"], e["ts"], int(e["ts"] + e["dur"] + chrome_file.GAP)))
    return dict(found)


def check_cpus(cap):
    """--timeline=cpu: a track for each CPU, with the threads that ran there, and their calls in them."""
    trace, result = export("--timeline=cpu", cap)
    wanted = chrome_file.wanted(cap, by_cpu=True)
    tap.ok(trace and trace.slices == wanted and len(wanted) > 100, "--timeline=cpu: slices of CPUs are those of the samples",
           result.err + (difference(trace.slices, wanted) if trace else ""))
    cpus = {row["keys"]["cpu"] for row in report("--no-children", "-s", "cpu", cap)["rows"]}
    tap.equal(trace.names("thread_name"), {cpu: f"CPU {cpu}" for cpu in cpus}, "each CPU of report has a track")
    tids = {row["keys"]["tid"] for row in report("--no-children", "-s", "tid", cap)["rows"]}
    tap.equal({tid for _, tid, _ in ran(trace)}, tids, "and each thread is on some")
    trace, result = export("--timeline=thread", cap)
    tap.equal(trace.slices, export(cap)[0].slices, "--timeline=thread is what there is without it")
    words = ["--timeline=cpu", "--time", "10%-60%"]
    trace, result = export(*words, cap)
    tap.equal(trace.slices, chrome_file.wanted(*words[1:], cap, by_cpu=True), "with a selection, too")
    trace, result = export("--timeline=cpu", tap.path("first"), cap)
    both, alone = trace.names("process_name"), export("--timeline=cpu", cap)[0]
    tap.ok(len(both) == 2 and all(name.startswith("CPUs on ") for name in both.values()) and
           trace.slices == alone.slices + collections.Counter({s._replace(tid=s.tid + chrome_file.CAPTURE): nr for s, nr in alone.slices.items()}),
           "two captures: each has its CPUs", both)
    check_made_cpus()
    for words, status, said in ((["--timeline=core"], 2, "give thread or cpu"), (["--timeline=cpu", "--format=folded"], 2, "only chrome has two"),
                                (["--timeline=thread", "--format=perf.data"], 2, "only chrome has two")):
        trace, result = export(*words, cap)
        tap.ok(result.status == status and said in result.err and not trace, f"{' '.join(words)}: a sentence", result.err)


def check_made_cpus():
    program = perf_file.Program(tap.path("cpus.so"), ["main", "work"])
    capture = perf_file.PerfFile()
    for pid, tid, name in ((7, 7, "one"), (7, 8, "Profile"), (9, 9, "one")):
        capture.thread(pid, tid, name)
    for pid in (7, 9):
        capture.map(pid, program)
    both, one = [program.at("work"), program.at("main")], [program.at("main")]
    for at, pid, tid, cpu, chain in ((0, 7, 7, 0, both), (1, 7, 7, 0, one), (2, 9, 9, 0, both), (2, 7, 7, 300, one), (3, 7, 8, 0, both), (9, 7, 8, 0, both)):
        capture.sample(pid, tid, 10 ** 9 + at * MS, chain, MS, cpu)
    capture.write(tap.path("cpus"))
    trace, _ = export("--timeline=cpu", tap.path("cpus"))
    tap.equal(ran(trace), {(0, 7, "one"): [("one", 0, 2000)], (0, 9, "one"): [("one", 2000, 3000)], (0, 8, "one"): [("Profile()", 3000, 4000), ("Profile()", 9000, 10000)],
                           (300, 7, "one"): [("one", 2000, 3000)]}, "threads of one name are slices of their own; pauses are none")
    tap.equal(sorted((s.tid, s.from_us, s.until_us, s.name, s.depth) for s in trace.slices if s.kind == "user" and s.tid == 0)[:3],
              [(0, 0, 1000, "work", 2), (0, 0, 2000, "main", 1), (0, 2000, 3000, "main", 1)], "calls lie in their thread")
    tap.equal([index for (label, _, _), index in trace.labels.items() if label == "thread_sort_index"], [0, 1], "CPUs stand by their numbers")
    without = d.Event(d.USUAL & ~d.CPU)
    none = made("without", [without], without.comm() + without.mmap() + without.sample(MAPPED, 10 ** 9, addr=0, period=MS))
    trace, result = export("--timeline=cpu", none)
    tap.ok(not trace and result.status == 1 and "its samples have no CPU" in result.err and "--timeline=cpu" in result.err, "samples without CPUs are refused", result.err)
    trace, _ = export("--timeline=cpu", tap.path("cpus"), none)
    tap.equal(sorted(trace.names("thread_name").values()), ["CPU 0", "CPU 300", "CPU unknown"], "those of one of several captures are a track of their own")


def check_periods():
    event = d.Event(d.USUAL)
    start = event.comm() + event.mmap()
    trace, _ = export(made("single", [event], start + event.sample(MAPPED, 1000, period=2 * MS)))
    tap.equal(trace.total_us(), 2000, "one sample")
    huge = b"".join(event.sample(MAPPED, 10 ** 9 * (i + 1), pid=500 + i, period=(1 << 64) - 1) for i in range(2)) + event.sample(MAPPED, (1 << 64) - 1)
    trace, result = export(made("huge", [event], start + huge))
    tap.ok(trace and trace.slices == chrome_file.wanted(tap.path("huge")), "periods and times that are too long", result.err)
    trace, result = export(made("none", [event], start))
    tap.ok(not trace and result.status == 1 and "no samples" in result.err, "without samples", result.err)
    other = d.Event(d.USUAL, name="faults", config=2)
    records = other.comm() + other.mmap() + b"".join(other.sample(MAPPED, 1000 + i * 10 * MS, period=77) for i in range(4))
    trace, _ = export(made("faults", [other], records))
    length = 30 * MS // 4  # the mean of the only thread
    tap.equal(trace.slices, chrome_file.wanted(tap.path("faults"), usual_ns=length), "an event that is no clock")
    tap.equal(trace.total_us(), 30000, "has the mean time between samples")


def check_names():
    event = d.Event(d.USUAL | d.CALLCHAIN)
    names = ["</script>", "\"quo\\te\"", "new\nline", "ümlaut", "a;b"]
    records = b"".join(event.comm(pid=i + 1, name=name) + event.mmap(pid=i + 1) + event.sample(MAPPED + 8, 1000 + i, pid=i + 1, chain=[USER, MAPPED + 8])
                       for i, name in enumerate(names))
    bad = event.comm(pid=9, name="zzzz").replace(b"zzzz", b"\xff\xfez\x80") + event.mmap(pid=9) + event.sample(MAPPED, 1100, pid=9, chain=[USER, MAPPED])
    trace, _ = export(made("names", [event], records + bad))
    tap.equal(set(trace.names("thread_name").values()), {*names, "\ufffd\ufffdz\ufffd"}, "names are texts, whatever they hold")
    trace, _ = export(story("reserved", [(0, ["Profile", "thread_name"])], ("Profile", "thread_name")))
    tap.equal({s.name for s in trace.slices}, {"Profile()", "thread_name()"}, "functions are not called as events that viewers know")
    tap.ok("cat" not in trace.events[0], "the first event has no category, by which speedscope knows the traces of a browser", trace.events[0])
    threads = b"".join(event.sample(MAPPED + i % 7, 5000 + i, pid=i + 1, chain=[USER, MAPPED]) for i in range(2500))
    trace, _ = export(made("threads", [event], event.comm() + event.mmap() + threads))
    tap.equal(len(trace.names("thread_name")), 2500, "many threads are many tracks")
    several = [made(name, [event], event.comm(pid=500, name=name) + event.sample(MAPPED, 1000, pid=pid, chain=[USER, MAPPED]))
               for name, pid in (("exited", (1 << 32) - 1), ("high", 1 << 30), ("usual", 500))]
    trace, _ = export(*several)
    tap.equal(sorted(trace.names("process_name")), [chrome_file.CAPTURE - 1, 2 * chrome_file.CAPTURE - 1, 2 * chrome_file.CAPTURE + 500],
              "a number that Linux does not give is no task of another capture")


def check_kinds():
    capture, words = kinds.inlined()
    trace, result = export(*words, capture)
    tap.ok({(s.name, s.kind) for s in trace.slices} >= {(kinds.INLINED, "inlined")} and any(s.name in kinds.AROUND and s.kind == "user" for s in trace.slices),
           "inlined functions have a category of their own", result.err)
    wanted = chrome_file.wanted(*words, capture)
    tap.ok(trace.slices == wanted, "and slices in those that they are a part of", difference(trace.slices, wanted))
    capture, words = kinds.jit()
    trace, result = export(*words, capture)
    tap.equal({(s.name, s.kind) for s in trace.slices}, {("made_work", "JIT")}, "code that a process made, too")


def check_losses():
    trace, _ = export(lossy())
    tap.equal([(e["args"], e["dur"] + chrome_file.GAP) for e in trace.losses], [({"lost": 3, "samples": 20}, 10 ** 6), ({"lost": 40, "samples": 20}, 10 ** 6)],
              "losses are slices of a track of their own, with their seconds")
    tap.ok(any("at least 43 records" in line for line in trace.about), "a mark tells of them, too", trace.about)


def check_most():
    """More slices than viewers open: stacks that change all the time."""
    many = [f"function_{i:03}_{'x' * 300}" for i in range(200)]
    path = story("many", [(i * MS, many[i % 2:100 + i % 2]) for i in range(3000)], many)
    trace, result = export(path)
    tap.ok(not trace and result.status == 1 and "viewers open at most 100M of JSON" in result.err and "--format=perfetto" in result.err and
           not os.path.exists(tap.path("trace.json.gz.new")), "more than viewers open is refused, and a remedy is named", result.err)
    trace, result = export("--time=0%-50%", path)
    tap.ok(trace and trace.slices, "the other remedy works", result.err)


if not firefox_file.is_built():
    tap.skip_all("this tstream was built without zlib")
capture_made = check_recorded()
check_ways(capture_made)
check_cpus(capture_made)
check_widths()
check_periods()
check_names()
check_kinds()
check_losses()
check_most()
tap.done()
