#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""script -F and what goes with it prints what perf script prints, line by line, and refuses what perf refuses.

The events are counted and not clocked, so that every run has samples of each. Lines are compared without their order: samples
of equal time may come in any. Where perf knows no end of a symbol, names may differ (docs/differences.md).
"""
import functools
import os
import re
import sys
from collections import Counter

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

WORKLOAD = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/many_modules")
FREE_NAMES = re.compile(r"\[unknown\]|\S+@plt(\+0x[0-9a-f]+)?|_init(\+0x[0-9a-f]+)?")
AS_PERF = "as perf prints it"

CHAINS = ["-e", "page-faults", "-e", "raw_syscalls:*", "-c", "1", "-g"]
MEMORY = ["-e", "page-faults", "-c", "1", "-d", "-W", "--phys-data", "--data-page-size", "--code-page-size"]
REGISTERS = ["-e", "page-faults", "-c", "1", "--intr-regs=ip,sp,ax", "--user-regs=ip,sp,r15"]
SWITCHES = ["-e", "page-faults", "-c", "1", "--switch-events", "--namespaces"]

# What is recorded, by which tool, and the options under which both must print the same, or both refuse to.
TABLE = [
    ("chains", "perf", CHAINS, [
        "-F comm", "-F tid", "-F pid", "-F time", "-F event", "-F trace", "-F ip", "-F period", "-F misc", "-F flags", "-F synth",
        "-F ipc", "-F callindent", "-F brstack", "-F brstacksym", "-F machine_pid", "-F sym", "-F dso", "-F symoff", "-F cpu",
        "-F addr", "-F weight", "-F iregs", "-F uregs", "-F tod", "-F phys_addr", "-F data_page_size", "-F ins_lat",
        "-F pid,tid", "-F comm,ip", "-F ip,sym", "-F ip,dso", "-F ip,sym,symoff", "-F ip,sym,dso", "-F sym,dso", "-F event,flags",
        "-F comm,tid,time,event,ip,sym,dso", "-F comm,pid,tid,cpu,time,event,trace", "-F comm,tid,event,trace",
        "-F +pid", "-F -ip", "-F -comm,-time", "-F +pid,-tid", "-F +flags", "-F +misc,+symoff", "-F sw:comm,ip",
        "-F trace:comm,trace", "-F trace:+period", "-F sw:", "-F trace:", "-F hw:", "-F hw:comm", "-F sw:ip -F trace:comm",
        "-F comm -F +ip", "-F synth:ip", "-F comm,,tid", "-F ,comm", "-F nothing", "-F foo:comm", "-F +comm,tid", "-F comm,+tid",
        "-F sw:trace", "--ns", "--ns -F time,event", "--reltime", "--deltatime --ns", "--reltime --deltatime", "-G",
        "-G -F comm,ip,sym", "--max-stack 2", "--max-stack 0", "--stop-bt do_syscall_64", f"--stop-bt file://{tap.path('stops')}", "-L", "-a"]),
    ("memory", "perf", MEMORY, [
        "", "-F addr", "-F addr,sym", "-F addr,dso", "-F addr,sym,symoff,dso", "-F +addr", "-F weight", "-F ins_lat",
        "-F phys_addr", "-F data_page_size", "-F code_page_size", "-F comm,addr,ip,sym,phys_addr,data_page_size", "-F sw:addr"]),
    ("registers", "perf", REGISTERS, ["-F iregs", "-F uregs", "-F comm,ip,iregs,uregs"]),
    ("switches", "perf", SWITCHES, [
        "--show-task-events", "--show-mmap-events", "--show-switch-events", "--show-lost-events", "--show-bpf-events",
        "--show-cgroup-events", "--show-task-events --show-mmap-events -F comm,tid,misc,time", "--show-switch-events -F misc,pid",
        "--show-task-events --reltime"]),
    ("chains", "tstream", CHAINS, [
        "-F comm,tid,cpu,time,event,ip,sym,dso", "-F trace:trace -F sw:ip,sym", "--ns -G", "--show-task-events --show-mmap-events"]),
]


def lines_of(result):
    return Counter(result.out.splitlines())


def is_same(ours, theirs):
    mine, others = (sorted(FREE_NAMES.sub("?", line) for line in (a - b).elements())
                    for a, b in ((ours, theirs), (theirs, ours)))
    return mine == others


def shown(ours, theirs):
    return "".join(f"{tool}: {line}\n" for tool, lines in (("tstream", ours - theirs), ("perf", theirs - ours))
                   for line in sorted(lines.elements())[:5])


def compare(capture, name, options):
    perf = tap.run(tap.PERF, "script", "--no-inline", "-i", capture, *options.split())
    ours = tap.run(tap.TSTREAM, "script", "-i", capture, *options.split())
    sentence = f"{name}: {options or 'without options'}"
    if perf.status:
        tap.ok(ours.status and len(ours.err.splitlines()) <= 3 and "cannot " in ours.err and not ours.out,
               f"{sentence} is refused, as by perf", f"{ours.status} {ours.err}\nperf: {perf.err}")
    else:
        mine, theirs = lines_of(ours), lines_of(perf)
        tap.ok(not ours.status and is_same(mine, theirs), f"{sentence}, {AS_PERF}",
               f"{ours.status} {ours.err}\n{shown(mine, theirs)}")


def record(name, tool, events):
    capture = tap.path(f"{tool}.{name}")
    program = {"perf": [tap.PERF, "record", "-B", "-N", "--no-bpf-event"], "tstream": [tap.TSTREAM, "record"]}[tool]
    result = tap.run(*program, "-q", "-m", "4M", *events, "-o", capture, "--", WORKLOAD)
    tap.ok(result.status == 0, f"{tool} records {name}", result.err)
    return capture


def check_refusals(capture):
    """What is refused here alone, in a sentence that says why."""
    for field in ("srccode", "insn", "insnlen", "brstackinsn", "metric"):
        result = tap.run(tap.TSTREAM, "script", "-i", capture, "-F", f"ip,{field}")
        tap.ok(result.status == 2 and f"cannot print the field {field}: " in result.err, f"-F {field} is refused", result.err)
    result = tap.run(tap.TSTREAM, "script", "-i", capture, "--comm", "nobody-has-this-name")
    tap.ok(result.status == 0 and not result.out and "has no samples that match the selection" in result.err,
           "an empty selection is told on stderr", f"{result.status} {result.out[:200]} {result.err}")
    named, bare = (tap.run(tap.TSTREAM, "script", *words) for words in (["-i", capture, "-G"], [capture, "-G"]))
    tap.ok(bare.status == 0 and bare.out and bare.out == named.out, "the argument is the capture, as with -i", bare.err)
    result = tap.run(tap.TSTREAM, "script", "-i", capture, capture)
    tap.ok(result.status == 2 and "cannot print two captures" in result.err, "two captures are refused", result.err)
    result = tap.run(tap.TSTREAM, "script", "-i", capture, "-F", "comm,trace", "--max-stack", "0")
    tap.ok("software events have no field trace" in result.err, "a field that a type has not is told of", result.err)


def main():
    if not tap.PERF:
        tap.skip_all("perf is not installed: there is nothing to compare with")
    if not tap.can_record_all():
        tap.skip_all("recording tracepoints of the whole machine needs root")
    tap.read_few_kernel_symbols()
    with open(tap.path("stops"), "w") as file:
        file.write("do_syscall_64\n")
    for name, tool, events, rows in TABLE:
        capture = record(name, tool, events)
        tap.at_once([functools.partial(compare, capture, f"{tool}'s {name}", options) for options in rows])
    check_refusals(capture)
    tap.done()


if __name__ == "__main__":
    main()
