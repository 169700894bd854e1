#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tstream export --format=firefox`: each sample of `script` with its thread, time and stack; totals of `report`; losses, names,
several captures, threads beyond a bound."""
import collections
import json
import os
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import dialect as d  # noqa: E402
import firefox_file  # noqa: E402
import perf_file  # noqa: E402
import tap  # noqa: E402
from exported import COMM, EVENT, MAPPED, USER, WORK, folded, made  # noqa: E402



def export(*words, out="profile.json.gz"):
    """(the profile; None: none was written, the run)"""
    path = tap.path(out)
    result = tap.run(tap.TSTREAM, "export", "--format=firefox", "-f", "-o", path, *words)
    return (firefox_file.Profile(path) if result.status == 0 else None), result


def bytes_of(path):
    with open(path, "rb") as f:
        return f.read()


def script_samples(capture):
    """{(tid, time in ns from the first one): number} of `script`, the first line of each sample."""
    text = tap.run(tap.TSTREAM, "script", "--ns", "-F", "tid,time", "-i", capture).out
    found = [(int(tid), int(s) * 10**9 + int(ns)) for tid, s, ns in re.findall(r"(\d+) +(\d+)\.(\d{9}):", text)]
    first = min(time for _, time in found)
    return collections.Counter((tid, time - first) for tid, time in found)


def folded_of(profile):
    """{stack without its command: samples}, as export --format=folded names frames."""
    found = collections.Counter()
    for _, stack, weight in profile.samples():
        found[";".join(name.replace(";", ":").rstrip() for name, _, _ in stack)] += weight
    return found


def rows_of(*words):
    """{tid: samples} of report."""
    rows = json.loads(tap.run(tap.TSTREAM, "report", "--json", "--no-children", "-s", "tid", *words).out)["tables"][0]["rows"]
    return {row["keys"]["tid"]: row["self"]["samples"] for row in rows}


def told(profile):
    """The lines of its head, by their labels."""
    return {entry["label"]: entry["value"] for entry in profile.meta["extra"][0]["entries"]}


def check_recorded():
    cap = tap.path("cap")
    recorded = tap.run(tap.TSTREAM, "record", "-q", "-F", "1999", "-e", EVENT, "-g", "-o", cap, "--", sys.executable, "-c", WORK)
    profile, result = export(cap)
    tap.ok(recorded.status == result.status == 0, "a recording", recorded.err + result.err)
    wanted = script_samples(cap)
    got = collections.Counter((thread.tid, time) for thread in profile.threads for time, _, _ in thread.samples)
    tap.ok(got == wanted and len(wanted) > 200, "thread and time of each sample are those of script", f"{got - wanted}, {wanted - got}"[:500])
    tap.ok({thread.tid: len(thread.samples) for thread in profile.threads} == rows_of(cap), "each thread has as many samples as report says")
    wanted = folded(cap)
    tap.ok(folded_of(profile) == wanted and len(wanted) > 10, "stacks are those of the folded export")
    sizes = [len(thread.samples) for thread in profile.threads]
    tap.ok(sizes == sorted(sizes, reverse=True) and len(sizes) > 4, "the thread with the most samples comes first", sizes)
    mains = {thread.pid for thread in profile.threads if thread.is_main and thread.tid == int(thread.pid)}
    names = {thread.name for thread in profile.threads}
    tap.ok(mains and "sh" in names and COMM in {thread.process for thread in profile.threads}, "processes and threads have names", names)
    objects = {lib for _, stack, _ in profile.samples() for _, lib, _ in stack}
    kinds = {kind for _, stack, _ in profile.samples() for _, _, kind in stack}
    tap.ok(any("libc.so" in lib for lib in objects) and "User" in kinds and ("Kernel" in kinds or os.geteuid()), "frames have objects and kinds", kinds)
    cpu_ns = sum(sum(thread.cpu_ns) for thread in profile.threads)
    period = json.loads(tap.run(tap.TSTREAM, "report", "--json", cap).out)["tables"][0]["period"]
    tap.ok(cpu_ns == period, "samples of a clock say how long their threads ran", f"{cpu_ns}, {period}")
    interval = profile.meta["interval"]
    tap.ok(0 < interval < 100, "the interval is that of the samples", interval)
    said = told(profile)
    tap.ok("threading" in said.get("Command", "") and said.get("Host") == os.uname().nodename, "its head has the command line and the host", said)
    tap.ok(abs(profile.meta["startTime"] / 1000 - int(os.stat(cap).st_mtime)) < 600, "it began when the capture did", profile.meta["startTime"])
    return cap


def check_ways(cap):
    """Options that change which samples there are, or how they are weighed."""
    export("-j1", cap, out="one")
    export("-j4", cap, out="four")
    tap.ok(bytes_of(tap.path("one")) == bytes_of(tap.path("four")), "one thread and four write the same")
    for words in (["--time", "10%-60%"], ["--cpu", tap.a_cpu_of(cap)], ["--comm", COMM], ["--dso", "libc.so.6"], ["--symbol-filter", "stat"]):
        profile, result = export(*words, cap)
        tap.ok(profile and folded_of(profile) == folded(*words, cap), f"{' '.join(words)}: the stacks of the folded export", result.err)
    whole, half = export(cap)[0], export("--time", "50%-100%", cap)[0]
    left_out = whole.meta["profilingEndTime"] - half.meta["profilingEndTime"]
    tap.ok(left_out > 0 and abs(half.meta["startTime"] - whole.meta["startTime"] - left_out) < 1, "a selection begins at the time of day of its first sample",
           f"{half.meta['startTime'] - whole.meta['startTime']} {left_out}")
    tap.ok("time 50%-100%" in told(half).get("Selected", ""), "its head has the selection", told(half))
    profile, _ = export("--weight=period", cap)
    period = json.loads(tap.run(tap.TSTREAM, "report", "--json", cap).out)["tables"][0]["period"]
    weight_types = {thread.weight_type for thread in profile.threads}
    tap.ok(int(sum(weight for _, _, weight in profile.samples()) * 1000000) == period and weight_types == {"tracing-ms"},
           "--weight=period of a clock: milliseconds of which the sum is report's")
    profile, result = export("--max-stack", "2", cap)
    tap.ok(profile and max(len(stack) for _, stack, _ in profile.samples()) == 2, "--max-stack", result.err)
    first, second = tap.path("first"), cap
    tap.run(tap.TSTREAM, "merge", "-q", "-o", first, cap)
    alone, both = export(cap)[0], export(first, second)[0]
    pids = {thread.pid for thread in both.threads}
    tap.ok(folded_of(both) == folded(first, second) and len(both.threads) == 2 * len(alone.threads), "two captures: the samples of both")
    tap.ok(all(" on " in pid for pid in pids) and len(pids) == 2 * len({thread.pid for thread in alone.threads}), "processes say of which capture", pids)
    times = [[time for time, _, _ in thread.samples] for thread in both.threads]
    tap.ok(sorted(time for thread in times for time in thread if time == 0) == [0, 0], "each capture begins at 0")


def check_names():
    event = d.Event(d.USUAL | d.CALLCHAIN)
    names = ["</script>", "\"quo\\te\"", "new\nline", "ümlaut", "a;b"]
    records = b"".join(event.comm(pid=i + 1, name=name) + event.mmap(f"/none/{i}\"é", pid=i + 1) +
                       event.sample(MAPPED + 8, 1000 + i, pid=i + 1, chain=[USER, MAPPED + 8]) for i, name in enumerate(names))
    bad = event.comm(pid=9, name="zzzz").replace(b"zzzz", b"\xff\xfez\x80") + event.mmap(pid=9) + event.sample(MAPPED, 1100, pid=9, chain=[USER, MAPPED])
    profile, result = export(made("names", [event], records + bad))
    got = {thread.name for thread in profile.threads}
    tap.ok({*names, "\ufffd\ufffdz\ufffd"} == got, "names are texts, whatever they hold", f"{got} {result.err}")
    fork = event.record(7, struct.pack("<IIIIQ", 20, 1, 20, 1, 5000) + event.trailer(20, 5000))
    reused = event.comm("worker", 20) + event.mmap(pid=20) + event.sample(MAPPED, 1200, pid=20, chain=[USER, MAPPED]) + fork + event.comm("later", 20, 5001)
    alone, _ = export(made("reused", [event], reused))
    tap.equal([(thread.name, thread.process) for thread in alone.threads], [("worker", "worker")], "a number that is another process's later keeps its name")
    tap.ok({stack[0][1] for _, stack, _ in profile.samples()} >= {f"/none/{i}\"é" for i in range(5)}, "objects, too")


def check_sizes():
    event = d.Event(d.USUAL)
    start = event.comm() + event.mmap()
    profile, _ = export(made("single", [event], start + event.sample(MAPPED, 1000)))
    tap.ok([len(t.samples) for t in profile.threads] == [1] and profile.meta["interval"] > 0, "one sample")
    threads = b"".join(event.sample(MAPPED + i % 7, 5000 - i, pid=i + 1) for i in range(2500)) + event.sample(MAPPED, 9000, pid=2400)
    profile, _ = export(made("threads", [event], start + threads))
    last = profile.threads[-1]
    tap.ok(len(profile.threads) == 2000 and last.name == "501 other threads" and len(last.samples) == 501 and profile.threads[0].tid == 2400,
           "of 2500 threads the smallest are one", last.name)
    tap.ok([time for time, _, _ in last.samples] == sorted(time for time, _, _ in last.samples), "in the order of time")
    timeless = d.Event(d.USUAL & ~d.TIME)
    records = timeless.comm() + timeless.mmap() + timeless.sample(MAPPED, 0, addr=0)
    profile, result = export(made("timeless", [timeless], records))
    tap.ok(not profile and "its samples have no time" in result.err and "pprof" in result.err, "without times", result.err)
    profile, result = export(made("none", [event], start))
    tap.ok(not profile and result.status == 1 and "no samples" in result.err, "without samples", result.err)


def lossy(name, nr):
    program = perf_file.Program(tap.path("prog.so"), ["main"])
    capture = perf_file.PerfFile(chains=False)
    for tid in (7, 8):
        capture.thread(7, tid, "name")
    capture.map(7, program)
    for i in range(nr):
        capture.sample(7, 7 + i % 2, 10 ** 9 + i * (4 * 10 ** 9 // nr), [program.at("main")])
    capture.lost(3, 2 * 10 ** 9 + 1)
    capture.lost(40, 4 * 10 ** 9 + 1)
    capture.write(tap.path(name))
    return tap.path(name)


def check_losses():
    """Of LOST records, in the second and in the fourth second."""
    profile, result = export(lossy("lossy", 80))
    joined = export(tap.path("threads"), lossy("small", 2))[0]
    tap.ok(joined.threads[0].tid == 2400 and sum(mark["lost"] for mark in joined.threads[0].markers["data"]) > 3,
           "where all threads of a capture are merged its losses are at the first one", joined.threads[0].markers)
    markers = profile.threads[0].markers
    said = told(profile)
    tap.equal([(mark["lost"], start, end) for mark, start, end in zip(markers["data"], markers["startTime"], markers["endTime"])],
              [(3, 1000, 2000), (40, 3000, 4000)], "losses are marks at the largest thread, with their times")
    tap.ok(markers["length"] == 2 and profile.threads[1].markers["length"] == 0, "and at no other")
    tap.equal({profile.strings[name] for name in markers["name"]}, {"lost samples"}, "they have a name")
    tap.ok("at least 43 records" in said.get("Lost", "") and result.status == 0, "the head tells of them, too", said)

if not firefox_file.is_built():
    tap.skip_all("this tstream was built without zlib")
cap = check_recorded()
check_ways(cap)
check_names()
check_sizes()
check_losses()
tap.done()
