#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The attr of an event equals that of `perf record -vv`, and its name the one that perf stores, for each
kind of event and each option that shapes it. What differs on purpose is listed in docs/decisions/0030-attr.md
and taken out here before the comparison. On a machine with hardware counters what they decide is compared twice: with
them, and with them taken away (tests/programs/without_pmu.c)."""
import functools
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import registers
import tap

# asked of the side-band dummy, never of the event
SIDEBAND = {"mmap", "mmap2", "mmap_data", "comm", "comm_exec", "task", "ksymbol", "bpf_event",
            "namespaces", "cgroup", "build_id", "context_switch"}
# always in our sample_type, in perf's as it needs them
ALWAYS = {"ID", "IDENTIFIER", "CPU", "PERIOD"}

# options that ask for registers
REGISTERS = ((("-I",), (f"--intr-regs={registers.IP},{registers.SP.upper()},{registers.FIRST}",), ("--user-regs",),
              (f"--user-regs={registers.LAST},{registers.IP}", "-I")) if registers.ALL else ())

# nothing that shapes an attr we compare, but a second of waiting
QUICK = ("--no-bpf-event", "-B", "-N")

TRACEPOINTS = os.path.isdir("/sys/kernel/tracing/events/sched") and os.geteuid() == 0

if not shutil.which("perf"):
    tap.skip_all("perf is not installed (package linux-perf)")
if os.geteuid():
    tap.skip_all("needs root: for others perf prints what it tries first, tstream what they get")


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


def at_one_rate(compare_once):
    """Runs it again while the highest frequency that the kernel allows changes under the two recorders."""
    while True:
        before = tap.max_sample_rate()
        found = compare_once()
        if tap.max_sample_rate() == before:
            return found


def own_folder():
    """Of one comparison: others go on at the same time. Anybody may write into it."""
    folder = tempfile.mkdtemp(dir=tap.scratch)
    os.chmod(folder, 0o777)
    return folder


def compare(*options, env=None):
    at = os.path.join(own_folder(), "perf.data")

    def once():
        perf = tap.run("perf", "record", *QUICK, "-vv", "-o", at, *options, "--", "true", env=env)
        return perf, tap.run(tap.TSTREAM, "record", "--dry-run", "-vv", *options, "--", "true", env=env)

    perf, ours = at_one_rate(once)
    sentence = f"attr of record {' '.join(options)}{kind(env)}"
    got = blocks(ours.err)[:-1]  # the last one is the side-band dummy
    wanted = blocks(perf.err)[:len(got)]
    if ours.status or not got or len(wanted) != len(got):
        tap.ok(False, sentence, f"status {ours.status}: {ours.err}\nperf: {perf.err}")
        return
    with_clock = "-k" in options
    tap.equal([comparable(a, with_clock) for a in got],
              [comparable(a, with_clock) for a in wanted], sentence)


def kind(env):
    return " without hardware counters" if env else ""


def remove(*paths):
    for path in paths:
        shutil.rmtree(path, ignore_errors=True)
        if os.path.exists(path):
            os.unlink(path)


def refused_alike(*options, env=None):
    """Refused by both; where perf records it, so does tstream."""
    folder = own_folder()
    out, perf_out = os.path.join(folder, "refused"), os.path.join(folder, "refused.data")
    ours = tap.run(tap.TSTREAM, "record", "-o", out, *options, "--", "true", env=env)
    perf = tap.run("perf", "record", *QUICK, "-o", perf_out, *options, "--", "true", env=env)
    name = f"record {' '.join(options)}{kind(env)}"
    if not perf.status:
        tap.equal((ours.status, names(out)), (0, names(perf_out)), f"{name} succeeds, as by perf")
        return
    tap.ok(ours.status in (1, 2) and len(re.findall(r"^tstream: cannot ", ours.err, re.M)) == 1,
           f"{name} is refused in one sentence, as by perf", f"status {ours.status}: {ours.err}")
    tap.ok(not os.path.exists(out), "and leaves nothing behind", os.listdir(folder))


def stored(path):
    """The attrs of a capture by name, as the kernel took them."""
    found = {}
    for line in tap.run("perf", "evlist", "-v", "-f", "-i", path).out.splitlines():
        if not line.startswith(("dummy", "#")):
            name, fields = re.match(r"(.*?): ((?:type: \d+, )?size: .*)", line).groups()
            pairs = fields.replace("{ sample_period, sample_freq }", "rate").split(", ")
            found[name] = comparable(dict(pair.split(": ", 1) for pair in pairs), False)
    return found


def names(path):
    lines = tap.run("perf", "evlist", "-f", "-i", path).out.splitlines()
    return [line for line in lines if not line.startswith(("dummy", "#"))]


def named_alike(*options, user=(), env=None):
    """What stands in the captures: names in their order, and the attrs that the kernel took in the end."""
    folder = own_folder()
    ours_at, perfs_at = os.path.join(folder, "cap"), os.path.join(folder, "cap.data")

    def once():
        remove(ours_at, perfs_at)
        perf = tap.run(*user, "perf", "record", *QUICK, "-o", perfs_at, *options, "--", "true", env=env)
        return perf, tap.run(*user, tap.TSTREAM, "record", "-o", ours_at, *options, "--", "true", env=env)

    perf, ours = at_one_rate(once)
    whose = f"of record {' '.join(options)}{' by an ordinary user' if user else ''}{kind(env)}"
    if perf.status:
        tap.ok(ours.status == 1 and not os.path.exists(ours_at), f"there is no name {whose}, as by perf", ours.err)
        return
    wanted, got = names(perfs_at), names(ours_at)
    tap.ok(wanted and got == wanted, f"names {whose}", f"got:    {got}\nwanted: {wanted}\n{ours.err}")
    tap.equal(stored(ours_at), stored(perfs_at), f"attr in the capture {whose}")


EVENTS = ("cycles", "cpu-cycles:u", "instructions:k", "cache-misses:p", "cycles:pp", "cycles:ppp",
          "cycles:P", "cycles:H", "cycles:G", "cycles:GH", "cycles:h", "cycles:I", "cycles:D",
          "cycles:e", "cycles:uk", "cycles:kppu", "cycles:uG", "branches", "ref-cycles",
          "stalled-cycles-frontend", "LLC-load-misses", "L1-dcache-loads:u", "dTLB-store-misses",
          "branch-loads", "r1a2", "r1a2:u", "r3c/period=5000/", "cycles/freq=100/k",
          "cpu-clock", "cpu-clock:u", "task-clock", "cs", "page-faults", "cpu-clock/period=9/",
          "cpu-clock/config=1/", "cpu-clock/name=x,max-stack=7,call-graph=fp/",
          "cpu-clock/call-graph=dwarf,stack-size=4096/", "cpu-clock/call-graph=no/",
          "cpu-clock/no-inherit/", "software/config=2/", "software/config=2,name=x/u", "msr/tsc/",
          "mem:0x1000", "mem:0x1000/8:w:u", "mem:0x1000:x", "cpu-clock,faults")
OPTIONS = (("-F", "99"), ("-F", "max"), ("-F", "1000000"), ("-c", "1000"), ("-g",), ("-d",), ("-R",),
           ("-T",), ("--call-graph", "dwarf"), ("--call-graph", "dwarf,4097"),
           ("--call-graph", "fp"), ("-k", "mono"), ("-k", "tai"), ("-D", "10"), ("-i",), ("--all-user",),
           ("--all-kernel",), ("-g", "--kernel-callchains"), ("-g", "--user-callchains"),
           ("--call-graph", "dwarf", "--user-callchains"), ("--phys-data",), ("--data-page-size",),
           ("--code-page-size",), ("-W",), ("-s",), ("-n",), ("-n", "-s", "-c", "9"),
           ("-P", "-N", "--sample-cpu", "--buildid-all"), *REGISTERS, ("--all-cgroups",), ("--switch-events",))
BRANCHES = (("-b",), ("-j", "any_call,u"), ("-j", "k"),
            ("-j", "any,ind_call,ind_jmp,any_ret,call,cond,abort_tx,in_tx,no_tx,hv,save_type"), ("-j", "stack,u,priv"))
HARDWARE = (("-e", "cycles"), ("-e", "cycles:pp"), ("-e", "cycles:P"), ("-e", "cycles:u"), ("-e", "cycles:uG"), ("-e", "cycles:I"),
            ("-e", "cycles:kppu"), ("-e", "cycles,cpu-clock"), ())
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


def is_here(event):
    return not event.startswith(("msr/", "software/")) or os.path.isdir("/sys/bus/event_source/devices/" + event.split("/")[0])


def asked():
    """All that is compared as it is asked of the kernel."""
    yield from (("-e", event) for event in EVENTS if is_here(event))
    yield ()
    yield from (("-e", event, *options) for options in OPTIONS for event in ("instructions:u", "cpu-clock,faults"))
    yield from (("-e", "instructions:u", *options) for options in BRANCHES)
    yield from (("-a", "-e", "cpu-clock"), ("-C", "0", "-e", "task-clock:k"))
    if TRACEPOINTS:
        for options in ((), ("-F", "99"), ("-c", "10"), ("-g",), ("--call-graph", "dwarf"), ("-a",)):
            yield ("-e", "sched:sched_switch", *options)
        if os.path.exists("/sys/kernel/tracing/events/ftrace/function"):
            yield ("-e", "ftrace:function", "-c", "1")
        yield ("-e", "sched:sched_s*:u,raw_syscalls:sys_enter/call-graph=fp/")


def hardware(env=None):
    """What is decided by whether there are hardware counters."""
    refused = ("r1a2", "instructions:u", "LLC-loads", "instructions:p", "cache-misses:P", "cpu/event=0x76/")
    tap.at_once([functools.partial(refused_alike, "-e", event, env=env) for event in refused] +
                [functools.partial(named_alike, *options, env=env) for options in HARDWARE])
    by_nobody(("-e", "cycles"), ("-e", "cycles:k"), (), env=env)


def by_nobody(*cases, env=None):
    """One after the other: a user's recorders share what rings he may have."""
    for options in cases:
        named_alike(*options, user=NOBODY, env=env)


