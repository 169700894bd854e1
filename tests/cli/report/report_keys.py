#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""report sorts by what single samples tell as perf report does: rows and numbers of samples are the same for every key, of
captures of perf and of tstream; keys that only tstream has are checked against other rows; unknown ones are refused."""
import collections
import functools
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

COMMAND = ["sh", "-c", "ls /usr/lib; for i in 1 2 3; do true | /bin/true; done"]
EVENTS = ["-e", "sched:sched_process_exec,sched:sched_switch,raw_syscalls:sys_enter"]
ROW = re.compile(r"^ +\d+\.\d\d%|^# (?:Overhead|Samples|Event count)")
# perf cuts these to the width of their columns, and tells payloads apart by bytes that it does not show
KEYS = ["cpu", "socket", "socket,cpu", "time", "time,cpu", "next_pid", "next_comm,cpu", "sched_switch.prev_state",
        "raw_syscalls:sys_enter.id", "id/raw", "%1.pid", "sched:sched_switch.*", "time,id", "filename"]


def record(tool, *options):
    capture = tap.path(os.path.basename(tool))
    result = tap.run(tool, "record", "-q", "-m", "1M", *EVENTS, *options, "-o", capture, "--", *COMMAND)
    if result.status:
        tap.skip_all(f"cannot record tracepoints here: {result.err}")
    return capture


def report(tool, capture, *options):
    return tap.run(tool, "report", "--stdio", "-n", "-i", capture, *options)


def rows(text):
    return [" ".join(line.split()) for line in text.splitlines() if ROW.match(line)]


def compare(capture, *options):
    sentence = f"{os.path.basename(capture)}: rows of {' '.join(options)}"
    theirs, ours = report(tap.PERF, capture, *options), report(tap.TSTREAM, capture, *options)
    perf, mine = collections.Counter(rows(theirs.out)), collections.Counter(rows(ours.out))
    if perf != mine and "out of order" in theirs.err:
        return tap.skip(sentence, "perf itself took names or maps too early or too late, and says so")
    show = [f"perf: {row}" for row in (perf - mine)] + [f"ours: {row}" for row in (mine - perf)]
    return tap.ok(perf == mine and sum(mine.values()) > 3 and not ours.status, sentence,
                  "\n".join([theirs.err, ours.err] + show[:12]))


COLUMNS = [("-s", "cpu", "-F", "overhead,cpu,sample"), ("-F", "sample,cpu,overhead"), ("-F", "cpu,overhead_children"),
           ("-s", "cpu", "-F", "sample,period,overhead_sys,overhead_us"), ("-s", "cpu", "-F", "+period"),
           ("-s", "sample,cpu"), ("-F", "overhead"), ("-F", "time,cpu,sample"), ("-s", "next_pid,cpu", "--percent-limit", "20"),
           ("-s", "cpu", "--show-total-period", "--show-cpu-utilization"), ("-s", "cpu", "-w", "0,20,9"),
           ("-s", "dso", "-w", "0,0,4")]


def columns(text, separator):
    """Lines as lists of columns without the blanks around them."""
    return [[field.strip() for field in line.split(separator)] for line in text.splitlines() if separator in line]


def compare_columns(capture):
    tap.at_once([functools.partial(compare, capture, *options) for options in COLUMNS])
    for separator in ";", "@":
        options = ("-s", "cpu,sched_switch.next_comm", "-t", separator)
        theirs, ours = report(tap.PERF, capture, *options), report(tap.TSTREAM, capture, *options)
        tap.ok(ours.out and sorted(columns(theirs.out.split("count (approx.)")[1], separator)) ==
               sorted(columns(ours.out.split("count (approx.)")[1], separator)), f"columns with {separator} between", ours.out[:2000])
    tab = report(tap.TSTREAM, capture, "-q", "-s", "cpu", "-t", "\\t").out
    tap.ok(all(line.count("\t") == 2 and " " not in line for line in tab.splitlines() if line), "-t '\\t' is a tab", tab)


def counts(capture, *options):
    """Samples by the last field of each row."""
    found = collections.Counter()
    for line in rows(report(tap.TSTREAM, capture, *options).out):
        if line[0] != "#":
            found[line.split()[-1]] += int(line.split()[1])
    return found


def check_own(capture):
    """Keys that perf has not."""
    text = report(tap.TSTREAM, capture, "-s", "event").out
    events = {line.split()[2]: int(line.split()[1]) for line in rows(text) if line[0] != "#"}
    per_event = re.findall(r"^# Samples: (\d+)  ?of event '(.*)'$", report(tap.TSTREAM, capture, "-s", "cpu").out, re.M)
    for number, name in per_event:
        tap.equal(events.get(name), int(number), f"event: {name} has a row with its samples")
    tap.ok(text.count("# Samples:") == 1 and "of events 'sched:sched_process_exec, " in text, "event: one table of all", text)
    total = sum(events.values())
    for key in ("host", "node"):
        found = counts(capture, "-s", key)
        tap.ok(sum(found.values()) == total and (key == "node" or list(found) == [os.uname().nodename]),
               f"{key}: every sample has one", found)
    trace = counts(capture, "-s", "trace")
    tap.equal(sum(trace.values()), total, "trace: every sample says something")
    plus = report(tap.TSTREAM, capture, "-s", "+cpu").out
    tap.equal(plus, report(tap.TSTREAM, capture, "-s", "comm,dso,sym,cpu").out, "+ adds to the default keys")
    times = [row.split()[-1] for row in rows(report(tap.TSTREAM, capture, "-s", "time", "--ns", "--time-quantum", "1us").out)]
    tap.ok(all(re.fullmatch(r"\d+\.\d{6}000", t) for t in times if "." in t), "time: in quanta, in nanoseconds", times[:5])
    for keys in ("trace", "time,cpu,next_pid", "event,host,node"):
        texts = {report(tap.TSTREAM, capture, "-s", keys, "-j", jobs).out for jobs in ("1", "2", "7")}
        tap.equal(len(texts), 1, f"{keys}: 1, 2 and 7 workers report the same")


def check_refusals(capture):
    for key, words in (("colour", "the keys are "), ("tiem", "did you mean 'time'?"), ("srcline,srcfile", "at once"),
                       ("weight", "perf report"), ("cgroup", "--all-cgroups"), ("sched_switch.colour", "no such field"),
                       ("sched.next_pid", "or several"), ("next_pid/hex", "only /raw"), ("%9.pid", "no tracepoint")):
        result = report(tap.TSTREAM, capture, "-s", key)
        tap.ok(result.status == 2 and not result.out and words in result.err and "cannot sort by" in result.err,
               f"{key} is refused", f"{result.status} {result.out[:200]} {result.err}")
    for options in ("-F", "colour"), ("-F", "cpu,weight"), ("-w", "a"), ("-w", "3,"), ("-t", "."), ("-t", ""), \
            ("--percent-limit", "101"), ("--max-stack", "-1"), ("--ignore-callees", "("), ("--time-quantum", "0"):
        result = report(tap.TSTREAM, capture, *options)
        tap.ok(result.status == 2 and not result.out and "cannot " in result.err, f"{' '.join(options)} is refused", result.err)
    result = report(tap.TSTREAM, capture, "--ignore-callees", "x")
    tap.ok(result.status == 1 and "recorded without -g" in result.err, "callees need call chains", result.err)
    tap.equal(tap.run(tap.TSTREAM, "report", capture).out, tap.run(tap.TSTREAM, "report", "-i", capture).out,
              "the capture can be an argument")


if not tap.can_record_all():
    tap.skip_all("recording tracepoints needs root")
tap.read_few_kernel_symbols()
ours = record(tap.TSTREAM)
check_own(ours)
check_refusals(ours)
if tap.PERF:
    captures = [ours, record(tap.PERF, "--all-cgroups")]
    tap.at_once([functools.partial(compare, capture, "-s", keys) for capture in captures for keys in KEYS])
    compare(captures[1], "-s", "cgroup")
    compare_columns(ours)
    compare(captures[1], "-s", "time", "--time-quantum", "1ms", "--ns")
else:
    tap.skip("rows are perf's", "perf is not installed")
tap.done()
