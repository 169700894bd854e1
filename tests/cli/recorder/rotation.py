#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--switch-output: a recording that goes on in another directory loses nothing and has nothing twice.

A process makes numbered calls while the recorder is told to go on. Their numbers in all directories, in the order of the
directories, are the numbers that were made; each directory is sound, has the times between its two cuts, is read alike by
perf, and names the process, which started before the first cut.
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

CUTS = 3
CALLS = 500  # between two looks at whether a cut was made
DENSE = 200  # looks without a pause, so that the calls around a cut are close together
LIMIT_S = 60
ROWS = [
    ["--io=uring"],
    ["--io=pwrite", "-z", "--threads=cpu"],
    ["--io=uring,buffered", "-z", "--threads=numa", "--sync=1s", "--flush=20ms"],
    ["--io=pwrite,buffered", "-a", "--threads=cpu"],
    ["-a", "-z", "--io=uring", "-k", "mono_raw", "--sync=100ms"],
]


def directories(capture):
    """Those that have ended, in the order in which they did."""
    return sorted(path for path in glob.glob(capture + ".2*") if not path.endswith((".new", ".old")))


def note_of(directory):
    with open(os.path.join(directory, "tstream.json")) as file:
        return json.load(file)


def call_until(recorder, capture, nr):
    """Calls go on until there are so many finished directories, on a slow disk with pauses."""
    end, looks = time.monotonic() + LIMIT_S, 0
    while time.monotonic() < end:
        recorder.call(CALLS)
        if len(directories(capture)) >= nr:
            return
        looks += 1
        time.sleep(0.01 if looks > DENSE else 0)
    recorder.process.kill()
    sys.exit(f"no directory was finished in {LIMIT_S} s")


def record(capture, row, cuts=CUTS):
    recorder = caller.Recorder(tap.TSTREAM, capture, "-m", "1M", "--switch-output", *row)
    recorder.call(CALLS)
    for i in range(cuts):
        recorder.process.send_signal(signal.SIGUSR1 if i % 2 else signal.SIGUSR2)
        call_until(recorder, capture, i + 1)
    return recorder


def calls_in(directory):
    """Names, times and numbers of the calls, in the order of time."""
    result = tap.run(tap.TSTREAM, "script", "-F", "comm,tid,time,trace", "-i", directory)
    lines = re.findall(rf"^\s*(\S.*?)\s+\d+\s+(\d+\.\d+):.* {caller.WHO}", result.out, re.M)
    return [(comm, float(time), caller.number_of(who)) for comm, time, who in lines if caller.number_of(who)]


def wrong_times(calls, rotation):
    """Calls that are not between the cuts of their directory, as far as a microsecond tells."""
    begin, end = rotation.get("begin_ns", 0) / 1e9 - 2e-6, rotation.get("end_ns", 1 << 63) / 1e9 + 2e-6
    return [call for call in calls if not begin <= call[1] <= end]


def wrong_statistics(directory):
    ours = tap.run(tap.TSTREAM, "report", "--stats", "-i", directory)
    perf = tap.run("timeout", "60", tap.PERF, "report", "--stats", "-i", directory) if tap.PERF else ours
    return None if (ours.status, ours.out) == (perf.status, perf.out) else f"{perf.out}{perf.err}\n{ours.out}{ours.err}"


def check_directory(directory, number, calls):
    """What is wrong with it, by itself."""
    note = note_of(directory)
    sound = tap.run(tap.TSTREAM, "check", "-i", directory)
    names = {comm for comm, _, _ in calls}
    wrong = []
    if sound.status or note["state"] != "complete":
        wrong.append(f"{note['state']}: {sound.out}{sound.err}")
    cause, signal_name = note["rotation"].get("cause", {}), f"SIGUSR{1 if number % 2 else 2}"
    if number < CUTS and (cause.get("kind"), cause.get("what")) != ("signal", signal_name):
        wrong.append(f"{signal_name} asked for it: {cause}")
    if number == CUTS and cause:
        wrong.append(f"nothing asked for the last one: {cause}")
    if note["rotation"]["number"] != number or wrong_times(calls, note["rotation"]):
        wrong.append(f"{note['rotation']}: {wrong_times(calls, note['rotation'])[:3]}")
    if not calls or any(name.startswith(":") for name in names):
        wrong.append(f"names: {names}")
    return wrong + [text for text in [wrong_statistics(directory)] if text]


