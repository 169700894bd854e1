#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A capture that is being recorded belongs to its recorder, in every mode: others are refused and told which process it is; what a
killed recorder held is free at once; a recorder whose directory was moved or removed all the same says so."""
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

LIMIT_S = 60
HEAD = ("-e", "cpu-clock:u", "-F", "200", "--flush=100ms")
MODES = ((), ("-z",), ("--threads=cpu",), ("--io=pwrite",), ("--switch-output=1s",), ("--overwrite",), ("-M", "8M"),
         ("--timestamp-filename",), ("--daemon",))
BUSY = "import sys, threading\nthreading.Thread(target=lambda: (sys.stdin.read(), __import__('os')._exit(0)), daemon=True).start()\nwhile True: pass"


def wait_for(condition):
    end = time.monotonic() + LIMIT_S
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


class Victim:
    """A recording of a busy process until that is told to end."""

    def __init__(self, name, *options):
        self.out, self.is_memory = tap.path(name), "-M" in options
        self.busy = subprocess.Popen([sys.executable, "-c", BUSY], stdin=subprocess.PIPE)
        self.process = subprocess.Popen([tap.TSTREAM, "record", *HEAD, *options, "-o", self.out, "-p", str(self.busy.pid)],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        wait_for(self.has_begun)
        self.pid = self.note()["recorder"]["pid"] if "--daemon" in options else self.process.pid

    def note(self):
        path = self.out if not self.is_memory else (glob.glob(f"/dev/shm/tstream.*.{self.process.pid}/held") or [self.out])[0]
        try:
            with open(path + "/tstream.json") as file:
                return json.load(file)
        except (OSError, ValueError):
            return {}

    def has_begun(self):
        return self.process.poll() not in (None, 0) or bool(self.note())

    def end(self):
        self.busy.communicate()
        err = self.process.communicate(timeout=LIMIT_S)[1]
        wait_for(lambda: not os.path.exists(f"/proc/{self.pid}"))
        return self.process.returncode, err

    def directories(self):
        return [path for path in glob.glob(self.out) + glob.glob(self.out + ".2*") if os.path.isdir(path)]


def intrude(out, *options, command="record"):
    return tap.run(tap.TSTREAM, command, *(HEAD if command == "record" else ()), *options, "-o", out, *(("--", "true") if command == "record" else ()))


def check_mode(options):
    """Every other mode is refused; the victim loses nothing."""
    row = " ".join(options) or "default"
    v = Victim("cap" + str(MODES.index(options)), *options)
    before = set(glob.glob(v.out + "*"))
    for other in ((), ("-M", "8M"), ("--switch-output",), ("--overwrite",)):
        result = intrude(v.out, *other)
        tap.ok(result.status == 1 and f"cannot record into {v.out}: process {v.pid} is " in result.err and len(result.err.splitlines()) == 2,
               f"{row}: a second record {' '.join(other)} is refused and told who records there", result.err)
    gone = before - set(glob.glob(v.out + "*"))
    tap.equal(gone, set(), "nothing of it was renamed or removed")
    status, err = v.end()
    sound = [tap.run(tap.TSTREAM, "check", path).status for path in v.directories()]
    tap.ok(status == 0 and sound and not any(sound), "its recorder ends well, and what it recorded is sound", f"{status} {err} {sound}")
    tap.equal(intrude(v.out).status, 0, "then the next one may record there")
    for path in glob.glob(v.out + "*"):
        shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)


def check_old():
    """A capture that is renamed while it is recorded is not removed as the one before."""
    v = Victim("renamed")
    os.rename(v.out, v.out + ".old")
    tap.run(tap.TSTREAM, "record", "-q", *HEAD, "-o", v.out, "--", "true")
    result = intrude(v.out)
    tap.ok(result.status == 1 and f"process {v.pid} is writing {v.out}.old" in result.err, "nor is one that is called .old", result.err)
    status, err = v.end()
    tap.ok(status == 0 and f"in {v.out}.old ]" in err, "its recorder says where the capture is", err)
    tap.equal(tap.run(tap.TSTREAM, "check", v.out + ".old").status, 0, "which is sound")


def check_removed():
    v = Victim("removed")
    wait_for(lambda: sum(map(os.path.getsize, glob.glob(v.out + "/data.*"))) > 10000)
    shutil.rmtree(v.out)
    status, err = v.end()
    tap.ok("nothing lost" not in err and "samples lost with files that were removed" in err,
           "a recorder whose directory was removed says that its samples are lost", err)


def check_readers():
    v = Victim("written")
    tap.run(tap.TSTREAM, "record", "-q", *HEAD, "-o", tap.path("other"), "--", "true")
    result = tap.run(tap.TSTREAM, "merge", "-o", v.out, tap.path("other"))
    tap.ok(result.status == 1 and f"process {v.pid} is writing it" in result.err, "merge does not take its place", result.err)
    tap.equal(v.end()[0], 0, "and its recorder ends well")


def check_killed():
    """A hook that still runs keeps nothing."""
    for options in (("--switch-output=1s",), ("-M", "8M")):
        hook = tap.path("hook")
        with open(hook, "w") as file:
            file.write(f"#!/bin/sh\necho $$ >>{tap.path('hooks')}\nexec sleep 100\n")
        os.chmod(hook, 0o755)
        v = Victim("killed", *options, "--on-snapshot", hook)
        if v.is_memory:
            tap.run(tap.TSTREAM, "ctl", v.out, "snapshot")
        tap.ok(wait_for(lambda: os.path.exists(tap.path("hooks"))), "a hook runs", options)
        v.process.kill()
        v.process.wait()
        result = intrude(v.out, *options)
        hooks = [int(pid) for pid in open(tap.path("hooks")).read().split()]
        tap.ok(result.status == 0 and os.path.exists(f"/proc/{hooks[0]}"),
               f"{' '.join(options)}: a hook of a killed recorder does not keep its place", result.err)
        for pid in hooks:
            if os.path.exists(f"/proc/{pid}"):
                os.kill(pid, signal.SIGKILL)
        os.unlink(tap.path("hooks"))
        v.busy.communicate()
        v.process.stderr.close()
        tap.run(tap.TSTREAM, "rescue", "-o", tap.path("rescued"), f"/dev/shm/tstream.{os.getuid()}.{v.pid}")


def check_container():
    """Its number is another one here: the lock decides, and no other process is accused."""
    if os.geteuid() or tap.run("unshare", "--pid", "--fork", "--mount-proc", "true").status:
        tap.skip("a recorder of another pid namespace", "no pid namespaces can be made here")
        return
    out = tap.path("contained")
    busy = subprocess.Popen(["unshare", "--pid", "--fork", "--mount-proc", "--kill-child", tap.TSTREAM, "record", "-q", *HEAD, "-o", out,
                             "--", "sleep", "100"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wait_for(lambda: os.path.exists(out + "/tstream.json"))
    result = intrude(out)
    tap.ok(result.status == 1 and f"cannot record into {out}: another process is writing it" in result.err,
           "a recorder of another pid namespace is no process here", result.err)
    busy.kill()
    busy.communicate()


for mode in MODES:
    check_mode(mode)
check_old()
check_removed()
check_readers()
check_killed()
check_container()
tap.done()
