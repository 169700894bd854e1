#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two flight recorders under a storm of processes need no more at the end than in the middle: SOAK_S (600) seconds.

    -M              compressed, every system call, a snapshot each SNAPSHOT_S
    --overwrite     the same events, saved by time, the newest three directories kept

The storm: programs that are started one after the other on each CPU, each a fork, an exec, its maps and an exit; a process
that maps and unmaps code without end, and has a crowd of children that sleep for half a minute; and producers of numbered
calls. VmRSS and private memory, descriptors and threads of the recorders, what they hold in /dev/shm and what is on the disk
are looked at once a second. What the last third of the time needed at most is compared with the middle third; what is held
also with -M, which may be there twice while a snapshot is written. In the end perf and tstream read what is left alike.
"""
import glob
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import producers  # noqa: E402
import tap  # noqa: E402

SOAK_S = float(os.environ.get("SOAK_S", "600"))
RATE = os.environ.get("SOAK_RATE", "20")  # numbered calls a millisecond and CPU
MIB = 1 << 20
HELD_BYTES, KEPT = 64 * MIB, 3
SNAPSHOT_S, DUMP_S = max(5, min(30, SOAK_S / 10)), max(2, min(15, SOAK_S / 20))
SLACK_BYTES = 8 * MIB
EVENTS = ["-a", "-e", "raw_syscalls:sys_enter", "-z", "-m", "1M"]

STARTS = "while :; do /bin/true; done"  # a program after the other
HOST = """
import mmap, os, time
path = max({line.split()[-1] for line in open("/proc/self/maps") if "/" in line}, key=os.path.getsize)
code, children = os.open(path, os.O_RDONLY), []
while True:
    maps = [mmap.mmap(code, 4096 * pages, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC) for pages in range(1, 9)]
    for each in maps:
        each.close()
    pid = os.fork()
    if pid == 0:
        time.sleep(30)
        os._exit(0)
    children.append(pid)
    time.sleep(0.02)
    while os.waitpid(-1, os.WNOHANG)[0]:
        pass
