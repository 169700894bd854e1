#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tstream export --format=otlp-development`: each sample of `script` with its thread and time of day; stacks of the folded export,
periods of `report`; names, inlined functions, losses, several captures and hosts, many threads and samples."""
import collections
import json
import os
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import dialect as d  # noqa: E402
import exported  # noqa: E402
import otlp_file  # noqa: E402
import tap  # noqa: E402
from exported import COMM, EVENT, MAPPED, USER, WORK, lossy  # noqa: E402

NESTED = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/inlined_calls")
HOSTNAME, CLOCK_DATA = 3, 29  # features of perf.data
export = otlp_file.export


def made(name, events, records, host="", moment=None):
    """moment: a time of the wall clock, and of the capture's monotonic clock."""
    features = {}
    if host:
        features[HOSTNAME] = struct.pack("<I", 64) + host.encode().ljust(64, b"\0")
    if moment:
        features[CLOCK_DATA] = struct.pack("<IIQQ", 1, 1, *moment)
    return exported.made(name, events, records, features)


def report(*words):
    return json.loads(tap.run(tap.TSTREAM, "report", "--json", "--no-children", *words).out)["tables"][0]


def script_samples(capture):
    """{(tid, time in ns from the first one): number}"""
    text = tap.run(tap.TSTREAM, "script", "--ns", "-F", "tid,time", "-i", capture).out
    found = [(int(tid), int(s) * 10**9 + int(ns)) for tid, s, ns in re.findall(r"(\d+) +(\d+)\.(\d{9}):", text)]
    begin = min(time for _, time in found)
    return collections.Counter((tid, time - begin) for tid, time in found)


def folded_of(profiles):
    """{stack without its command: samples}, as export --format=folded names frames."""
    found = collections.Counter()
    for profile in profiles.profiles:
        for s in profile.samples:
            found[";".join(name.replace(";", ":").rstrip() for name, *_ in s.stack)] += len(s.times or s.values)
    return found


def folded(*words):
    found = collections.Counter()
    for line in tap.run(tap.TSTREAM, "export", "--format=folded", "-o", "-", *words).out.replace(" (inlined)", "").splitlines():
        stack, _, nr = line.rpartition(" ")
        found[stack.partition(";")[2]] += int(nr)
    return found


def counts(profile, key):
    """{value of an attribute: samples}"""
    found = collections.Counter()
    for s in profile.samples:
        found[s.attributes[key]] += len(s.times)
    return found


def totals(profiles):
    return sum(value for profile in profiles.profiles for s in profile.samples for value in s.values)


