#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What --time, --cpu, --pid, --tid, --comms, --dsos and --symbols select is what perf selects with the same words, in
report and in script, of captures of both; and what is no selection is refused."""
import collections
import functools
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/cli/report"))
sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/cli/script"))
import tap  # noqa: E402
import report_equals_perf  # noqa: E402
import report_text  # noqa: E402
import script_equals_perf  # noqa: E402

KNOWN = [], ["--no-children"], ["-g", "caller"], ["-g", "fractal,5"], ["--hierarchy", "-n"], ["-c", "command10", "-g", "none"]
WORKLOAD = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/many_modules")
SAMPLE = re.compile(r"^ *(.+?) +(\d+)/(\d+) +\[(\d+)\] +(\d+\.\d{9}): +(?:[0-9a-f]+ )?(.+?) \((.*)\)$", re.M)


def record(tool, name, *options):
    capture = tap.path(name)
    clock = ["-e", "cpu-clock", "-F", "4000"]
    result = tap.run(tool, "record", "-q", "-m", "2M", *clock, *options, "-o", capture, "--", WORKLOAD)
    if result.status:
        tap.skip_all(f"cannot record here: {result.err}")
    return capture


def samples(capture):
    """(comm, pid, tid, cpu, time, symbol, object) of every sample, by time."""
    out = tap.run(tap.PERF, "script", "--no-inline", "--ns", "-F", "comm,pid,tid,cpu,time,ip,sym,dso", "-i", capture).out
    return sorted(SAMPLE.findall(out), key=lambda s: float(s[4]))


def most(found, *fields):
    """What most samples have in these fields."""
    return collections.Counter(tuple(s[i] for i in fields) for s in found).most_common(1)[0][0]


def listed(name, *words):
    """file://FILE, a list of one name a line, and an empty line."""
    with open(tap.path(name), "w") as file:
        file.write("\n".join(["no such name", "", *words]) + "\n")
    return f"file://{file.name}"


