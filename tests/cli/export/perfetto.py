#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tstream export --format=perfetto`: each sample of `script` with its thread, CPU and time; stacks of the folded export, periods of
`report`; names, clocks, losses, several captures, many threads."""
import collections
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import dialect as d  # noqa: E402
import perf_file  # noqa: E402
import perfetto_file  # noqa: E402
import tap  # noqa: E402
from exported import COMM, EVENT, MAPPED, USER, WORK, folded, made  # noqa: E402

MONOTONIC, PERF, REALTIME = 3, 10, 1
export = perfetto_file.export


def report(*words):
    return json.loads(tap.run(tap.TSTREAM, "report", "--json", "--no-children", *words).out)["tables"][0]


def script_samples(capture):
    """{(tid, CPU, time in ns): number}"""
    text = tap.run(tap.TSTREAM, "script", "--ns", "-F", "tid,cpu,time", "-i", capture).out
    return collections.Counter((int(tid), int(cpu), int(s) * 10**9 + int(ns))
                               for tid, cpu, s, ns in re.findall(r"(\d+) +\[(\d+)\] +(\d+)\.(\d{9}):", text))


def folded_of(trace):
    """{stack without its command: samples}, as export --format=folded names frames."""
    return collections.Counter(";".join(name.replace(";", ":").rstrip() for name, *_ in s.stack) for s in trace.samples)


def about(trace):
    """The lines about the captures."""
    return [line for track, _, _, _, arguments in trace.slices if track == "tstream" for line in arguments["lines"]]


def in_order(trace):
    times = collections.defaultdict(list)
    for s in trace.samples:
        times[s.sequence].append(s.time)
    return all(found == sorted(found) for found in times.values())


def check_recorded():
    cap = tap.path("cap")
    recorded = tap.run(tap.TSTREAM, "record", "-q", "-F", "1999", "-e", EVENT, "-g", "-o", cap, "--", sys.executable, "-c", WORK)
    status, trace, _, err = export(cap)
    tap.ok(recorded.status == status == 0, "a recording", recorded.err + err)
    wanted = script_samples(cap)
    got = collections.Counter((s.tid, s.cpu, s.time) for s in trace.samples)
    tap.ok(got == wanted and len(wanted) > 200, "thread, CPU and time of each sample are those of script", f"{got - wanted}, {wanted - got}"[:500])
    tap.ok(in_order(trace), "samples are in the order of time")
    rows = {row["keys"]["tid"]: row["self"]["samples"] for row in report("-s", "tid", cap)["rows"]}
    tap.equal(collections.Counter(s.tid for s in trace.samples), rows, "each thread has as many samples as report says")
    wanted = folded(cap)
    tap.ok(folded_of(trace) == wanted and len(wanted) > 10, "stacks are those of the folded export")
    tap.equal(sum(trace.periods()), report(cap)["period"], "the counters of the CPUs add up to the period of report")
    tap.ok({(s.pid, s.tid) for s in trace.samples} == set(trace.threads) and {s.pid for s in trace.samples} == set(trace.processes),
           "each thread and process of a sample has a name, and no other", trace.threads)
    tap.ok("sh" in trace.threads.values() and COMM in trace.processes.values(), "that of its command", trace.threads)
    timebase = trace.timebases[1]
    tap.ok(timebase.name.startswith("cpu-clock") and timebase.counter == 1, "the event has its name and its number", timebase)
    check_frames(trace)
    tap.ok(trace.clock == MONOTONIC and trace.clocks[MONOTONIC] == min(s.time for s in trace.samples), "time is that of the monotonic clock", trace.clocks)
    tap.ok(abs(trace.clocks.get(REALTIME, 0) / 10**9 - os.stat(cap).st_mtime) < 600, "with the wall clock of its first sample", trace.clocks)
    said = about(trace)
    tap.ok(any(line.startswith("Command: ") and "threading" in line for line in said) and f"Host: {os.uname().nodename}" in said,
           "a slice tells the command line and the host", said)
    return cap


def check_frames(trace):
    frames = {frame for s in trace.samples for frame in s.stack}
    kinds = {kind for _, _, kind, _ in frames}
    tap.ok("native" in kinds and ("kernel" in kinds or os.geteuid()), "frames have kinds", kinds)
    tap.ok(any("/libc.so" in path and len(build_id) == 20 for _, path, _, build_id in frames), "objects have paths and build-ids",
           sorted({path for _, path, *_ in frames}))
    wrong = [(s.mode, s.stack[-1]) for s in trace.samples if s.mode and s.stack[-1][2] and (s.mode == "kernel") != (s.stack[-1][2] == "kernel")]
    modes = {s.mode for s in trace.samples}
    tap.ok(not wrong and "user" in modes and ("kernel" in modes or os.geteuid()), "the mode of a sample is that of its leaf", wrong[:5])


def check_ways(cap):
    """Options that change which samples there are, and several captures."""
    tap.ok(export("-j1", cap)[2] == export("-j4", cap)[2], "one thread and four write the same")
    cpu = str(export(cap)[1].samples[0].cpu)
    for words in (["--time", "10%-60%"], ["--cpu", cpu], ["--comm", COMM], ["--dso", "libc.so.6"], ["--symbol-filter", "stat"]):
        status, trace, _, err = export(*words, cap)
        tap.ok(not status and folded_of(trace) == folded(*words, cap), f"{' '.join(words)}: the stacks of the folded export", err)
    half, whole = export("--time", "50%-100%", cap)[1], export(cap)[1]
    left = {(s.tid, s.cpu, s.time) for s in half.samples}
    tap.ok(left and left < {(s.tid, s.cpu, s.time) for s in whole.samples}, "a selection does not move times")
    tap.ok(any("time 50%-100%" in line for line in about(half)), "it is told", about(half))
    status, trace, _, err = export("--max-stack", "2", cap)
    tap.ok(not status and max(len(s.stack) for s in trace.samples) == 2, "--max-stack", err)
    for weight in ("samples", "period"):
        status, trace, _, err = export(f"--weight={weight}", cap)
        tap.ok(status == 2 and not trace and "samples and their periods" in err, f"--weight={weight} is refused", err)
    check_joined(cap, whole)
    path = tap.path("cap.perfetto-trace")
    said = tap.run(tap.TSTREAM, "export", "--format=perfetto", cap)
    with open(path, "rb") as f:
        tap.ok(perfetto_file.Trace(f.read()).nr_packets == whole.nr_packets and "ui.perfetto.dev" in said.err, "a file beside the capture", said.err)


def check_joined(cap, alone):
    first = tap.path("first")
    tap.run(tap.TSTREAM, "merge", "-q", "-o", first, cap)
    both = export(first, cap)[1]
    tap.ok(folded_of(both) == folded(first, cap) and len(both.threads) == 2 * len(alone.threads), "two captures: the samples of both")
    starts = [min(s.time for s in both.samples if s.sequence == number) for number in (1, 2)]
    tap.ok(starts[0] == starts[1] == min(s.time for s in alone.samples), "both begin with the first one", starts)
    tap.ok(len(both.processes) == 2 * len(alone.processes) and all(" on " in name for name in both.processes.values()),
           "processes are apart, and say of which capture", both.processes)
    tap.equal(sum(both.periods()), 2 * sum(alone.periods()), "counters are those of each capture")


def check_names():
    event = d.Event(d.USUAL | d.CALLCHAIN)
    names = ["</script>", "\"quo\\te\"", "new\nline", "ümlaut", "a;b"]
    records = b"".join(event.comm(pid=i + 1, name=name) + event.mmap(f"/none/{i}\"é", pid=i + 1) +
                       event.sample(MAPPED + 8, 1000 + i, pid=i + 1, chain=[USER, MAPPED + 8]) for i, name in enumerate(names))
    bad = event.comm(pid=9, name="zzzz").replace(b"zzzz", b"\xff\xfez\x80") + event.mmap(pid=9) + event.sample(MAPPED, 1100, pid=9, chain=[USER, MAPPED])
    _, trace, _, err = export(made("names", [event], records + bad))
    got = set(trace.threads.values())
    tap.ok(len(got) == 6 and {"</script>", "\"quo\\te\"", "ümlaut", "a;b"} < got, "names are texts, whatever they hold", f"{got} {err}")
    tap.ok(not any(char < " " for name in got for char in name), "without control characters", got)
    tap.ok({s.stack[0][1] for s in trace.samples} >= {f"/none/{i}\"é" for i in range(5)}, "objects, too", {s.stack[0] for s in trace.samples})
    program = perf_file.Program(tap.path("long"), ["n" * 1500, "\U0001f600" * 400])
    capture = perf_file.PerfFile()
    capture.thread(7, 7, "task")
    capture.map(7, program)
    for i in range(2000):
        capture.sample(7, 7, 10 ** 9 + i, [program.at(program.functions[i % 2]), program.at(program.functions[1 - i % 2])])
    capture.write(tap.path("longs"))
    _, trace, data, err = export(tap.path("longs"))
    got = {name for s in trace.samples for name, *_ in s.stack}
    tap.ok(got == set(program.functions) and len(data) < 100000, "a long name is there once", f"{got} {len(data)} {err}")


def check_sizes():
    event = d.Event(d.USUAL)
    start = event.comm() + event.mmap()
    _, trace, _, _ = export(made("single", [event], start + event.sample(MAPPED, 1000, period=2**64 - 1)))
    tap.equal([(s.time, s.count, s.stack[0][0]) for s in trace.samples], [(1000, 2**64 - 1, "[program]")], "one sample, of the largest period")
    tap.ok(trace.clock == PERF and list(trace.clocks) == [PERF], "a capture without a clock of the system has that of perf", trace.clocks)
    late = event.sample(MAPPED, 2**64 - 2) + event.sample(MAPPED, 2**64 - 1, cpu=2**32 - 1)
    _, trace, _, err = export(made("late", [event], start + late))
    tap.ok([s.cpu for s in trace.samples] == [0, None] and all(s.time < 2**63 for s in trace.samples), "times beyond the range, and a CPU that is none", err)
    _, trace, _, err = export(made("single", [event], start + event.sample(MAPPED, 1000)), made("latest", [event], start + event.sample(MAPPED, 2**64 - 1)))
    tap.equal([(s.sequence, s.time) for s in trace.samples], [(1, 1000), (2, 1000)], f"a joined capture whose only sample has the last of all times {err}")
    nowhere = event.sample(MAPPED, 1000) + event.sample(16, 1001) + event.sample(32, 1002)
    _, trace, _, err = export(made("nowhere", [event], start + nowhere), made("somewhere", [event], start + event.sample(MAPPED, 5) + event.sample(16, 6)))
    tap.equal([s.stack[0][1] for s in trace.samples], ["/none/program", "", "", "/none/program", ""], f"a frame in no object has a mapping without path {err}")
    threads = b"".join(event.sample(MAPPED + i % 7, 5000 - i, pid=i + 1, cpu=i % 3) for i in range(2500)) + event.sample(MAPPED, 9000, pid=2400)
    _, trace, _, _ = export(made("threads", [event], start + threads))
    tap.ok(len(trace.threads) == len(trace.processes) == 2500 and len(trace.samples) == 2501 and in_order(trace), "2500 threads, in the order of time")
    tap.ok(set(trace.periods()) == {1}, "counters grow from sample to sample, over all threads of a CPU", collections.Counter(trace.periods()))
    timeless = d.Event(d.USUAL & ~d.TIME)
    status, trace, _, err = export(made("timeless", [timeless], timeless.comm() + timeless.mmap() + timeless.sample(MAPPED, 0, addr=0)))
    tap.ok(status == 1 and not trace and "its samples have no time" in err, "without times", err)
    status, trace, _, err = export(made("none", [event], start))
    tap.ok(status == 1 and not trace and "no samples" in err, "without samples", err)


def check_events():
    """Two events: a period and a timebase are of the one that is exported."""
    capture = perf_file.PerfFile(nr_events=2)
    program = perf_file.Program(tap.path("twice"), ["main"])
    capture.thread(7, 7, "task")
    capture.map(7, program)
    for i in range(6):
        capture.sample(7, 7, 10 ** 9 + i, [program.at("main")], period=10 + i % 2, event=i % 2)
    capture.name_events(["first", "other"])
    capture.write(tap.path("events"))
    for name, period, counter in (("first", 10, 1), ("other", 11, 3)):
        _, trace, _, err = export("-e", name, tap.path("events"))
        tap.ok(trace and trace.periods() == [period] * 3 and (trace.timebases[1].name, trace.timebases[1].counter) == (name, counter),
               f"of two events {name}", err)


def check_losses():
    """Of LOST records, in the second and in the fourth second."""
    program = perf_file.Program(tap.path("prog.so"), ["main"])
    capture = perf_file.PerfFile(chains=False)
    for tid in (7, 8):
        capture.thread(7, tid, "name")
    capture.map(7, program)
    for i in range(80):
        capture.sample(7, 7 + i % 2, 10 ** 9 + i * 5 * 10 ** 7, [program.at("main")])
    capture.lost(3, 2 * 10 ** 9 + 1)
    capture.lost(40, 4 * 10 ** 9 + 1)
    capture.write(tap.path("lossy"))
    status, trace, _, err = export(tap.path("lossy"))
    gaps = [(begin, end, arguments["lost"]) for track, _, begin, end, arguments in trace.slices if track == "lost samples"]
    tap.equal(gaps, [(2 * 10**9, 3 * 10**9, 3), (4 * 10**9, 5 * 10**9, 40)], "losses are slices of a track, with their times")
    tap.ok({name for track, name, *_ in trace.slices if track == "lost samples"} == {"samples lost"} and dict(trace.lost) == {1: 43},
           "their sum is told to the viewer, which warns of it", trace.lost)
    tap.ok(any("at least 43 records" in line for line in about(trace)) and status == 0, "and to people", f"{about(trace)} {err}")


if not perfetto_file.is_built():
    tap.skip_all("this tstream was built without protobuf-c")
cap = check_recorded()
check_ways(cap)
check_names()
check_sizes()
check_events()
check_losses()
tap.done()
