#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ten times the records are reported, printed and dumped with the same private memory, within a tenth and SLACK_BYTES.

The captures are generated (tests/programs/large_capture.c), FLAT_MOST (2e7) samples the larger one; -D gets a tenth of both. The
smaller ones are large enough that all buffers are in use.
"""
import os
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

LARGE = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/large_capture")
MOST = int(float(os.environ.get("FLAT_MOST", "2e7")))
STREAMS, KIB, SAMPLE_BYTES = 2, 96, 56
SLACK_BYTES = 2 << 20


def private_bytes(pid):
    try:
        found = re.search(r"RssAnon:\s+(\d+)", open(f"/proc/{pid}/status").read())
        return int(found[1]) * 1024 if found else 0
    except OSError:
        return 0


def peak(*words):
    begin = time.monotonic()
    process = subprocess.Popen([tap.TSTREAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most = 0
    while process.poll() is None:
        most = max(most, private_bytes(process.pid))
        time.sleep(0.005)
    print(f"# {' '.join(words)}: {most / 1e6:.1f} MB of private memory, {time.monotonic() - begin:.1f} s")
    return most if not process.returncode else 0


def lay(name, nr):
    capture = tap.path(name)
    chunks = nr // STREAMS // (KIB * 1024 // SAMPLE_BYTES)
    result = tap.run(LARGE, capture, str(STREAMS), str(chunks), str(KIB), "1", "0", "complete", timeout=600)
    if result.status:
        tap.skip_all(f"no capture could be made: {result.err}")
    return capture


def compare(nr, *commands):
    captures = [lay("small", nr // 10), lay("large", nr)]
    for words in commands:
        small, large = (peak(*words, "-i", capture) for capture in captures)
        tap.ok(0 < large <= small * 1.1 + SLACK_BYTES, f"{' '.join(words)}: {nr} samples take the memory of {nr // 10}",
               f"{small} and {large} bytes")
    for capture in captures:
        shutil.rmtree(capture)


def main():
    if shutil.disk_usage(tap.scratch).free < 2 * MOST * SAMPLE_BYTES:
        tap.skip_all(f"{tap.scratch} has no room for {2 * MOST * SAMPLE_BYTES / 1e9:.0f} GB (FLAT_MOST)")
    compare(MOST, ["report"], ["report", "--mem-limit=32M", "-s", "cpu,sym"], ["script"])
    compare(MOST // 10, ["report", "-D"])
    tap.done()


main()