def check_row(number, row):
    capture = tap.path(f"row{number}")
    recorder = record(capture, row)
    recorder.end()
    status, err = recorder.join()
    found = directories(capture)
    calls = [calls_in(directory) for directory in found]
    numbers = [call[2] for part in calls for call in part]
    lost = sum(sum(note_of(directory)["ledger"]["lost"].values()) for directory in found)
    missing = recorder.calls - len(numbers)
    wrong = [text for i, directory in enumerate(found) for text in check_directory(directory, i, calls[i])]
    tap.equal(status, 0, f"{' '.join(row)}: it ends well")
    tap.ok(len(found) == CUTS + 1 and not os.path.exists(capture), "as many directories as cuts, and one", f"{found}\n{err}")
    tap.ok(all(a < b for a, b in zip(numbers, numbers[1:])), "no call twice, none out of order", str(numbers[:50]))
    tap.ok(0 <= missing <= lost, "no call is missing that is not accounted for", f"{missing} missing, {lost} lost\n{err}")
    tap.ok(not wrong, "each directory is sound, between its cuts, and read alike by perf", "\n".join(wrong))


def check_bounds():
    """Size and time make cuts; the oldest directories go."""
    capture = tap.path("bounded")
    recorder = caller.Recorder(tap.TSTREAM, capture, "-m", "1M", "--switch-output=64K", "--switch-max-files=2")
    for _ in range(LIMIT_S * 100):
        recorder.call(CALLS)
        found = directories(capture)
        time.sleep(0.001)
        if found and note_of(found[-1])["rotation"]["number"] >= 3:
            break
    recorder.end()
    status, err = recorder.join()
    kept = [note_of(directory)["rotation"]["number"] for directory in directories(capture)]
    tap.ok(status == 0 and len(kept) == 2 and kept[1] == kept[0] + 1 and kept[0] > 1, "the newest two are kept",
           f"{status} {kept}\n{err}")
    capture = tap.path("timed")
    result = tap.run(tap.TSTREAM, "record", "-e", "cpu-clock", "--switch-output=1s", "--keep-bytes=1K", "-o", capture,
                     "--", "sh", "-c", f"until ls {capture}.*[0-9]; do sleep 0.1; done")
    kept = [note_of(directory)["rotation"]["number"] for directory in directories(capture)]
    causes = [note_of(directory)["rotation"].get("cause", {}).get("kind", "end") for directory in directories(capture)]
    tap.ok(result.status == 0 and len(kept) == 1 and kept[0] >= 1 and causes[0] in ("time", "end"), "by time, and only the newest within some bytes",
           f"{kept}\n{result.err}")


def check_kill():
    """What a killed recorder leaves is all sound, and has each call once."""
    capture = tap.path("killed")
    recorder = record(capture, ["--flush=10ms", "-z"], cuts=1)
    recorder.process.send_signal(signal.SIGUSR2)
    recorder.call(CALLS)
    recorder.process.kill()
    recorder.end()
    recorder.join()
    following = capture + ".new"
    is_readable = os.path.exists(os.path.join(following, "data"))
    left = directories(capture) + [capture] * os.path.isdir(capture) + [following] * is_readable
    reports = [tap.run(tap.TSTREAM, "check", "-i", directory) for directory in left]
    numbers = sorted(call[2] for directory in left for call in calls_in(directory))
    tap.ok(len(left) > 1 and all(report.status == 0 for report in reports), "every directory is sound after a kill",
           f"{left}\n" + "".join(report.out + report.err for report in reports))
    tap.equal(len(set(numbers)), len(numbers), "and no call is there twice")
    tap.ok(is_readable or not any(os.path.getsize(path) for path in glob.glob(following + "/data.*")),
           "a directory that is not readable yet has nothing in it", "\n".join(glob.glob(following + "/*")))


def check_stamp():
    """--timestamp-filename alone; SIGUSR2 is nothing to such a recording."""
    capture = tap.path("stamped")
    result = tap.run(tap.TSTREAM, "record", "-e", "cpu-clock", "--timestamp-filename", "-o", capture, "--", "true")
    found = directories(capture)
    tap.ok(result.status == 0 and len(found) == 1 and re.fullmatch(r"stamped\.\d{16}", os.path.basename(found[0])) and
           found[0] in result.err, "the directory gets a stamp", f"{found}\n{result.err}")


caller.skip_all_where_impossible()
for number, row in enumerate(ROWS):
    check_row(number, row)
check_bounds()
check_kill()
check_stamp()
tap.done()
