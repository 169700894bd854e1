#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A capture is read while it is being recorded: without complaint, with a note, and whole up to the time that the note names; and
--last reads the end of a capture and nothing else.

The recorder of made captures is played by a lock on their directory."""
import contextlib
import fcntl
import os
import re
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

SUPPORT = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs")
LAY = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/lay_capture")
LIMIT_S = 60
CALL = re.compile(r"NR \d+ \(ffffffff, ([0-9a-f]+),")
NOTE = r"tstream: note: \S+ is being recorded: read (up to \d+\.\d{6} s|as far as it is written)\n"
READERS = [["report"], ["report", "--stats"], ["report", "--loss"], ["report", "-D"], ["report", "--last=1s"], ["script"],
           ["script", "--last", "10s"], ["report", "--header-only"]]


@contextlib.contextmanager
def held(capture):
    """As a recorder holds it."""
    fd = os.open(capture, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(fd)


def check_readers(capture, sentence, stretch):
    """There must be samples in that stretch of time."""
    complaints = []
    for command in [*READERS, ["report", "--time", stretch]]:
        result = tap.run(tap.TSTREAM, command[0], "-i", capture, *command[1:])
        if result.status or not result.out or not re.fullmatch(NOTE, result.err):
            complaints.append(f"{command}: {result.status}, {result.err!r}, {len(result.out)} characters")
    result = tap.run(tap.TSTREAM, "check", capture)
    if result.status or result.err or "sound (it is being recorded)" not in result.out:
        complaints.append(f"check: {result.status}, {result.err!r}, {result.out!r}")
    tap.ok(not complaints, sentence, "\n".join(complaints))


def check_made():
    capture = tap.path("made")
    laid = tap.run(LAY, capture, "plain")
    if laid.status:
        tap.skip("a made capture is read while its directory is locked", laid.err or laid.out)
        return
    for name in ("data.0", "data.1"):  # long ago: all of it is there
        os.utime(os.path.join(capture, name), (1e9, 1e9))
    whole = tap.run(tap.TSTREAM, "script", "-i", capture)
    tap.ok(not whole.err and whole.out, "no recorder, no note", whole.err)
    with held(capture):
        check_readers(capture, "every command reads it while it is locked, with a note and nothing else", "10%-20%")
        tap.equal(tap.run(tap.TSTREAM, "script", "-i", capture).out, whole.out, "all of it, as nothing was written for long")
        quiet = tap.run(tap.TSTREAM, "report", "-q", "-i", capture)
        tap.equal((quiet.status, quiet.err), (0, ""), "-q silences the note")
        later = time.time() + 3600
        for name in ("data.0", "data.1"):  # as if written after it was opened: nothing is there for sure
            os.utime(os.path.join(capture, name), (later, later))
        cut = tap.run(tap.TSTREAM, "script", "-i", capture)
        tap.equal((cut.status, cut.out), (0, ""), "what is younger than --flush is left out")
    half = os.path.join(capture, "data.1")
    os.truncate(half, os.path.getsize(half) // 2 & ~7)
    with held(capture):
        result = tap.run(tap.TSTREAM, "report", "--stats", "-i", capture)
        tap.ok(result.status == 0 and re.fullmatch(NOTE, result.err), "a stream that ends amidst a chunk is no damage", result.err)


def check_last():
    """The last second of ten; whoever reads more finds holes."""
    for kind in ("complete", "killed"):
        capture = tap.path(f"last-{kind}")
        made = tap.run(os.path.join(SUPPORT, "large_capture"), capture, "2", "600", "8", "10", "9", kind)
        result = tap.run(tap.TSTREAM, "script", "-v", "-i", capture, "--last=900ms")
        samples = result.out.count("\n")
        tap.ok(result.status == 0 and "damaged" not in result.err and
               0.85 < samples / (2 * 60 * int(made.out)) <= 0.95, f"--last of a {kind} capture reads its end only",
               f"{samples} of {2 * 60 * int(made.out)}: {result.err}")
        first = float(re.search(r" (\d+\.\d{6}): ", result.out).group(1)) if samples else 0
        last = float(re.search(r" (\d+\.\d{6}): ", result.out.splitlines()[-1]).group(1)) if samples else 0
        tap.ok(0.899 <= last - first <= 0.9001, "so long is it", f"{first} to {last}")
        both = tap.run(tap.TSTREAM, "script", "-i", capture, "--last=1s", "--time", "1,2")
        tap.ok(both.status == 2 and "--last and --time" in both.err, "not with --time", both.err)
        for wrong in ("0", "x", "-1s", "1 s"):
            tap.equal(tap.run(tap.TSTREAM, "report", "-i", capture, "--last", wrong).status, 2, f"not --last '{wrong}'")


def highest(path):
    """The highest number that had returned when the producer last said so."""
    with open(path, "rb") as f:
        return max(n for _, n in struct.iter_unpack("<QQ", f.read()))


def numbers(capture):
    """Of the calls that are read now; and what was wrong."""
    result = tap.run(tap.TSTREAM, "script", "-i", capture)
    got = [int(n, 16) for n in CALL.findall(result.out)]
    if result.status or not re.fullmatch(NOTE, result.err):
        return got, f"status {result.status}: {result.err}"
    if got != list(range(got[0], got[0] + len(got))) if got else False:
        return got, "calls are missing or out of order"
    return got, None


def second_half(capture):
    """From the sample in the middle on, for --time."""
    times = re.findall(r" (\d+\.\d{6}): ", tap.run(tap.TSTREAM, "script", "-i", capture).out)
    return times[len(times) // 2] + "," if times else "0,"


def read_until(capture, is_enough):
    """Reads it again and again until then; a complaint, or None."""
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        if os.path.exists(capture):
            got, complaint = numbers(capture)
            if complaint:
                return complaint
            if is_enough(got):
                return None
        time.sleep(0.05)
    return "it did not come about"


def check_recorder():
    if not tap.can_record_all() or not os.path.isdir("/sys/kernel/tracing/events/raw_syscalls"):
        tap.skip("a running recorder", "needs the right to record tracepoints")
        return
    capture, progress = tap.path("live"), tap.path("progress")
    cpu = str(min(os.sched_getaffinity(0)))
    producer = subprocess.Popen([os.path.join(SUPPORT, "numbered_calls"), cpu, "5", progress])
    recorder = subprocess.Popen([tap.TSTREAM, "record", "-q", "-e", "raw_syscalls:sys_enter", "-m", "8M", "--flush=50ms",
                                 "-p", str(producer.pid), "-o", capture], stderr=subprocess.PIPE, text=True)
    try:
        complaint = read_until(capture, lambda got: len(got) > 100)
        tap.ok(not complaint, "a capture is read while it grows", complaint)
        os.kill(producer.pid, signal.SIGSTOP)
        complaint = read_until(capture, lambda got: got and got[-1] >= highest(progress))
        tap.ok(not complaint, "up to the last call, without the recorder's end", complaint)
        # A busy machine may have given the producer no CPU in a tenth of the time.
        check_readers(capture, "every command reads it", second_half(capture))
    finally:
        recorder.kill()
        err = recorder.communicate()[1]
        producer.kill()
        producer.wait()
    dead = tap.run(tap.TSTREAM, "script", "-i", capture)
    tap.ok(dead.status == 0 and not dead.err and CALL.search(dead.out), "once it is killed there is no note", err + dead.err)


check_made()
check_last()
check_recorder()
tap.done()
