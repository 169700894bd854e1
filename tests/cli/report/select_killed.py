#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Of a capture whose recorder was killed a time and a CPU select what they select of its whole text, and fewer chunks are read."""
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

CHUNKS = 40
PATIENCE_S = 60
LINE = re.compile(r"\[(\d+)\] +(\d+\.\d{6}): ")


def read(*options):
    result = tap.run(tap.TSTREAM, "script", "-v", "-i", tap.path("cap"), *options)
    match = re.search(r"Read (\d+) of (\d+) chunks", result.err)
    return result.out.splitlines(), [int(n) for n in match.groups()] if match else [0, 0]


def record():
    """Records until there are some chunks, then kills the recorder."""
    capture = tap.path("cap")
    recorder = subprocess.Popen([tap.TSTREAM, "record", "-q", "-e", "raw_syscalls:*", "-a", "--flush=50ms", "-o", capture],
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    end = time.monotonic() + PATIENCE_S
    while recorder.poll() is None and time.monotonic() < end:
        time.sleep(0.2)
        if os.path.exists(capture) and read()[1][1] >= CHUNKS:
            break
    recorder.send_signal(signal.SIGKILL)
    err = recorder.communicate()[1].decode()
    if not os.path.exists(capture) or read()[1][1] < CHUNKS:
        tap.skip_all(f"no {CHUNKS} chunks came about in {PATIENCE_S} s: {err}")


def main():
    if not tap.can_record_all() or not os.path.isdir("/sys/kernel/tracing/events/raw_syscalls"):
        tap.skip_all("needs the right to record tracepoints")
    record()
    lines, (_, of_chunks) = read()
    samples = [(LINE.search(line).groups(), line) for line in lines if LINE.search(line)]
    tap.ok(len(samples) == len(lines) and len(samples) > CHUNKS, "the killed capture is read", lines[:3])
    first = samples[0][0][1]
    cpu = samples[0][0][0]
    wanted = [line for (_, at), line in samples if at <= first]
    got, (chunks, _) = read("--time", f",{first}999")
    tap.equal(got, wanted, "up to the time of its first sample")
    tap.ok(0 < chunks < of_chunks, "not all chunks are read for it", f"{chunks} of {of_chunks}")
    got, _ = read("-C", str(int(cpu)))
    tap.equal(got, [line for (on, _), line in samples if on == cpu], "of a CPU")
    # Its header does not say when samples begin and end, so the chunks do.
    halves = [read("--time", share)[0] for share in ("0%-50%", "50%-100%")]
    tap.ok(all(halves) and halves[0] + halves[1] == lines, "two halves of its time are the whole",
           f"{len(halves[0])} and {len(halves[1])} of {len(lines)}")
    tap.done()


main()
