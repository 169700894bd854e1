#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--overwrite: rings keep the newest samples, and a signal saves them into a directory of their own.

A process makes numbered calls, many more than a ring holds, before each signal. In every directory the numbers ascend without a
gap, but for those that the kernel had while a ring was paused, and the last call before the signal is there; none is in two of
them. Each is sound, tells how much was overwritten, and is read alike by perf.
"""
import glob
import json
import os
import re
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_srcdir"], "tests", "support"))
import caller
import tap

DUMPS = 3
CALLS = 3000  # a ring of 64K holds 600
LIMIT_S = 60
ROWS = [
    ["--overwrite", "--switch-output"],
    ["--overwrite", "-a", "-z", "--threads=cpu", "--io=pwrite"],
    ["--overwrite", "-g", "--threads=numa", "--switch-output=1d", "--switch-max-files=9"],
]


def directories(capture):
    return sorted(path for path in glob.glob(capture + ".2*") if not path.endswith((".new", ".old")))


def note_of(directory):
    with open(os.path.join(directory, "tstream.json")) as file:
        return json.load(file)


def dump(recorder, capture, which, nr):
    recorder.process.send_signal(which)
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        if len(directories(capture)) >= nr:
            return
        time.sleep(0.01)
    recorder.process.kill()
    sys.exit(f"no dump in {LIMIT_S} s")


def record(capture, row):
    """Where the calls had got to at each dump, the end included."""
    recorder = caller.Recorder(tap.TSTREAM, capture, "--filter", caller.OWN, "-m", "64K", *row)
    ends = []
    for i in range(DUMPS):
        recorder.call(CALLS)
        ends.append(recorder.calls)
        dump(recorder, capture, signal.SIGUSR1 if i % 2 else signal.SIGUSR2, i + 1)
    recorder.call(CALLS)
    ends.append(recorder.calls)
    recorder.end()
    return ends, *recorder.join()


def numbers_in(directory):
    result = tap.run(tap.TSTREAM, "script", "-F", "comm,tid,time,event,trace", "-i", directory)
    times = [float(text) for text in re.findall(r"\s(\d+\.\d+): ", result.out)]
    complaints = [line for line in result.err.splitlines() if "no field trace" not in line]  # of the side-band's event
    return caller.numbers_in(result.out), times, "\n".join(complaints)


def wrong_in(directory, number, end):
    """What is wrong with it, by itself."""
    note, (numbers, times, complaints) = note_of(directory), numbers_in(directory)
    check = tap.run(tap.TSTREAM, "check", "-i", directory)
    rings = [ring for ring in note["rings"] if ring["kind"] == "overwrite"]
    past = max(rings, key=lambda ring: ring["overwritten_bytes"], default={})
    wrong = []
    if check.status or complaints or note["state"] != "complete" or note["rotation"]["number"] != number:
        wrong.append(f"{note['state']} {note['rotation']} {check.out}{check.err}{complaints}")
    if not numbers or numbers != list(range(numbers[0], end + 1)):
        wrong.append(f"up to {end}: {numbers[:5]}..{numbers[-5:]}")
    if times != sorted(times):
        wrong.append("out of order")
    if not past.get("overwritten_bytes") or not 0 < past["kept_from_ns"] < past["kept_until_ns"] or len(numbers) > CALLS // 2:
        wrong.append(f"{past}, {len(numbers)} calls")
    if tap.PERF:
        ours, perf = (tap.run("timeout", "60", tool, "report", "--stats", "-i", directory) for tool in (tap.TSTREAM, tap.PERF))
        if (ours.status, ours.out) != (perf.status, perf.out):
            wrong.append(f"{perf.out}{perf.err}\n{ours.out}{ours.err}")
    return wrong


def check_row(number, row):
    capture = tap.path(f"row{number}")
    ends, status, err = record(capture, row)
    found = directories(capture) + [capture] * os.path.exists(capture)
    is_stamped = not os.path.exists(capture)
    name = " ".join(row)
    tap.equal(status, 0, f"{name}: it ends well")
    tap.ok(len(found) == DUMPS + 1 and is_stamped == ("--switch-output" in name),
           "a directory a dump, and the last has a stamp with --switch-output alone", f"{found}\n{err}")
    wrong = [text for i, directory in enumerate(found) for text in wrong_in(directory, i, ends[i])]
    tap.ok(not wrong, "each has the newest calls without a gap, and is read alike by perf", "\n".join(wrong))


def check_mixed():
    """An event that is overwritten beside one that is not: both go on across dumps."""
    capture = tap.path("mixed")
    result = tap.run(tap.TSTREAM, "record", "-e", "raw_syscalls:sys_enter/overwrite/", "-e", caller.EVENT, "-m", "16K",
                     "-o", capture, "--", "sh", "-c", sys.executable + f""" -c 'import os
for i in range(2000):
    try: os.getpriority(os.PRIO_PROCESS, i + {caller.BASE})
    except OSError: pass'""")
    note = note_of(capture)
    drained, _, complaints = numbers_in(capture)
    kinds = sorted({ring["kind"] for ring in note["rings"]})
    past = sum(ring.get("overwritten_bytes", 0) for ring in note["rings"])
    lost = note["ledger"]["lost"]
    tap.equal(result.status, 0, "/overwrite/ beside an event that is drained")
    tap.equal(kinds, ["overwrite", "samples", "sideband"], "three rings a CPU")
    tap.ok(len(drained) + lost["ring_full"] + lost["disk"] >= 1999 and past > 0 and
           not tap.but_losses(complaints),
           "the other loses nothing by it", f"{len(drained)} {lost} {past} {complaints}\n{result.err}")
    result = tap.run(tap.TSTREAM, "record", "--overwrite", "-e", "cpu-clock/no-overwrite/", "-o", capture, "--", "true")
    tap.ok(result.status == 0 and "overwrite" not in {ring["kind"] for ring in note_of(capture)["rings"]},
           "/no-overwrite/ goes before --overwrite", result.err)


caller.skip_all_where_impossible()
for number, row in enumerate(ROWS):
    check_row(number, row)
check_mixed()
tap.done()