def check_recorded():
    cap = tap.path("cap")
    recorded = tap.run(tap.TSTREAM, "record", "-q", "-F", "1999", "-e", EVENT, "-g", "-o", cap, "--", sys.executable, "-c", WORK)
    status, profiles, _, err = export(cap)
    tap.ok(recorded.status == status == 0 and len(profiles.profiles) == 1, "a recording", recorded.err + err)
    profile = profiles.profiles[0]
    got = collections.Counter((s.attributes["thread.id"], time - profile.start) for s in profile.samples for time in s.times)
    wanted = script_samples(cap)
    tap.ok(got == wanted and len(wanted) > 200, "thread and time of each sample are those of script", f"{got - wanted}, {wanted - got}"[:500])
    tap.ok(abs(profile.start / 10**9 - os.stat(cap).st_mtime) < 600, "times are those of the wall clock", profile.start)
    tap.equal(profile.duration, max(time for _, time in wanted) + 1, "the profile lasts from its first to its last sample")
    wanted = folded(cap)
    tap.ok(folded_of(profiles) == wanted and len(wanted) > 10, "stacks are those of the folded export")
    keys = [(s.stack, tuple(s.attributes.items())) for s in profile.samples]
    tap.equal(len(set(keys)), len(keys), "a stack of a thread is one sample, with all of its times")
    table = report(cap)
    tap.equal((totals(profiles), profile.type), (table["period"], ("cpu", "nanoseconds")), "values add up to the period of report")
    tap.equal((profile.period_type, profile.period), (("cpu", "nanoseconds"), 10**9 // 1999), "the period of the clock is told")
    rows = {row["keys"]["tid"]: row["self"]["samples"] for row in report("-s", "tid", cap)["rows"]}
    tap.equal(counts(profile, "thread.id"), rows, "each thread has as many samples as report says")
    names = {s.attributes["thread.name"] for s in profile.samples}
    tap.ok("sh" in names and COMM in {s.attributes["process.executable.name"] for s in profile.samples}, "threads and processes have names", names)
    frames = {frame for s in profile.samples for frame in s.stack}
    tap.ok({kind for *_, kind in frames} >= ({"native"} if os.geteuid() else {"native", "kernel"}), "frames have types")
    tap.ok(any("/libc.so" in path and re.fullmatch("[0-9a-f]{40}", build_id) for _, path, build_id, _ in frames), "objects have paths and build-ids")
    tap.ok(any(line.startswith("Command: ") and "threading" in line for line in profile.about) and profile.host == os.uname().nodename,
           "the command line and the host are told", profile.about)
    return cap


def check_ways(cap):
    """Options that change which samples there are, or how they are weighed."""
    tap.ok(export("-j1", cap)[2] == export("-j4", cap)[2], "one thread and four write the same")
    for words in (["--time", "10%-60%"], ["--comm", COMM], ["--dso", "libc.so.6"], ["--symbol-filter", "stat"]):
        status, profiles, _, err = export(*words, cap)
        tap.ok(not status and folded_of(profiles) == folded(*words, cap), f"{' '.join(words)}: the stacks of the folded export", err)
    half, whole = export("--time", "50%-100%", cap)[1].profiles[0], export(cap)[1].profiles[0]
    left = {(s.attributes["thread.id"], time) for s in half.samples for time in s.times}
    tap.ok(left and left < {(s.attributes["thread.id"], time) for s in whole.samples for time in s.times}, "a selection does not move times")
    tap.ok(any("time 50%-100%" in line for line in half.about), "it is told", half.about)
    counted = export("--weight=samples", cap)[1]
    tap.equal((totals(counted), counted.profiles[0].type), (report(cap)["samples"], ("samples", "count")), "--weight=samples counts them")
    said = tap.run(tap.TSTREAM, "export", "--format=otlp-development", cap)
    tap.ok(os.path.getsize(tap.path("cap.otlp")) > 1000 and "1.11.0" in said.err, "a file beside the capture, and which version it has", said.err)
    nested = tap.path("nested")
    tap.run(tap.TSTREAM, "record", "-q", "-F", "500", "-m", "8M", "-e", "cpu-clock:u", "--call-graph", "dwarf", "-o", nested, "--", NESTED, "1000")
    inlined = folded_of(export("--inline", nested)[1])
    tap.ok(inlined == folded("--inline", nested) != folded(nested), "--inline: the stacks of the folded export", inlined)


def check_joined():
    """Two hosts: each has its own clock, names and samples."""
    event = d.Event(d.USUAL)
    for name, comm, start in (("one", "alpha", 10**9), ("two", "beta", 5 * 10**9)):
        records = event.comm(comm, 7) + event.mmap(pid=7) + b"".join(event.sample(MAPPED + i % 3, start + i, pid=7, period=10) for i in range(9))
        made(name, [event], records, "host-" + name, (1700 * 10**15, start - 5))
    status, both, _, err = export(tap.path("one"), tap.path("two"))
    tap.ok(not status and [p.host for p in both.profiles] == ["host-one", "host-two"], "two hosts are two resources", err)
    tap.equal([counts(p, "thread.name") for p in both.profiles], [{"alpha": 9}, {"beta": 9}], "with the threads of each")
    tap.equal([p.start for p in both.profiles], [1700 * 10**15 + 5] * 2, "each by its own clock")
    tap.ok(folded_of(both) == folded(tap.path("one"), tap.path("two")) and totals(both) == 180, "and the samples of both")


def check_names():
    event = d.Event(d.USUAL | d.CALLCHAIN)
    names = ["</script>", "\"quo\\te\"", "new\nline", "ümlaut", "a;b"]
    records = b"".join(event.comm(pid=i + 1, name=name) + event.mmap(f"/none/{i}\"é", pid=i + 1) +
                       event.sample(MAPPED + 8, 1000 + i, pid=i + 1, chain=[USER, MAPPED + 8]) for i, name in enumerate(names))
    bad = event.comm(pid=9, name="zzzz").replace(b"zzzz", b"\xff\xfez\x80") + event.mmap(pid=9) + event.sample(MAPPED, 1100, pid=9, chain=[USER, MAPPED])
    _, profiles, _, err = export(made("names", [event], records + bad, moment=(10**18, 0)))
    got = set(counts(profiles.profiles[0], "thread.name"))
    tap.ok(len(got) == 6 and {"</script>", "\"quo\\te\"", "ümlaut", "a;b"} < got and not any(char < " " for name in got for char in name),
           "names are texts, whatever they hold", f"{got} {err}")
    tap.ok({s.stack[0][1] for s in profiles.profiles[0].samples} >= {f"/none/{i}\"é" for i in range(5)}, "objects, too")


def check_sizes():
    event = d.Event(d.USUAL)
    start = event.comm() + event.mmap()
    _, profiles, _, _ = export(made("single", [event], start + event.sample(MAPPED, 1000, period=2**64 - 1), moment=(5000, 10)))
    tap.equal([(s.times, s.values) for s in profiles.profiles[0].samples], [([5990], [2**63 - 1])], "one sample, of the largest period")
    timed = start + b"".join(event.sample(MAPPED + i % 2, 1000 + i, period=7) for i in range(10))
    _, profiles, _, _ = export(made("clockless", [event], timed))
    tap.equal([(s.times, s.values) for s in profiles.profiles[0].samples], [([], [70])], "without a wall clock a stack has the sum of its values")
    threads = b"".join(event.sample(MAPPED + i % 7, 5000 - i, pid=i + 1) for i in range(2500)) + event.sample(MAPPED, 9000, pid=2400)
    _, profiles, _, _ = export(made("threads", [event], start + threads, moment=(10**18, 0)))
    found = counts(profiles.profiles[0], "process.pid")
    tap.ok(len(found) == 2500 and found[2400] == 2 and sum(found.values()) == 2501, "2500 threads")
    many = b"".join(event.sample(MAPPED, 1000 + i, period=i % 200) for i in range(300000))
    _, profiles, _, _ = export(made("many", [event], start + many, moment=(10**18, 0)))
    times = [time for s in profiles.profiles[0].samples for time in s.times]
    tap.ok(times == [10**18 + 1000 + i for i in range(300000)], "300,000 samples of one stack, in the order of time", times[:5])
    tap.equal(totals(profiles), sum(i % 200 for i in range(300000)), "with their values")
    timeless = d.Event(d.USUAL & ~d.TIME)
    status, profiles, _, err = export(made("timeless", [timeless], timeless.comm() + timeless.mmap() + timeless.sample(MAPPED, 0, addr=0)))
    tap.ok(status == 1 and not profiles and "its samples have no time" in err, "without times", err)
    status, profiles, _, err = export(made("none", [event], start))
    tap.ok(status == 1 and not profiles and "no samples" in err, "without samples", err)


def check_losses():
    status, profiles, _, err = export(lossy())
    tap.ok(not status and any("43 records" in line for line in profiles.profiles[0].about), "losses are told", f"{profiles.profiles[0].about} {err}")


if not otlp_file.is_built():
    tap.skip_all("this tstream was built without protobuf-c or zlib")
cap = check_recorded()
check_ways(cap)
check_joined()
check_names()
check_sizes()
check_losses()
tap.done()