"""


class Storm:
    def __init__(self):
        cpus = sorted(os.sched_getaffinity(0))[:2]
        words = [["taskset", "-c", str(cpu), "sh", "-c", STARTS] for cpu in cpus] + [[sys.executable, "-c", HOST]]
        self.all = [subprocess.Popen(each, stdin=subprocess.DEVNULL, start_new_session=True) for each in words]
        self.producers = producers.Producers(tap.scratch, RATE)

    def renew(self):
        """Producers end by themselves after a minute."""
        self.producers.end()
        self.producers = producers.Producers(tap.scratch, RATE)

    def end(self):
        self.producers.end()
        for process in self.all:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def size_of(folders):
    total = 0
    for folder in folders:
        for top, _, names in os.walk(folder):
            for name in names:
                try:
                    total += os.lstat(os.path.join(top, name)).st_size
                except OSError:  # removed meanwhile
                    pass
    return total


class Recorder:
    COLUMNS = [("VmRSS", SLACK_BYTES), ("private memory", SLACK_BYTES), ("descriptors", 0), ("threads", 0),
               ("/dev/shm", HELD_BYTES), ("disk", 64 * MIB)]

    def __init__(self, name, *options):
        self.name, self.capture, self.rows = name, tap.path(re.sub(r"\W+", "", name)), []
        self.process = subprocess.Popen(
            [tap.TSTREAM, "record", "-q", *EVENTS, *options, f"--switch-max-files={KEPT}", "-o", self.capture],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.hold = f"/dev/shm/tstream.{os.getuid()}.{self.process.pid}"

    def look(self):
        try:
            with open(f"/proc/{self.process.pid}/status") as file:
                status = dict(re.findall(r"^(VmRSS|RssAnon|Threads):\s+(\d+)", file.read(), re.M))
            descriptors = len(os.listdir(f"/proc/{self.process.pid}/fd"))
            self.rows.append((int(status["VmRSS"]) * 1024, int(status["RssAnon"]) * 1024, descriptors, int(status["Threads"]),
                              size_of([self.hold]), size_of(glob.glob(self.capture + "*"))))
        except (OSError, KeyError):
            pass  # it has ended: judged at the end

    def end(self):
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.communicate(timeout=120)[1]
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.communicate()[1] + "it does not end"

    def judge(self, err):
        tap.equal(self.process.returncode, -signal.SIGINT, f"{self.name}: it ended when it was told to")
        n = len(self.rows)
        if n < 6:
            return tap.ok(False, f"{self.name}: it could be watched", f"{n} seconds\n{err}")
        first, middle, last = (self.rows[n * part // 3:n * (part + 1) // 3] for part in range(3))
        for column, (what, slack) in enumerate(self.COLUMNS):
            peaks = [max(row[column] for row in rows) for rows in (first, middle, last)]
            print(f"# {self.name}: {what}: {peaks[0]}, {peaks[1]}, then {peaks[2]}")
            tap.ok(peaks[2] <= peaks[1] + slack, f"{self.name}: {what} does not grow", str(peaks))
        held = max(row[4] for row in self.rows)
        tap.ok(held <= 2 * HELD_BYTES, f"{self.name}: what is held stays within twice -M", f"{held} bytes")
        tap.ok(not os.path.exists(self.hold), f"{self.name}: and is gone at the end")
        return self.judge_captures(err)

    def judge_captures(self, err):
        finished = sorted(path for path in glob.glob(self.capture + ".2*") if not path.endswith((".new", ".old")))
        left = finished + [self.capture] * os.path.exists(self.capture)
        for path in left:
            check = tap.run(tap.TSTREAM, "check", "-i", path, timeout=600)
            ours, perf = (tap.run(tool, "report", "--stats", "-i", path, timeout=600) for tool in (tap.TSTREAM, tap.PERF))
            with open(os.path.join(path, "tstream.json")) as file:
                note = json.load(file)
            print(f"# {self.name}: {os.path.basename(path)}: {size_of([path])} bytes, {note['ledger']}")
            tap.ok(not check.status and note["state"] == "complete", f"{self.name}: a directory is sound", check.out + check.err)
            tap.ok(not ours.status and not perf.status and ours.out == perf.out, f"{self.name}: perf and tstream read it alike",
                   f"perf {perf.status}: {perf.out}{perf.err}\ntstream {ours.status}: {ours.out}{ours.err}")
        tap.ok(1 < len(left) <= KEPT + 1, f"{self.name}: the newest directories are kept", f"{left}\n{err}")


def storm_on(recorders):
    """Until the time is over."""
    storm, begin = Storm(), time.monotonic()
    snapshot = renewed = begin
    try:
        while time.monotonic() - begin < SOAK_S and all(r.process.poll() is None for r in recorders):
            time.sleep(min(1, SOAK_S / 60))
            now = time.monotonic()
            if now - snapshot >= SNAPSHOT_S:
                recorders[0].process.send_signal(signal.SIGUSR1)
                snapshot = now
            if now - renewed >= 50:
                storm.renew()
                renewed = now
            for recorder in recorders:
                recorder.look()
    finally:
        storm.end()


def starts():
    """Processes that the machine has started by now."""
    with open("/proc/stat") as file:
        return int(re.search(r"^processes (\d+)", file.read(), re.M)[1])


def main():
    if not tap.PERF:
        tap.skip_all("perf is not installed")
    if not tap.can_record_all() or not tap.has_tracepoints():
        tap.skip_all("needs the right to record tracepoints")
    recorders = [Recorder("-M", "-M", f"{HELD_BYTES // MIB}M"),
                 Recorder("--overwrite", "--overwrite", f"--switch-output={DUMP_S:.0f}s")]
    try:
        before = starts()
        storm_on(recorders)
        print(f"# {(starts() - before) / SOAK_S:.0f} processes a second were started")
    finally:
        said = [recorder.end() for recorder in recorders]
    for recorder, err in zip(recorders, said):
        recorder.judge(err)
    tap.done()


main()