def selections(found):
    """Each selects some samples at least."""
    at = [found[len(found) * n // 10][4] for n in range(10)]
    comm, cpu, symbol = most([s for s in found if s[5] != "[unknown]"], 0, 3, 5)
    return [
        ("both ends", ["--time", f"{at[2]},{at[4]}"]),
        ("from a time on", ["--time", f"{at[5]},"]),
        ("up to a time, in whole microseconds", ["--time", f",{at[5][:-3]}"]),
        ("two stretches of time", ["--time", f"{at[1]},{at[2]} {at[6]},{at[7]}"]),
        ("a CPU", ["--cpu", str(int(cpu))]),
        ("processes", ["--pid", ",".join(sorted({s[1] for s in found})[-3:])]),
        ("a thread", ["--tid", most(found, 2)[0]]),
        ("commands", ["--comms", ",".join(sorted({s[0] for s in found})[:2])]),
        ("objects", ["--dsos", f"{os.path.basename(WORKLOAD)},{most(found, 6)[0]}"]),
        ("functions", ["-S", f"{symbol},no_such_function"]),
        ("commands of a file", ["--comms", listed("comms", *sorted({s[0] for s in found})[:2])]),
        ("objects, of a file, too", ["--dsos", f"{os.path.basename(WORKLOAD)},{listed('dsos', most(found, 6)[0])}"]),
        ("functions of a file", ["-S", listed("functions", symbol)]),
        ("a function of a command on a CPU, for a while", ["--symbols", symbol, "-c", comm, "-C", str(int(cpu)),
                                                            "--time", f"{at[0]},"]),
    ]


SHARES = [("a share of time", ["--time", "10%-60%"]), ("slices of time", ["--time", "20%/2,10%/6"]),
          ("the first slice", ["--time", "40%"]), ("shares of time", ["--time", "0%-10%,35.5%-70%"])]


def compare_rows(capture, sentence, options):
    # Of a stretch of time in which the workload was given no CPU both know nothing.
    if not any(tap.run(tool, "script", "-i", capture, *options).out for tool in (tap.TSTREAM, tap.PERF)):
        tap.skip(sentence, "no sample falls into it")
        return
    report_equals_perf.compare_rows(capture, sentence, "--no-children", "-g", "none", "-n", *options, "-s", "pid,comm,dso,sym")


def compare(capture, whose, reports, scripts):
    tap.at_once([functools.partial(compare_rows, capture, f"{whose}, report: {what}", options) for what, options in reports])
    tap.at_once([functools.partial(script_equals_perf.compare, capture, f"{whose}, script: {what}", at_least=0, options=options)
                 for what, options in scripts])


def check_head(capture, comm):
    out = tap.run(tap.TSTREAM, "report", "-i", capture, "--comm", comm, "-C", "0-63").out
    tap.ok(f"# Selected: CPU 0-63, comm {comm}\n" in out and not re.search(r"^#.*Command", out, re.M),
           "a comment says what was selected, and what all rows share is no column", out[:600])
    tap.ok("Selected" not in tap.run(tap.TSTREAM, "report", "-q", "-i", capture, "-C", "0").out, "-q has no comment")


def check_dump(capture, comm):
    options = ["-i", capture, "--comm", comm, "-C", "0-63", "--time", "20%-80%"]
    dump = tap.run(tap.TSTREAM, "report", "-D", *options).out
    lines = tap.run(tap.TSTREAM, "script", *options).out.count("\n")
    stats = tap.run(tap.TSTREAM, "report", "--stats", "-i", capture, "--time", "20%-80%", "-C", "0-63").out
    kinds = collections.Counter(re.findall(r": PERF_RECORD_([A-Z0-9_]+)", tap.run(
        tap.TSTREAM, "report", "-D", "-i", capture, "--time", "20%-80%", "-C", "0-63").out))
    tap.equal({kind: int(n) for kind, n in re.findall(r"^ *([A-Z0-9_]+) events: +(\d+)  \(", stats, re.M)}, dict(kinds),
              "--stats counts the records that -D prints")
    shown = len(re.findall(r"PERF_RECORD_SAMPLE\(", dump))
    tap.ok(shown and shown == lines, "-D has the samples that script prints", f"{shown}, {lines}")


def check_refusals(capture, bare):
    for options in (["--time", "5"], ["--time", "3,2"], ["--time", "1,3 2,4"], ["--time", "110%/1"], ["--time", "10%/0"],
                    ["--time", "20%-10%"], ["--time", "10%-x"], ["--time", ""], ["--time", "1.0000000001,2"], ["-C", "x"],
                    ["-C", ""], ["--pid", "a"], ["--tid", "-1"], ["--comm", ","], ["--stats", "-c", "ls"], ["--loss", "-C", "0"],
                    ["--percentage", "both"], ["-c", "file:///nonexistent"], ["-c", "file:///dev/null"], ["-S", "file://"], ["--header-only", "-C", "0"],
                    ["-D", "-S", "main"]):
        result = tap.run(tap.TSTREAM, "report", "-i", capture, *options)
        tap.ok(result.status == 2 and not result.out and "cannot" in result.err, f"{' '.join(options)}: refused, status 2",
               f"{result.status} {result.err}")
    result = tap.run(tap.TSTREAM, "report", "-i", bare, "-C", "0")
    tap.ok(result.status == 1 and "no CPU" in result.err, "-C of samples without a CPU is refused", result.err)
    for command in ("report", "script"):
        result = tap.run(tap.TSTREAM, command, "-i", capture, "--time", "1,2")
        tap.ok(result.status == 0 and not re.search(r"^[^#\n]", result.out, re.M),
               f"{command}: a time without samples is no error", f"{result.status} {result.err}")


def main():
    if not tap.PERF:
        tap.skip_all("perf is not installed: there is nothing to compare with")
    if not tap.can_record_all():
        tap.skip_all("the symbols of the kernel need root")
    tap.read_few_kernel_symbols()
    # All of them before the first result: behind one nothing is skipped as a whole any more.
    theirs, bare = record(tap.PERF, "theirs", "--sample-cpu"), record(tap.PERF, "bare")
    ours = record(tap.TSTREAM, "ours", "-z", "--threads=cpu")
    wanted = selections(samples(theirs))
    compare(theirs, "perf's", wanted + SHARES, wanted[-1:] + SHARES[:2])
    comm = most(samples(theirs), 0)[0]
    report_equals_perf.compare_rows(theirs, "perf's, report: percentages of what is shown", "--percentage", "relative", "--comms",
                                    comm, "--no-children", "-g", "none", "-n", "-s", "comm,dso,sym")
    found = samples(ours)
    wanted = selections(found)
    compare(ours, "tstream's", wanted[2:5] + wanted[-1:] + SHARES, wanted + SHARES[1:2])
    check_head(ours, most(found, 0)[0])
    check_dump(ours, most(found, 0)[0])
    check_refusals(ours, bare)
    report_text.check(report_text.make("partly known", 6, 2), "what has a symbol", [["-U", *options] for options in KNOWN])
    tap.done()


main()
