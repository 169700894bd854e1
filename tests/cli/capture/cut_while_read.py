#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stream that somebody cuts short while it is being read costs a sentence, which names it, and exit status 1, not a signal; what
was printed before stays."""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

LARGE = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/large_capture")
STREAMS, CHUNKS, KIB = 2, 200, 96  # far more than a pipe and what waits for it hold
LIMIT = "64M"
PAGE = 4096
LIMIT_S = 60


def cut_while(*words):
    capture = tap.path("capture")
    made = tap.run(LARGE, capture, str(STREAMS), str(CHUNKS), str(KIB), "1", "0", "complete")
    if made.status:
        tap.skip_all(f"no capture could be made: {made.err}")
    process = subprocess.Popen([tap.TSTREAM, *words, "-i", capture, f"--mem-limit={LIMIT}"], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    begun = process.stdout.read(PAGE)
    os.truncate(os.path.join(capture, "data.0"), PAGE)  # nobody has taken the rest from the pipe
    try:
        _, err = process.communicate(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        err = b"it does not end"
    shutil.rmtree(capture)
    err = err.decode()
    tap.ok(len(begun) == PAGE and process.returncode == 1 and
           re.fullmatch(r"(tstream: note: cannot follow [^\n]*\n)?tstream: cannot read \S+/data\.0 any further: it was cut short [^\n]*\n", err),
           f"{' '.join(words)}: a stream that was cut", f"status {process.returncode}: {err}")


cut_while("script")
cut_while("script", "--follow")
cut_while("report", "-D")
tap.done()
