#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Three recorders at once, and perf beside them, while BPF programs are loaded: each capture is sound and perf reads it.

The kernel makes the records of such programs longer for each of several listeners, and leaves what the ring held before behind them
(docs/decisions/0146-lengthened-records.md). So that this is not zeros, rings go round once before.
"""
import ctypes
import functools
import glob
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_srcdir"], "tests", "support"))
import tap  # noqa: E402

BPF_OUTPUT = os.path.join(os.environ["abs_builddir"], "tests/programs/bpf_output")
RECORDERS = 3
PROGRAMS = 20
EVENTS = ["-a", "-e", "cpu-clock", "-F", "99"]
FLUSH_S = 10  # longer than any of these recordings: nothing may have waited so long
MODES = [
    ("default", [], None),
    ("-z", ["-z"], None),
    ("--switch-output", ["--switch-output"], signal.SIGUSR2),
    ("--switch-output -z", ["--switch-output", "-z"], signal.SIGUSR2),
    ("--overwrite", ["--overwrite"], signal.SIGUSR2),
    ("-M", ["-M", "64M"], signal.SIGUSR1),
]
CPUS = sorted(os.sched_getaffinity(0))[:2]
RECORD_BYTES = 56  # of a COMM, at least
RING_BYTES = 512 << 10  # of side-band, at most
BURST = 200  # records that any ring has room for
LIMIT_S = 60
PR_SET_NAME = 15


class Recorder:
    """A recorder that is at it: its command says so, and goes on until end()."""

    def __init__(self, *command):
        self.process = subprocess.Popen([*command, "--", "sh", "-c", "echo; exec cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def end(self):
        err = self.process.communicate("", timeout=LIMIT_S)[1]
        return self.process.returncode, err


def go_round():
    """Names a thread so often that each ring of side-band has gone round."""
    libc = ctypes.CDLL(None)
    for cpu in CPUS:
        os.sched_setaffinity(0, {cpu})
        for i in range(RING_BYTES * 5 // 4 // RECORD_BYTES):
            libc.prctl(PR_SET_NAME, b"renamed-%d" % i)
            if i % BURST == 0:
                time.sleep(0.002)
    os.sched_setaffinity(0, CPUS)


def load(name):
    result = tap.run(BPF_OUTPUT, "load_named", name, str(PROGRAMS))
    if result.status:
        tap.skip_all(result.err)


def finished(capture):
    return sorted(path for path in glob.glob(capture + ".2*") if not path.endswith((".new", ".old")))


def ask(recorders, captures, which):
    """Each saves what it has, and does so by the time that this returns."""
    for recorder in recorders:
        recorder.process.send_signal(which)
    end = time.monotonic() + LIMIT_S
    while not all(map(finished, captures)) and time.monotonic() < end:
        time.sleep(0.01)


def record(number, options, which):
    """The captures of each recorder, and perf's. Programs before_N are loaded before the signal, after_N behind it."""
    captures = [tap.path(f"mode{number}-{i}") for i in range(RECORDERS)]
    theirs = tap.path(f"mode{number}-perf")
    recorders = [Recorder(tap.TSTREAM, "record", "-q", *EVENTS, f"--flush={FLUSH_S}s", *options, "-o", capture) for capture in captures]
    perf = Recorder(tap.PERF, "record", "-q", *EVENTS, "-o", theirs) if tap.PERF else None
    go_round()
    load("before_")
    if which:
        ask(recorders, captures, which)
        load("after_")
    ends = [recorder.end() for recorder in recorders]
    if perf:
        perf.end()
    tap.ok(all(status == 0 for status, _ in ends), f"{MODES[number][0]}: they record", ends)
    return [finished(capture) + [capture] * os.path.exists(capture) for capture in captures], theirs


def p99(capture):
    """How long at most records of each writer have waited, in seconds; merged ones do not tell."""
    with open(os.path.join(capture, "tstream.json")) as file:
        writers = json.load(file)["writers"]
    return [writer["lag"]["p99_ns"] / 1e9 for writer in writers if "lag" in writer]


def scripted(capture):
    return tap.run("timeout", "60", tap.PERF, "script", "--show-bpf-events", "-i", capture)


def programs_in(text):
    """Names of programs whose symbol and whose loading perf shows."""
    return set(re.findall(r"PERF_RECORD_KSYMBOL .* name bpf_prog_[0-9a-f]+_(before_\d+|after_\d+)", text))


def wrong_in(capture, name, known):
    """What is wrong with it: it is sound, nothing waited too long, and perf reads it with the names of the programs."""
    check = tap.run(tap.TSTREAM, "check", "-i", capture)
    ours = tap.run(tap.TSTREAM, "script", "--show-bpf-events", "-i", capture)
    wanted = {f"{name}{i}" for i in range(PROGRAMS)}
    wrong = [check.out + check.err] if check.status else []
    wrong += [f"waited for {lag} s" for lag in p99(capture) if lag >= FLUSH_S]
    if not programs_in(ours.out) >= wanted or tap.but_losses(ours.err):
        wrong.append(f"tstream script: {sorted(wanted - programs_in(ours.out))} {ours.err}")
    if not tap.PERF:
        return wrong
    perf = scripted(capture)
    more = set(tap.but_losses(perf.err).splitlines()) - known
    if perf.status or more or not programs_in(perf.out) >= wanted:
        wrong.append(f"perf script: {perf.status} {more} {sorted(wanted - programs_in(perf.out))}")
    if not tap.perf_counts(capture):
        wrong.append("perf report --stats")
    return wrong


def check_mode(number, options, which):
    what = MODES[number][0]
    captures, theirs = record(number, options, which)
    known = set(tap.but_losses(scripted(theirs).err).splitlines()) if tap.PERF else set()
    nr = 2 if which == signal.SIGUSR2 else 1  # -M saves nothing at its end
    tap.ok(all(len(found) >= nr for found in captures), f"{what}: each has its captures", captures)
    checks = []
    for found in captures:
        checks.append(functools.partial(wrong_in, found[0], "before_", known))
        if nr > 1 and len(found) > 1:
            checks.append(functools.partial(wrong_in, found[-1], "after_", known))
    for i, wrong in enumerate(tap.at_once(checks)):
        tap.ok(not wrong, f"{what}: capture {i} is sound, and perf reads it with the names of all programs", "\n".join(wrong))


if not tap.can_record_all():
    tap.skip_all("needs the right to record everything")
with open("/proc/sys/net/core/bpf_jit_enable") as setting:
    if setting.read().strip() == "0":
        tap.skip_all("programs have no symbols where they are not compiled")
load("tried_")
for number, (_, options, which) in enumerate(MODES):
    check_mode(number, options, which)
tap.done()
