#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CPUs that go offline and come back while they are recorded, and one that comes online late; triggers there, too."""
import glob
import json
import os
import re
import signal
import subprocess
import sys
import time

import guest

guest.enter()
sys.path.insert(0, os.path.join(os.environ["abs_srcdir"], "tests/support"))
import tap

BPF_OUTPUT = os.path.join(os.environ["abs_builddir"], "tests/programs/bpf_output")
LEAVES, BLINKS, LATE, NODE = 3, 5, 9, 2  # LATE is of that node, with CPUs 8 to 11


def switch(cpu, on):
    with open(f"/sys/devices/system/cpu/cpu{cpu}/online", "w") as f:
        f.write(str(int(on)))


def make_map():
    """Where BPF programs find the trigger."""
    folder = tap.path("bpf")
    os.mkdir(folder)
    subprocess.run(["mount", "-t", "bpf", "none", folder], check=True)
    subprocess.run([BPF_OUTPUT, "make", folder + "/events", "4", str(os.cpu_count()), "0"], check=True)
    return folder + "/events"


def fire(path, cpu):
    """What a program there gets from the trigger: 0, or -errno."""
    result = tap.run(BPF_OUTPUT, "fire", path, str(cpu))
    return int(result.out) if result.status == 0 else result.err


class Recorder:
    """A recording whose notes can be waited for."""

    def __init__(self, name, *options):
        self.cap, self.log = tap.path(name), tap.path(name + ".err")
        self.process = subprocess.Popen([tap.TSTREAM, "record", "-e", "cpu-clock", "-F", "99", "-o", self.cap, *options],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(self.log, "w"))
        self.wait(lambda: os.path.exists(self.cap))

    def err(self):
        with open(self.log) as f:
            return f.read()

    def wait(self, condition):
        for _ in range(900):
            if condition() or self.process.poll() is not None:
                break
            time.sleep(0.1)

    def says(self, text, sentence):
        self.wait(lambda: text in self.err())
        tap.ok(text in self.err(), sentence, self.err())

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=120)

    def writer_cpus(self, number):
        for task in os.listdir(f"/proc/{self.process.pid}/task"):
            folder = f"/proc/{self.process.pid}/task/{task}"
            with open(folder + "/comm") as comm, open(folder + "/status") as status:
                if comm.read().strip() == f"tstream-w{number:02}":
                    return re.search(r"^Cpus_allowed_list:\s*(\S+)", status.read(), re.M)[1]
        return "no such writer"

    def absences(self):
        with open(self.cap + "/tstream.json") as f:
            return json.load(f).get("absences", [])


def spin(name, cpu):
    """Something of that name that keeps the CPU busy for a second."""
    path = tap.path(name)
    with open(path, "w") as f:
        f.write("#!/usr/bin/python3\nimport time\nt = time.monotonic()\nwhile time.monotonic() < t + 1: pass\n")
    os.chmod(path, 0o755)
    # the kernel names a script after its file
    subprocess.run(["taskset", "-c", str(cpu), path], check=True)


def stats(*command):
    """{record type: number} of `report --stats`"""
    result = tap.run(*command, timeout=300)
    return dict(re.findall(r"^\s*([A-Z_0-9]+) events:\s+(\d+)", result.out, re.M))


switch(LATE, False)
r = Recorder("whole", "-a", "--threads=cpu")
spin("before", LEAVES)
switch(LEAVES, False)
r.says(f"CPU {LEAVES} went offline", "a CPU that goes offline is noted")
time.sleep(2)  # its writer looks at the ring that is left
switch(LEAVES, True)
r.says(f"CPU {LEAVES} is online again, and recorded", "and so is its return")
r.wait(lambda: r.writer_cpus(LEAVES) == str(LEAVES))  # a CPU takes threads only some time after it is online
tap.equal(r.writer_cpus(LEAVES), str(LEAVES), "its writer runs there again")
spin("after", LEAVES)
switch(BLINKS, False)
switch(BLINKS, True)
r.says(f"CPU {BLINKS} is online again, and recorded", "one that is back at once is recorded again, too")
spin("blinked", BLINKS)
switch(LATE, True)
r.says(f"CPU {LATE} came online, and is recorded", "one that was offline from the beginning is recorded when it comes")
spin("late", LATE)
switch(LATE, False)
r.says(f"CPU {LATE} went offline", "it may leave again")
switch(LATE, True)
r.says(f"CPU {LATE} is online again, and recorded", "and come back")
spin("twice", LATE)
tap.equal(r.stop(), -signal.SIGINT, "the capture ends well")
tap.ok("nothing lost" in r.err(), "nothing is lost", r.err())