if not registers.ALL:
    tap.skip("the registers of samples", registers.REASON)
tap.at_once([functools.partial(compare, *options) for options in asked()])
tap.at_once([functools.partial(refused_alike, "-e", event) for event in
             ("nope", "nope:nope", "cpu-clock:q", "cpu/foo=1/", "cpu-clock/foo=1/", "", "cpu-clock,")] +
            [functools.partial(refused_alike, "-e", "cpu-clock", *options) for options in
             (("-F", "10", "-c", "10"), ("--call-graph", "foo"), ("-F", "0"), ("-F", "100000000", "--strict-freq"))])
os.chmod(tap.scratch, 0o777)
hardware()
if tap.is_counted("cycles"):
    compare(env=tap.without_pmu())
    hardware(tap.without_pmu())
else:
    tap.skip("the same without hardware counters", "that is what was compared: this machine has none")

tap.at_once([functools.partial(named_alike, "-e", events) for events in
             ("cpu-clock", "cpu-clock:u,faults", "cpu-clock/freq=100/u", "cpu-clock/name=ticks/,cs:k")])
if TRACEPOINTS:
    named_alike("-e", "sched:sched_s*")
    named_alike("-e", "raw_syscalls:*:u", "-e", "sched:sched_switch")
by_nobody(("-e", "cpu-clock"), ("-e", "cpu-clock,faults:u"), ("-e", "cpu-clock/name=x/"))
tap.done()
