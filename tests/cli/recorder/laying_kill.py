#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 while blocks are written: what is in the file are whole records, and perf reads them; laid on
buffered filesystems, directly where that is trusted. Plain buffered writes are torn, for comparison."""
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import stream_doc as doc
import tap

LAY = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/lay_capture")
KILLS = int(os.environ.get("KILLS", "15"))


def kill_one(where, kind):
    """Runs it into an own death. False: this kind does not work here."""
    shutil.rmtree(where, ignore_errors=True)
    writer = subprocess.Popen([LAY, where, kind], stdout=subprocess.DEVNULL)
    while not os.path.exists(os.path.join(where, "data.0")) and writer.poll() is None:
        time.sleep(0.0005)
    time.sleep(random.uniform(0.0005, 0.03))
    writer.kill()
    return writer.wait() != 77


def samples_in(where):
    with open(os.path.join(where, "data.0"), "rb") as f:
        return sum(values["type"] == 9 for _, _, values in doc.walk(f.read()))


def perf_wrong(where, samples):
    if not shutil.which("perf"):
        return None
    script = tap.run("perf", "script", "-i", where, "-F", "time")
    if script.status or script.err or script.out.count("\n") != samples:
        return f"perf script: status {script.status}, {script.out.count(chr(10))} samples of {samples}, {script.err}"
    return None


def kill_many(folder, kind):
    """Sentences about what is wrong; None: this kind does not work here."""
    where, wrong = os.path.join(folder, "cap"), []
    for n in range(KILLS):
        if not kill_one(where, kind):
            return None
        try:
            samples = samples_in(where)
            wrong.append(perf_wrong(where, samples) if n % 3 == 0 else None)
        except doc.Bad as bad:
            wrong.append(str(bad))
    return [w for w in wrong if w]


def check(folder, kind, title):
    wrong = kill_many(folder, kind)
    sentence = f"{title}: {KILLS} kills leave whole records"
    if wrong is None:
        tap.skip(sentence, "this filesystem is not trusted with direct I/O")
    else:
        tap.ok(not wrong, sentence, "\n".join(wrong[:10]))


shm = tempfile.mkdtemp(prefix="tstream-test.", dir="/dev/shm") if os.path.isdir("/dev/shm") else None
try:
    check(tap.scratch, "laid", "laid in the scratch folder")
    check(tap.scratch, "direct", "direct in the scratch folder")
    if shm:
        check(shm, "laid", "laid in /dev/shm")
        print(f"# in plain writes: {len(kill_many(shm, 'bare'))} of {KILLS} captures torn in /dev/shm")
    print(f"# in plain writes: {len(kill_many(tap.scratch, 'bare'))} of {KILLS} captures torn in the scratch folder")
finally:
    if shm:
        shutil.rmtree(shm, ignore_errors=True)
tap.done()
