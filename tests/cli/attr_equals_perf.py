#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The attr of an event equals that of `perf record -vv`, and its name the one that perf stores, for each
kind of event and each option that shapes it. What differs on purpose is listed in docs/decisions/0030-attr.md
and taken out here before the comparison."""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

# asked of the side-band dummy, never of the event
SIDEBAND = {"mmap", "mmap2", "mmap_data", "comm", "comm_exec", "task", "ksymbol", "bpf_event",
            "namespaces", "cgroup", "build_id"}
# always in our sample_type, in perf's as it needs them
ALWAYS = {"ID", "IDENTIFIER", "CPU", "PERIOD"}

# nothing that shapes an attr we compare, but a second of waiting
QUICK = ("--no-bpf-event", "-B", "-N")

TRACEPOINTS = os.path.isdir("/sys/kernel/tracing/events/sched") and os.geteuid() == 0

if not shutil.which("perf"):
    tap.skip_all("perf is not installed (package linux-perf)")


def blocks(text):
    """Every perf_event_attr that is printed, as a dictionary."""
    found = []
    for block in re.findall(r"^perf_event_attr:\n((?:  .*\n)*)", text, re.M):
        fields = [line.strip().rsplit(None, 1) for line in block.splitlines()]
        found.append({key.strip(): value for key, value in fields})
    return found


def comparable(attr, with_clock):
    attr = {key: value for key, value in attr.items() if key not in SIDEBAND | {"size"}}
    if not with_clock:
        attr.pop("use_clockid", None)
        attr.pop("clockid", None)
    attr["sample_type"] = set(attr["sample_type"].split("|")) - ALWAYS
    return attr


def compare(*options, command=("true",)):
    out = tap.path("perf.data")
    perf = tap.run("perf", "record", *QUICK, "-vv", "-o", out, *options, "--", *command)
    ours = tap.run(tap.TSTREAM, "record", "--dry-run", "-vv", *options, "--", *command)
    sentence = f"attr of record {' '.join(options)}"
    got = blocks(ours.err)[:-1]  # the last one is the side-band dummy
    wanted = blocks(perf.err)[:len(got)]
    if ours.status or not got or len(wanted) != len(got):
        tap.ok(False, sentence, f"status {ours.status}: {ours.err}\nperf: {perf.err}")
        return
    with_clock = "-k" in options
    tap.equal([comparable(a, with_clock) for a in got],
              [comparable(a, with_clock) for a in wanted], sentence)


def refused_alike(*options):
    out, perf_out = tap.path("refused"), tap.path("refused.data")
    ours = tap.run(tap.TSTREAM, "record", "-o", out, *options, "--", "true")
    perf = tap.run("perf", "record", *QUICK, "-o", perf_out, *options, "--", "true")
    if not perf.status:
        tap.skip(f"record {' '.join(options)} is refused", "perf records it on this machine")
        return
    tap.ok(ours.status in (1, 2) and len(re.findall(r"^tstream: cannot ", ours.err, re.M)) == 1,
           f"record {' '.join(options)} is refused in one sentence, as by perf",
           f"status {ours.status}: {ours.err}")
    tap.ok(not os.path.exists(out), "and leaves nothing behind", os.listdir(tap.scratch))


def names(path):
    lines = tap.run("perf", "evlist", "-f", "-i", path).out.splitlines()
    return [line for line in lines if not line.startswith(("dummy", "#"))]


def named_alike(*options, user=()):
    for path in (tap.path("cap"), tap.path("cap.data")):
        shutil.rmtree(path, ignore_errors=True)
        if os.path.exists(path):
            os.unlink(path)
    tap.run(*user, "perf", "record", *QUICK, "-o", tap.path("cap.data"), *options, "--", "true")
    ours = tap.run(*user, tap.TSTREAM, "record", "-o", tap.path("cap"), *options, "--", "true")
    wanted, got = names(tap.path("cap.data")), names(tap.path("cap"))
    tap.ok(wanted and got == wanted,
           f"names of record {' '.join(options)}{' by an ordinary user' if user else ''}",
           f"got:    {got}\nwanted: {wanted}\n{ours.err}")


for event in ("cycles", "cpu-cycles:u", "instructions:k", "cache-misses:p", "cycles:pp", "cycles:ppp",
              "cycles:P", "cycles:H", "cycles:G", "cycles:GH", "cycles:h", "cycles:I", "cycles:D",
              "cycles:e", "cycles:uk", "cycles:kppu", "cycles:uG", "branches", "ref-cycles",
              "stalled-cycles-frontend", "LLC-load-misses", "L1-dcache-loads:u", "dTLB-store-misses",
              "branch-loads", "r1a2", "r1a2:u", "r3c/period=5000/", "cycles/freq=100/k",
              "cpu-clock", "cpu-clock:u", "task-clock", "cs", "page-faults", "cpu-clock/period=9/",
              "cpu-clock/config=1/", "cpu-clock/name=x,max-stack=7,call-graph=fp/",
              "cpu-clock/call-graph=dwarf,stack-size=4096/", "cpu-clock/call-graph=no/",
              "cpu-clock/no-inherit/", "software/config=2/", "software/config=2,name=x/u", "msr/tsc/",
              "mem:0x1000", "mem:0x1000/8:w:u", "mem:0x1000:x", "cpu-clock,faults"):
    if event.startswith(("msr/", "software/")) and \
            not os.path.isdir("/sys/bus/event_source/devices/" + event.split("/")[0]):
        continue
    compare("-e", event)

compare()
for options in (("-F", "99"), ("-F", "max"), ("-F", "1000000"), ("-c", "1000"), ("-g",), ("-d",), ("-R",),
                ("-T",), ("--call-graph", "dwarf"), ("--call-graph", "dwarf,4097"),
                ("--call-graph", "fp"), ("-k", "mono"), ("-k", "tai"), ("-D", "10")):
    compare("-e", "instructions:u", *options)
    compare("-e", "cpu-clock,faults", *options)
if os.geteuid() == 0:
    compare("-a", "-e", "cpu-clock")
    compare("-C", "0", "-e", "task-clock:k")
if TRACEPOINTS:
    for options in ((), ("-F", "99"), ("-c", "10"), ("-g",), ("--call-graph", "dwarf"), ("-a",)):
        compare("-e", "sched:sched_switch", *options)
    compare("-e", "sched:sched_s*:u,raw_syscalls:sys_enter/call-graph=fp/")

for event in ("r1a2", "instructions:u", "LLC-loads", "nope", "nope:nope", "cpu-clock:q", "cpu/foo=1/",
              "cpu-clock/foo=1/", "", "cpu-clock,"):
    refused_alike("-e", event)
refused_alike("-e", "cpu-clock", "-F", "10", "-c", "10")
refused_alike("-e", "cpu-clock", "--call-graph", "foo")
refused_alike("-e", "cpu-clock", "-F", "0")

for options in (("-e", "cpu-clock"), ("-e", "cpu-clock:u,faults"), ("-e", "cpu-clock/freq=100/u"),
                ("-e", "cpu-clock/name=ticks/,cs:k"), ("-e", "cycles"), ("-e", "cycles:pp"),
                ("-e", "cycles:uG"), ("-e", "cycles:I"), ()):
    named_alike(*options)
if TRACEPOINTS:
    named_alike("-e", "sched:sched_s*")
    named_alike("-e", "raw_syscalls:*:u", "-e", "sched:sched_switch")
if os.geteuid():
    tap.skip("names that an ordinary user gets", "needs root to become one")
else:
    os.chmod(tap.scratch, 0o777)
    nobody = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    for options in (("-e", "cpu-clock"), ("-e", "cpu-clock,faults:u"), ("-e", "cpu-clock/name=x/"), ()):
        named_alike(*options, user=nobody)
tap.done()
