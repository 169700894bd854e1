#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""With -M a process of its own writes a snapshot. If it hangs (here: it is stopped), it is ended after a minute; whoever asked for the
snapshot is told, and the next one is written."""
import glob
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

DEADLINE_S, LATE_S, TRIES = 60, 60, 20

out = tap.path("cap")
busy = subprocess.Popen(["sh", "-c", "while :; do :; done"])
recorder = subprocess.Popen([tap.TSTREAM, "record", "-M", "8M", "-e", "cpu-clock:u", "-F", "20000", "-o", out, "-p", str(busy.pid)],
                            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def ctl(*words):
    return subprocess.Popen([tap.TSTREAM, "ctl", out, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def merges():
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if b"merge" in words[1:2] and any(word.startswith(out.encode()) for word in words):
            yield int(path.split("/")[2])


def stop_a_merge():
    """Asks for a snapshot, and stops the process that writes it, in the middle. None: it was too fast."""
    asker = ctl("snapshot")
    while asker.poll() is None:
        for pid in merges():
            try:
                os.kill(pid, signal.SIGSTOP)
                if glob.glob(out + ".*.new"):
                    return asker
                os.kill(pid, signal.SIGCONT)
            except ProcessLookupError:
                pass
    return None


end = time.monotonic() + 30
while ctl("ping").wait() and recorder.poll() is None and time.monotonic() < end:
    time.sleep(0.05)
asker = next(filter(None, (stop_a_merge() for _ in range(TRIES))), None)
if not asker:
    recorder.terminate()
    busy.kill()
    tap.skip_all("snapshots are written faster than they can be stopped")
begin = time.monotonic()
said = asker.communicate(timeout=DEADLINE_S + LATE_S)[1]
took_s = time.monotonic() - begin
tap.ok(asker.returncode == 1 and "cannot write" in said and DEADLINE_S - 5 < took_s, "the asker is told that a snapshot hung", f"{took_s} s: {said}")
tap.equal(glob.glob(out + "*.new"), [], "nothing is left of it")
again = ctl("snapshot")
path = again.communicate(timeout=LATE_S)[0].strip()
tap.ok(again.returncode == 0 and tap.run(tap.TSTREAM, "check", "-i", path).status == 0, "the next one is written", path)
ctl("stop").wait()
err = recorder.communicate(timeout=LATE_S)[1]
busy.kill()
tap.ok("its process was killed, possibly at its deadline" in err, "and the recorder tells of the one that is missing", err)
tap.done()
