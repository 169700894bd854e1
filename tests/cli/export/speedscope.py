#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tstream export --format=speedscope`: a profile for each thread with the totals of `report` and the stacks of the folded lines;
losses, kinds, names, several captures, no samples, one sample, the most that the viewer opens."""
import collections
import gzip
import json
import os
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import dialect as d  # noqa: E402
import firefox_file  # noqa: E402
import kinds  # noqa: E402
import perf_file  # noqa: E402
import tap  # noqa: E402
from exported import COMM, EVENT, MAPPED, USER, WORK, folded, lossy, made  # noqa: E402

LOST = "[lost samples]"
CMDLINE = 11


def export(*words, out="profile.json.gz"):
    """(the profile; None: none was written, the run)"""
    path = tap.path(out)
    result = tap.run(tap.TSTREAM, "export", "--format=speedscope", "-f", "-o", path, *words)
    if result.status:
        return None, result
    with gzip.open(path) as f:
        return json.load(f), result


def threads_of(profile):
    return [p for p in profile["profiles"] if not p["name"].startswith("lost samples")]


def folded_of(profile):
    """{stack without its command: weight}, as export --format=folded names frames."""
    frames, found = profile["shared"]["frames"], collections.Counter()
    for p in threads_of(profile):
        for stack, weight in zip(p["samples"], p["weights"]):
            found[";".join(frames[i]["name"].replace(";", ":").rstrip() for i in stack)] += weight
    return found


def rows_of(*words):
    """{tid: (samples, period)} of report."""
    rows = json.loads(tap.run(tap.TSTREAM, "report", "--json", "--no-children", "-s", "tid", *words).out)["tables"][0]["rows"]
    return {row["keys"]["tid"]: (row["self"]["samples"], row["self"]["period"]) for row in rows}


def by_tid(profile):
    return {int(p["name"].rpartition("/")[2].rstrip(")")): p["endValue"] for p in threads_of(profile)}


def is_sound(profile):
    nr = len(profile["shared"]["frames"])
    return all(len(p["samples"]) == len(p["weights"]) and p["startValue"] == 0 and p["endValue"] == sum(p["weights"]) and p["type"] == "sampled" and
               all(0 <= i < nr for stack in p["samples"] for i in stack) for p in profile["profiles"])


def check_recorded():
    cap = tap.path("cap")
    recorded = tap.run(tap.TSTREAM, "record", "-q", "-F", "1999", "-e", EVENT, "-g", "-o", cap, "--", sys.executable, "-c", WORK)
    profile, result = export(cap)
    tap.ok(recorded.status == result.status == 0 and "www.speedscope.app" in result.err, "a recording, and how to open it", recorded.err + result.err)
    tap.ok(is_sound(profile) and profile["$schema"] == "https://www.speedscope.app/file-format-schema.json", "the file is sound")
    rows = rows_of(cap)
    tap.equal(by_tid(profile), {tid: period for tid, (_, period) in rows.items()}, "the width of each thread is its period in report")
    tap.equal({p["unit"] for p in profile["profiles"]}, {"nanoseconds"}, "a clock has nanoseconds")
    tap.ok(folded_of(profile) == folded("--weight=period", cap), "stacks are those of the folded lines, by period")
    first = [rows[tid][0] for tid in by_tid(profile)]
    tap.ok(first == sorted(first, reverse=True) and len(first) > 2, "the thread with the most samples comes first", first)
    tap.ok(not any(a == b for p in profile["profiles"] for a, b in zip(p["samples"], p["samples"][1:])), "neighbours of one stack are one sample")
    tap.ok(any("libc.so" in frame.get("file", "") for frame in profile["shared"]["frames"]), "frames have their objects")
    if os.geteuid():
        tap.skip("functions of the kernel are marked", "only root records them everywhere")
    else:
        tap.ok(any(frame.get("file", "").endswith("(kernel)") for frame in profile["shared"]["frames"]), "functions of the kernel are marked")
    return cap


def check_ways(cap):
    counted, _ = export("--weight=samples", cap)
    tap.equal(by_tid(counted), {tid: samples for tid, (samples, _) in rows_of(cap).items()}, "--weight=samples")
    tap.equal({p["unit"] for p in counted["profiles"]}, {"none"}, "which have no unit")
    for words in (["--time", "10%-60%"], ["--cpu", tap.a_cpu_of(cap)], ["--comm", COMM], ["--tid", str(next(iter(by_tid(counted))))], ["--symbol-filter", "stat"]):
        profile, result = export(*words, cap)
        tap.ok(profile and folded_of(profile) == folded(*words, "--weight=period", cap), f"{words[0]}: the stacks of the folded lines", result.err)
    one, four = (subprocess.run([tap.TSTREAM, "export", "--format=speedscope", "-o", "-", jobs, cap], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                check=False).stdout for jobs in ("-j1", "-j4"))
    tap.ok(one == four and json.loads(gzip.decompress(one)), "-o -: one thread and four write the same")
    tap.run(tap.TSTREAM, "merge", "-q", "-o", tap.path("first"), cap)
    both, _ = export(tap.path("first"), cap)
    names = [p["name"] for p in both["profiles"]]
    tap.ok(folded_of(both) == folded("--weight=period", tap.path("first"), cap) and all(" on " in name for name in names) and len(set(names)) == len(names),
           "two captures: threads say of which capture they are", names)


def check_names():
    event = d.Event(d.USUAL | d.CALLCHAIN)
    names = ["</script>", "\"quo\\te\"", "new\nline", "ümlaut", "a;b"]
    records = b"".join(event.comm(pid=i + 1, name=name) + event.mmap(f"/none/{i}\"é", pid=i + 1) +
                       event.sample(MAPPED + 8, 1000 + i, pid=i + 1, chain=[USER, MAPPED + 8]) for i, name in enumerate(names))
    bad = event.comm(pid=9, name="zzzz").replace(b"zzzz", b"\xff\xfez\x80") + event.mmap(pid=9) + event.sample(MAPPED, 1100, pid=9, chain=[USER, MAPPED])
    profile, _ = export(made("names", [event], records + bad))
    tap.equal({p["name"].rpartition(" (")[0] for p in profile["profiles"]}, {*names, "\ufffd\ufffdz\ufffd"}, "names are texts, whatever they hold")
    tap.ok({f"/none/{i}\"é" for i in range(5)} <= {frame.get("file") for frame in profile["shared"]["frames"]}, "objects, too")


def check_sizes():
    event = d.Event(d.USUAL)
    start = event.comm() + event.mmap()
    profile, _ = export(made("single", [event], start + event.sample(MAPPED, 1000)))
    tap.ok(is_sound(profile) and [len(p["samples"]) for p in profile["profiles"]] == [1], "one sample")
    profile, result = export(made("none", [event], start))
    tap.ok(not profile and result.status == 1 and "no samples" in result.err, "without samples", result.err)
    threads = b"".join(event.sample(MAPPED + i % 7, 5000 - i, pid=i + 1) for i in range(2500))
    profile, _ = export("--weight=samples", made("threads", [event], start + threads))
    tap.ok(len(profile["profiles"]) == 2000 and any(p["name"] == "501 other threads" and p["endValue"] == 501 for p in profile["profiles"]),
           "of 2500 threads the smallest are one")
    huge = b"".join(event.sample(MAPPED, 1000 + i, period=(1 << 64) - 1) for i in range(2))
    profile, result = export("--weight=period", made("huge", [event], start + huge))
    tap.ok(profile and profile["profiles"][0]["endValue"] == (1 << 64) - 1, "a sum that is too large stays the largest number", result.err)


def check_losses():
    profile, _ = export(lossy())
    last = profile["profiles"][-1]
    tap.equal(([profile["shared"]["frames"][i]["name"] for i in last["samples"][0]], last["weights"], last["unit"]), ([LOST], [43], "none"),
              "losses are a profile of their own, behind the threads")
    tap.ok(any("at least 43 records" in line for line in profile["about"]) and len(profile["profiles"]) == 2, "the head tells of them, too", profile["about"])
    tap.ok("Lost" in profile["name"], "and the title does", profile["name"])
    late = perf_file.PerfFile(chains=False)
    late.thread(7, 7, "name")
    late.sample(7, 7, 10 ** 9, [MAPPED])
    late.lost(40, 9 * 10 ** 9)
    late.write(tap.path("late"))
    tap.equal(export(tap.path("late"))[0]["profiles"][-1]["weights"], [40], "also what was lost long after the last sample")
    tap.ok("Lost" in export("--time=0%-50%", lossy())[0]["name"], "also of a part")
    another = shutil.copy(lossy(), tap.path("another"))
    tap.ok("Lost" in export(lossy(), another)[0]["name"], "and of several captures")


def check_long_command():
    event = d.Event(d.USUAL | d.CALLCHAIN)
    lines = []
    for nr in (-1, 0, 1):
        command = "x" * (400 - len("Command: ") + nr)
        profile, _ = export(made("long", [event], event.sample(MAPPED, 1000), {CMDLINE: struct.pack("<I", 1) + d.string(command)}))
        lines += [line for line in profile["about"] if line.startswith("Command: ")]
    tap.equal([len(line) for line in lines], [399, 400, 403], "a command line is cut if its line has more than 400 bytes")
    tap.ok(lines[-1].endswith("x..."), "which three dots say")


def check_kinds():
    capture, words = kinds.inlined()
    frames = {(frame["name"], frame.get("file", "")) for frame in export(*words, capture)[0]["shared"]["frames"]}
    files = {name: {file for of, file in frames if of == name} for name, _ in frames}
    tap.ok(any(file.endswith("/inlined_calls (inlined)") for file in files.get(kinds.INLINED, ())), "inlined functions are marked", files)
    around = {file for name in kinds.AROUND for file in files.get(name, ()) if not file.endswith("(inlined)")}
    tap.ok(around and all(file.endswith("/inlined_calls") for file in around), "those that they are a part of are not", files)
    capture, words = kinds.jit()
    profile, result = export(*words, capture)
    tap.ok(profile and any(frame["name"] == "made_work" and frame["file"].endswith("(JIT)") for frame in profile["shared"]["frames"]),
           "code that a process made is marked", f"{profile} {result.err}"[:800])


def check_most():
    """Functions of one long name in many objects, of which each has a sample."""
    name, nr = "f" * 60000, 3600
    program, capture = perf_file.Program(tap.path("object"), [name]), perf_file.PerfFile(chains=False)
    capture.thread(7, 7, "name")
    for i in range(nr):
        program.path, program.start = tap.path(f"object.{i}"), perf_file.BASE + i * perf_file.SPAN
        os.link(tap.path("object"), program.path)
        capture.map(7, program)
        capture.sample(7, 7, 10 ** 9 + i * 10 ** 6, [program.at(name)], period=10 ** 6)
    capture.write(tap.path("long"))
    profile, result = export(tap.path("long"), out="long.json.gz")
    tap.ok(not profile and result.status == 1 and "viewers open at most 200M of JSON" in result.err and "--time=0%-50%, or give --format=folded" in result.err,
           "more than 200 MiB of JSON are refused, and remedies are named", result.err)
    tap.ok(not os.path.exists(tap.path("long.json.gz")) and not os.path.exists(tap.path("long.json.gz.new")), "nothing is left of it")
    profile, result = export("--time=0%-50%", tap.path("long"), out="long.json.gz")
    tap.ok(profile and sum(p["endValue"] for p in profile["profiles"]) == nr // 2 * 10 ** 6, "the remedy works", result.err)


if not firefox_file.is_built():
    tap.skip_all("this tstream was built without zlib")
capture_made = check_recorded()
check_ways(capture_made)
check_names()
check_sizes()
check_losses()
check_long_command()
check_kinds()
check_most()
tap.done()