absent = r.absences()
tap.equal([(a["cpu"], a["cause"], "to_s" in a) for a in absent],
          [(LEAVES, "offline", True), (BLINKS, "offline", True), (LATE, "offline", True),
                                                              (LATE, "offline", True)],
          "tstream.json lists when CPUs were not recorded")
with open(r.cap + "/tstream.json") as f:
    note = json.load(f)
rings = [ring for ring in note["rings"] if ring["cpu"] == LATE]
tap.ok(len(rings) == 2 and all(note["writers"][ring["writer"]]["numa_node"] == NODE for ring in rings),
       "its rings have a writer of its memory node", rings)
tap.ok(absent[0]["to_s"] - absent[0]["from_s"] > 1.5, "with the time", absent)
report = tap.run(tap.TSTREAM, "report", "-i", r.cap, "--sort", "comm,cpu", timeout=300)
for line in (rf"^# CPU {LEAVES} was offline from [\d.]+ s to [\d.]+ s$",
             rf"^# CPU {LATE} was offline from 0\.\d+ s to [\d.]+ s$"):
    tap.ok(re.search(line, report.out, re.M), "the report's header tells it", report.out[:1000])
for comm, cpu in (("before", LEAVES), ("after", LEAVES), ("blinked", BLINKS), ("late", LATE), ("twice", LATE)):
    tap.ok(re.search(rf"\s{comm}\s+0*{cpu}\s*$", report.out, re.M), f"there are samples of `{comm}` on CPU {cpu}",
           "\n".join(report.out.splitlines()[:40]) + report.err)
mine, perfs = (stats(program, "report", "-i", r.cap, "--stats") for program in (tap.TSTREAM, "perf"))
tap.ok(mine == perfs and int(mine.get("SAMPLE", 0)) > 100, "perf reads the same records", f"{mine}\n{perfs}")

# events of tasks stay: what was pinned to the CPU runs elsewhere, and is recorded there
task = subprocess.Popen(["taskset", "-c", str(LEAVES), sys.executable, "-c", "while True: pass"])
r = Recorder("task", "-p", str(task.pid))
switch(LEAVES, False)
r.says(f"CPU {LEAVES} went offline", "with -p, too, the CPU's leave is noted")
time.sleep(1)
switch(LEAVES, True)
r.says(f"CPU {LEAVES} is online again", "and its return")
os.sched_setaffinity(task.pid, {LEAVES})
time.sleep(1)
tap.equal(r.stop(), -signal.SIGINT, "that capture ends well")
task.kill()
report = tap.run(tap.TSTREAM, "report", "-i", r.cap, "--sort", "cpu", timeout=300)
cpus = {int(cpu) for cpu in re.findall(r"^\s+[\d.]+%\s+(\d+)\s*$", report.out, re.M)}
tap.ok(LEAVES in cpus and len(cpus) > 1, "the task is recorded on that CPU and on another", report.out)

# a trigger of everybody on the CPU goes with it
trigger = make_map()
switch(LATE, False)
r = Recorder("fired", "-a", "--switch-output-event", f"bpf-output/map={trigger}/", "--min-interval=1h")
switch(LEAVES, False)
r.says(f"CPU {LEAVES} went offline", "beside a trigger, too, the CPU's leave is noted")
switch(LEAVES, True)
r.says(f"CPU {LEAVES} is online again", "and its return")
tap.equal(fire(trigger, LEAVES), 0, "a BPF program there fires it")
switch(LATE, True)
r.says(f"CPU {LATE} came online", "the other comes late")
tap.equal(fire(trigger, LATE), 0, "and a program there fires it, too")
r.wait(lambda: glob.glob(r.cap + ".2*"))
tap.equal(r.stop(), -signal.SIGINT, "the capture ends well")
tap.equal(len(glob.glob(r.cap + ".2*")), 2, "the first of both has finished a directory, the end another")
tap.done()
