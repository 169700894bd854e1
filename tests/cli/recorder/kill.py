#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 at random moments: what was written is readable, by perf too, and complete up to --flush.

Two pinned producers number their system calls. After the kill every call older than --flush must be in the
capture, and none between the first and the last may be missing or out of order. A machine whose CPUs or disk are busy writes
late, or loses calls: a kill that finds calls missing at the end, or as many in between as are told as lost, is tried again,
and fails when that is so TRIES times in a row. Every combination of sink, place and compression is killed KILLS times
(environment; 2 by default and once more on tmpfs: 26 in all; some thousands in a long run).
"""
import functools
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import producers  # noqa: E402
import tap  # noqa: E402

KILLS = int(os.environ.get("KILLS", "2"))
WITHIN_S = float(os.environ.get("KILL_WITHIN_S", "0.2"))  # of its first samples: any moment of two times --flush
RATE = os.environ.get("KILL_RATE", "60")  # calls a millisecond and producer
FLUSH_NS = 100_000_000
TRIES = 5
READ_AT_ONCE = 5  # captures that are kept until they are read
# perf says that something was lost; whether that was one of the numbered calls is judged by their numbers.
LOST = re.compile(r"Warning:\nProcessed \d+ events and lost \d+ chunks!\n\nCheck IO/CPU overload!\n")
SEED = int(os.environ.get("SEED", str(random.randrange(1 << 30))))
random.seed(SEED)


def samples_are_coming(capture, is_compressed):
    """Side-band comes first and is little: a stream that grew to this has samples."""
    enough = 1 << 17 if is_compressed else 1 << 19
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            if all(os.path.getsize(os.path.join(capture, name)) > enough for name in ("data.0", "data.1")):
                return True
        except OSError:
            pass
        time.sleep(0.01)
    return False


def check_readers(capture):
    """Both readers take it, silently but for losses, and print the same number of lines; returns the text, how many are told as
    lost, a complaint."""
    ours = subprocess.run([tap.TSTREAM, "script", "-i", capture], capture_output=True, text=True)
    lost = tap.lost_said(ours.stderr)
    if ours.returncode or tap.but_losses(ours.stderr):
        return ours.stdout, lost, "tstream script: status %d, %s" % (ours.returncode, ours.stderr.strip()[:200])
    if tap.PERF:
        perf = subprocess.run([tap.PERF, "script", "-F", "comm,tid,time", "-i", capture], capture_output=True, text=True)
        if perf.returncode or LOST.sub("", perf.stderr).strip():
            return ours.stdout, lost, "perf script: status %d, %s" % (perf.returncode, perf.stderr.strip()[:200])
        if len(perf.stdout.splitlines()) != len(ours.stdout.splitlines()):
            return ours.stdout, lost, "perf prints another number of lines"
    return ours.stdout, lost, None


def check_numbers(text, lost, callers, at_ns):
    """A complaint, or None; and whether all calls were there in time."""
    calls, in_time, missing = producers.calls_by_producer(text), True, 0
    for pid, last in callers.last_before(at_ns - FLUSH_NS).items():
        numbers = calls.get(pid, [])
        if not numbers:
            return "no call of a producer", False
        if any(a >= b for a, b in zip(numbers, numbers[1:])):
            return "calls are there twice, or in another order", False
        missing += numbers[-1] - numbers[0] + 1 - len(numbers)
        in_time = in_time and numbers[-1] >= last
    if missing > lost:
        return "%d calls are missing in between, and %d are told as lost" % (missing, lost), False
    return None, in_time and not missing


def kill_once(folder, options):
    """Who made calls and when the recorder was killed; or a complaint."""
    capture = os.path.join(folder, "cap")
    callers = producers.Producers(folder, RATE)
    recorder = subprocess.Popen([tap.TSTREAM, "record", "-q", "-a", "-e", producers.EVENT, "-k", "mono",
                                 "--flush=100ms", "--threads=cpu", "-m", "4M", "-o", capture] + options,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        if not samples_are_coming(capture, "-z" in options):
            recorder.terminate()
            return None, "nothing was recorded: " + recorder.communicate(timeout=20)[1].strip()
        time.sleep(random.uniform(0.0, WITHIN_S))
        at_ns = producers.monotonic_ns()
        recorder.send_signal(signal.SIGKILL)
        recorder.wait()
        recorder.stderr.close()
    finally:
        callers.end()
    return (callers, at_ns), None


def read_once(folder, killed, complaint):
    """A complaint, or None; and whether the last calls were there in time."""
    if not complaint:
        text, lost, complaint = check_readers(os.path.join(folder, "cap"))
    return (complaint, False) if complaint else check_numbers(text, lost, *killed)


def kill_some(folder, options, kills):
    """Kills one after the other, then reads the captures at once: what read_once() says of each, in folders 0, 1..."""
    folders = [os.path.join(folder, str(number)) for number in range(kills)]
    killed = []
    for each in folders:
        os.mkdir(each)
        killed.append(kill_once(each, options))
    return tap.at_once([functools.partial(read_once, each, *how) for each, how in zip(folders, killed)])


def kill_many(place, options, kills):
    good = late_in_a_row = round_number = 0
    while good < kills and late_in_a_row < TRIES:
        folder = tempfile.mkdtemp(prefix="tstream-kill.", dir=place)
        is_kept = False
        try:
            for number, (complaint, in_time) in enumerate(kill_some(folder, options, min(kills - good, READ_AT_ONCE))):
                good += in_time
                late_in_a_row = 0 if in_time else late_in_a_row + 1
                round_number += 1
                if complaint:
                    is_kept = bool(os.environ.get("KEEP"))
                    return "round %d, seed %d: %s%s" % (round_number, SEED, complaint, f" in {folder}/{number}" if is_kept else "")
        finally:  # told to end, too
            if not is_kept:
                shutil.rmtree(folder, True)
    return None if good == kills else "calls older than --flush are missing after %d kills in a row" % late_in_a_row


def is_recordable():
    probe = subprocess.run([tap.TSTREAM, "record", "-q", "-a", "-e", producers.EVENT, "-o", "/dev/null", "true"],
                            capture_output=True, text=True)
    return None if probe.returncode == 0 else probe.stderr.strip().splitlines()[0]


def main():
    reason = is_recordable()
    places = [(os.environ.get("TMPDIR", "/tmp"), ""), (os.environ.get("TMPDIR", "/tmp"), ",buffered"), ("/dev/shm", "")]
    for sink in ("uring", "pwrite"):
        for place, suffix in places:
            for extra in ([], ["-z"]):
                options = ["--io=" + sink + suffix] + extra
                kills = KILLS + (place == "/dev/shm" and not extra)  # 26 in all
                name = "survives %d kills in %s with %s" % (kills, place, " ".join(options))
                if reason:
                    tap.skip(name, reason)
                elif not os.path.isdir(place):
                    tap.skip(name, "%s is not there" % place)
                else:
                    complaint = kill_many(place, options, kills)
                    tap.ok(complaint is None, name, complaint or "")
    tap.done()


main()
