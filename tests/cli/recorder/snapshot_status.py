#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""-M: what the recorder's exit status tells about snapshots. One that could not be written counts, and so does one that could not begin.
One that is refused because eight others are being written does not: whoever asked was told."""
import glob
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

LIMIT_S = 60
AT_ONCE = 8
REFUSAL = f"a snapshot was asked for that was not taken: {AT_ONCE} others are being written"


def wait_until(is_so):
    end = time.monotonic() + LIMIT_S
    while not is_so() and time.monotonic() < end:
        time.sleep(0.01)


def parent_of(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return int(file.read().rpartition(")")[2].split()[1])
    except OSError:
        return 0


class Recorder:
    def __init__(self, name):
        self.folder = tap.path(name)
        os.mkdir(self.folder)
        self.log = tap.path(name + ".log")
        with open(self.log, "w") as log:
            self.process = subprocess.Popen([tap.TSTREAM, "record", "-M", "8M", "-e", "cpu-clock:u", "-o", f"{self.folder}/cap", "-p", str(os.getpid())],
                                            stdin=subprocess.DEVNULL, stderr=log)
        wait_until(lambda: self.process.poll() is not None or tap.run(tap.TSTREAM, "ctl", f"{self.folder}/cap", "ping").status == 0)

    def ask(self, *words):
        return subprocess.Popen([tap.TSTREAM, "ctl", f"{self.folder}/cap", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def runner(self):
        """The process that writes snapshots: the only child."""
        pids = [int(path.split("/")[2]) for path in glob.glob("/proc/[0-9]*")]
        return next((pid for pid in pids if parent_of(pid) == self.process.pid), None)

    def said(self):
        with open(self.log) as file:
            return file.read()

    def stop(self):
        self.ask("stop").communicate(timeout=LIMIT_S)
        return self.process.wait(LIMIT_S)


def check_busy():
    r = Recorder("busy")
    runner = r.runner()
    os.kill(runner, signal.SIGSTOP)
    askers = [r.ask("snapshot") for _ in range(AT_ONCE + 1)]
    wait_until(lambda: any(asker.poll() is not None for asker in askers))
    r.process.send_signal(signal.SIGUSR1)
    wait_until(lambda: REFUSAL in r.said())
    os.kill(runner, signal.SIGCONT)
    answers = [asker.communicate(timeout=LIMIT_S) for asker in askers]
    refused = [err for asker, (_, err) in zip(askers, answers) if asker.returncode]
    tap.ok(len(refused) == 1 and REFUSAL in refused[0], "whoever asks for a ninth snapshot at once is told of the refusal", f"{refused}")
    tap.equal(len({out for out, _ in answers if os.path.isdir(out.strip())}), AT_ONCE, "the others are written")
    status = r.stop()
    tap.ok(status == 0 and r.said().count(REFUSAL) == 1, "a signal's refusal is printed by the recorder, which ends with 0", f"{status} {r.said()}")


def check_unwritten():
    r = Recorder("here")
    os.rename(r.folder, tap.path("there"))
    asker = subprocess.run([tap.TSTREAM, "ctl", tap.path("there/cap"), "snapshot"], capture_output=True, text=True, timeout=LIMIT_S, check=False)
    os.rename(tap.path("there"), r.folder)
    tap.ok(asker.returncode == 1 and "cannot write" in asker.stderr, "whoever asked for a snapshot that cannot be written is told", asker.stderr)
    status = r.stop()
    tap.ok(status == 1 and "could not be written" in r.said() and os.path.exists(f"{r.folder}/cap/data"),
           "the recorder ends with 1, and what was held becomes a capture", f"{status} {r.said()}")
    tap.ok(f"in {r.folder}/cap ]" in r.said(), "its last line names that capture", r.said())


def check_unbegun():
    r = Recorder("unbegun")
    os.kill(r.runner(), signal.SIGKILL)
    asker = r.ask("snapshot")
    err = asker.communicate(timeout=LIMIT_S)[1]
    tap.ok(asker.returncode == 1 and "cannot" in err, "whoever asks for a snapshot that cannot begin is told", err)
    status = r.stop()
    hold = f"/dev/shm/tstream.{os.getuid()}.{r.process.pid}"
    rescued = tap.run(tap.TSTREAM, "rescue", "-o", tap.path("rescued"), hold)
    tap.ok(status == 1 and "the process that writes snapshots has died" in r.said() and rescued.status == 0 and not os.path.exists(hold),
           "the recorder ends with 1, and what was held can be rescued", f"{status} {r.said()} {rescued.err}")
    tap.ok(f"in {hold} ]" in r.said(), "its last line names the place of what was held", r.said())


check_busy()
check_unwritten()
check_unbegun()
tap.done()
