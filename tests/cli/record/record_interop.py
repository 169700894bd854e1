#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Events and options against perf as the judge: it reads every capture without a word, and counts what it should."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

if not tap.can_record_all():
    tap.skip_all("needs the right to record everything")
if not tap.PERF:
    tap.skip_all("perf is not installed")
has_tracefs = os.path.isdir("/sys/kernel/tracing/events/sched")
number = 0
work = ("sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; sleep 0.03; ls /proc >/dev/null; (sleep 0.03)")


def on_a_recorded_cpu(options, command):
    """What a command does is seen by -C only on those CPUs."""
    return ("taskset", "-c", options[options.index("-C") + 1], *command) if "-C" in options else command


def record(*options, command=work, wanted=("SAMPLE", "COMM", "EXIT")):
    global number
    number += 1
    cap = tap.path(f"cap{number}")
    result = tap.run(tap.TSTREAM, "record", *options, "-o", cap, "--", *on_a_recorded_cpu(options, command))
    name = " ".join(options)
    if not tap.ok(result.status == 0, f"record {name}", result.err):
        return None
    counts, lines = tap.perf_reads(cap)
    tap.ok(counts and lines and all(counts.get(w, 0) > 0 for w in wanted) and lines >= counts["SAMPLE"] > 0,
           f"{name}: perf reads it", f"{counts} {lines}")
    ledger = json.load(open(os.path.join(cap, "tstream.json")))
    if counts:
        tap.equal(sum(w["samples"] for w in ledger["writers"]), counts["SAMPLE"],
                  f"{name}: perf finds every sample that was written")
    return cap


def attr_words(cap):
    return tap.run(tap.PERF, "evlist", "-v", "-i", cap).out


for target in ([], ["-a"], ["-C", str(tap.online_cpus()[0])]):
    for event in ("cpu-clock", "task-clock", "page-faults", "context-switches"):
        record(*target, "-e", event, "-c", "1" if event in ("page-faults", "context-switches") else "1000000")
    if has_tracefs:
        record(*target, "-e", "sched:sched_switch,raw_syscalls:sys_enter")
record("-a")  # the default event
cap = record("-a", "-e", "cpu-clock,task-clock", "-e", "context-switches")
tap.equal(re.findall(r"^(\S+)$", tap.run(tap.PERF, "evlist", "-i", cap).out, re.M)[:3],
          ["cpu-clock", "task-clock", "context-switches"], "events are listed in the order of the command line")
cap = record("-e", "cpu-clock/name=mine,period=2000000/")
tap.ok(re.search("^mine: .*2000000", attr_words(cap), re.M), "terms reach the capture", attr_words(cap))
if has_tracefs:
    record("-a", "-e", "sched:*")
    cap = record("-a", "-e", "sched:sched_switch", "--filter", "prev_pid != 0")
    pids = set(re.findall(r"prev_pid=(\d+)", tap.run(tap.PERF, "script", "-i", cap).out))
    tap.ok(pids and "0" not in pids, "--filter lets only what it says through")
    record("-g", "-e", "sched:sched_switch")

for graph in (["-g"], ["--call-graph", "fp"]):
    cap = record("-a", "-e", "cpu-clock", *graph)
    text = tap.run(tap.PERF, "script", "-i", cap, "-F", "ip,sym").out
    tap.ok(re.search(r"^\s+[0-9a-f]+ \S+.*\n\s+[0-9a-f]+ \S+", text, re.M), f"{graph}: there are call chains", text[:300])
for graph, size in (["--call-graph", "dwarf"], 8192), (["--call-graph", "dwarf,4096"], 4096):
    cap = record("-e", "cpu-clock:u", *graph)
    tap.ok(f"sample_stack_user: {size}" in attr_words(cap) and "REGS_USER" in attr_words(cap),
           f"{graph}: registers and stacks are recorded", attr_words(cap))
    chain = tap.run(tap.PERF, "script", "-i", cap, "-F", "ip,sym").out
    tap.ok(re.search(r"^\s+[0-9a-f]+ \S+.*\n\s+[0-9a-f]+ \S+", chain, re.M), f"{graph}: perf unwinds them", chain[:300])
cap = record("-a", "-e", "cpu-clock", "-d", wanted=("SAMPLE",))
tap.ok("ADDR" in attr_words(cap), "-d records addresses", attr_words(cap))
record("-a", "-e", "cpu-clock", "-R", "-T")
for clock in ("mono", "mono_raw", "boottime", "realtime", "tai"):
    record("-a", "-e", "cpu-clock", "-k", clock)
for size in ("1", "16", "64K", "4M"):
    record("-a", "-e", "cpu-clock", "-m", size)
for level in ("-z", "-z1", "--compression-level=19", "-z0"):
    record("-a", "-e", "cpu-clock", level)
record("-a", "-e", "cpu-clock", "-g", "-z", "--threads")
for io in ("uring", "pwrite"):
    record("-a", "-e", "cpu-clock", "--io", io)
    record("-a", "-e", "cpu-clock", "--io", io, "-z", "--flush", "10ms")
record("-a", "-e", "cpu-clock", "-r", "1")
for highest in ("max", "1000000000"):  # not -a, and not for long: a machine that samples so often does little else
    record("-e", "cpu-clock", "-F", highest, "-D", "200",
           command=("sh", "-c", "sleep 0.3; while [ $((i += 1)) -lt 100 ]; do :; done"))
cap = record("-a", "-e", "cpu-clock", "-F", "97")
tap.ok("sample_freq }: 97" in attr_words(cap), "-F is the attr's frequency", attr_words(cap))

# the same attr as perf's, where both can be asked
for options in (["-e", "cpu-clock"], ["-e", "page-faults", "-c", "1"], ["-e", "cpu-clock:u", "-g"],
                ["-e", "cpu-clock", "--call-graph", "dwarf,4096"]):
    cap = record(*options)
    other = tap.path("perf.data")
    tap.run(tap.PERF, "record", "--no-bpf-event", *options, "-o", other, "--", *work)

    def words(text):
        line = next((l for l in text.splitlines() if not l.startswith("dummy")), "")
        return {k: v for k, v in re.findall(r"(\w+(?: \})?): ([^,]+)", line)
                if k in ("type", "config", "sample_freq }", "sample_regs_user", "sample_stack_user", "exclude_kernel",
                         "exclude_user", "exclude_callchain_user", "freq", "inherit")}

    tap.equal(words(attr_words(cap)), words(attr_words(other)), f"{' '.join(options)}: the attr is perf's")

# names, maps and the machine
cap = record("-a", "-e", "cpu-clock")
header = tap.run(tap.PERF, "report", "--header-only", "-i", cap).out
for word in ("hostname", "os release", "arch", "nrcpus online", "cpudesc", "total memory", "cmdline", "event : name"):
    tap.ok(word in header, f"the header tells {word}", header)
text = tap.run(tap.PERF, "script", "-i", cap, "-F", "comm,ip,sym,dso").out
kernel, files = re.findall(r"^.*\(\[kernel.*$", text, re.M), re.findall(r"^.*\(/.*$", text, re.M)
without = [line for line in kernel if "[unknown]" in line], re.findall(r"^.*\(\[unknown\]\)$", text, re.M)
tap.ok(kernel and files and not without[0] and len(without[1]) <= len(files) / 10, "addresses have symbols in the kernel, and files",
       f"{len(kernel)} in the kernel, {len(files)} in files, without: {without}")
tap.ok(not re.search(r"^\s*:\d+ ", text, re.M), "every task has a name")
tap.done()
