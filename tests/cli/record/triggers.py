#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Triggers: an event that fires, and pressure, finish a directory or end the recording by themselves.

A process makes numbered calls; the trigger is the one with a certain number. The directory that it finishes has that call.
"""
import glob
import itertools
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_srcdir"], "tests", "support"))
import caller  # noqa: E402
import tap  # noqa: E402

MODES = [["--switch-output"], ["--overwrite"], ["-M", "8M"]]
WAYS = [[], ["-a", "-z", "--threads=cpu"], ["--threads=numa", "--io=pwrite", "-z0"]]
CALLS = 400
NUMBER = 100
CALLER = f"""
import os, sys, time
for number in range(1, {CALLS} + 1):
    try:
        os.getpriority(os.PRIO_PROCESS, {caller.BASE} + number)
    except OSError:
        pass
    time.sleep(float(sys.argv[1]))
time.sleep(float(sys.argv[2]))
"""


def record(name, *options, pause="0.0002", rest="0"):
    out = tap.path(name)
    result = tap.run(tap.TSTREAM, "record", "-e", caller.EVENT, "--filter", caller.OWN, "-o", out, *options, "--",
                     sys.executable, "-c", CALLER, pause, rest)
    return out, result


def directories(out):
    return sorted(glob.glob(out + ".2*"))


def calls_in(directory):
    """Numbers and times in seconds."""
    script = tap.run(tap.TSTREAM, "script", "-F", "time,trace", "-i", directory)
    found = re.findall(rf"^\s*(\d+\.\d+):.* {caller.WHO}", script.out, re.M)
    return {caller.number_of(who): float(time) for time, who in found if caller.number_of(who)}


def rotation_of(directory):
    with open(os.path.join(directory, "tstream.json")) as file:
        return json.load(file)["rotation"]


def fires_at(*numbers):
    return ["--switch-output-event", caller.EVENT, "--filter", " || ".join(f"who == {caller.BASE + n}" for n in numbers)]


def check_event():
    for number, (mode, how) in enumerate(itertools.product(MODES, WAYS)):
        row = mode + how
        out, result = record(f"event{number}", *fires_at(NUMBER), *row)
        finished = [path for path in directories(out) if "cause" in rotation_of(path)]
        cause = rotation_of(finished[0])["cause"] if finished else {}
        calls = calls_in(finished[0]) if finished else {}
        tap.ok(result.status == 0 and len(finished) == 1 and (cause["kind"], cause["what"]) == ("event", caller.EVENT),
               f"{' '.join(row)}: the event finishes a directory", f"{directories(out)} {cause}\n{result.err}")
        tap.ok(NUMBER in calls, "which has the event that asked for it", f"{min(calls, default=0)} to {max(calls, default=0)}")
    out, result = record("never", *fires_at(CALLS + 1))
    tap.ok(result.status == 0 and len(directories(out)) == 1, "one that its filter leaves out does not", result.err)


def check_interval():
    out, result = record("often", *fires_at(NUMBER, NUMBER + 1, NUMBER + 150), "--min-interval=1h")
    tap.ok(result.status == 0 and len(directories(out)) == 2, "--min-interval: of three only the first", f"{directories(out)}\n{result.err}")


def check_after():
    out, result = record("after", *fires_at(NUMBER), "--after=50ms", pause="0.001")
    finished = directories(out)[0]
    time = calls_in(finished).get(NUMBER, 0)
    tap.ok(result.status == 0 and time and rotation_of(finished)["end_ns"] / 1e9 >= time + 0.05,
           "--after: the cut is so much later", f"{time} {rotation_of(finished)}\n{result.err}")


def check_stop():
    out, result = record("stopped", *fires_at(NUMBER - 50), "--min-interval=1h", "--trigger", f"event:{caller.EVENT}:stop",
                         "--filter", f"who == {caller.BASE + NUMBER}", rest="60")  # it is the recording that ends first
    last = directories(out)[-1]
    with open(os.path.join(last, "tstream.json")) as file:
        ended_by = json.load(file)["ended_by"]
    tap.ok(ended_by == "trigger" and f"{caller.EVENT}: the recording ends" in result.err and NUMBER in calls_in(last),
           "an event ends a recording, also soon after another that asks for a snapshot", f"{ended_by} {result.err}")


def check_pressure():
    """Two loops on one CPU wait for each other."""
    out = tap.path("pressure")
    cpu = min(os.sched_getaffinity(0))
    loops = [subprocess.Popen([sys.executable, "-c", f"import os\nos.sched_setaffinity(0, [{cpu}])\nwhile True: pass"]) for _ in range(2)]
    try:
        result = tap.run(tap.TSTREAM, "record", "-e", "cpu-clock:u", "-o", out, "--trigger=psi:cpu:1ms/2s:stop", "--", "sleep", "60")
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    if "does not measure pressure" in result.err or "the kernel refuses it" in result.err:
        return tap.skip("pressure ends a recording", result.err.splitlines()[0])
    with open(os.path.join(out, "tstream.json")) as file:
        ended_by = json.load(file)["ended_by"]
    tap.ok(ended_by == "trigger" and "psi:cpu:1ms/2s:stop" in result.err, "pressure ends a recording", f"{ended_by} {result.err}")


def check_hint():
    """1.5 s is no multiple of 2 s: the kernel refuses it, or the whole file, without CAP_SYS_RESOURCE."""
    without = [] if os.geteuid() else ["setpriv", "--bounding-set", "-sys_resource"]
    if without and not shutil.which("setpriv"):
        return tap.skip("the hint about pressure", "setpriv is not installed")
    result = tap.run(*without, tap.TSTREAM, "record", "-e", "cpu-clock:u", "--trigger=psi:cpu:1ms/1500ms", "-o", tap.path("none"), "--", "true")
    if "does not measure pressure" in result.err:
        return tap.skip("the hint about pressure", result.err.splitlines()[0])
    tap.ok(result.status == 1 and "CAP_SYS_RESOURCE" in result.err.partition("hint: ")[2],
           "pressure: the hint names the capability that is missing", result.err)


def check_refusals():
    for value in ["psi:disk:1ms/1s", "psi:cpu:1ms", "psi:cpu:2s/1s", "psi:cpu:1ms/1s:dance", "tea", "events:faults", "psi:io:/1s"]:
        result = tap.run(tap.TSTREAM, "record", "--trigger", value, "-o", tap.path("none"), "--", "true")
        tap.ok(result.status == 2 and f"cannot use --trigger '{value}'" in result.err, f"--trigger={value} is refused", result.err)
    result = tap.run(tap.TSTREAM, "record", "--switch-output-event", "nosuch:event", "-o", tap.path("none"), "--", "true")
    tap.ok(result.status != 0 and "nosuch:event" in result.err and not os.path.exists(tap.path("none")), "so is an unknown event", result.err)


caller.skip_all_where_impossible()
check_event()
check_interval()
check_after()
check_stop()
check_pressure()
check_hint()
check_refusals()
tap.done()
