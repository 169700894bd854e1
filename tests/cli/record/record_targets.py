#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whom `record` records and when it ends: exit statuses, -p and -t, signals, -D, --control, -o."""
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

if not tap.can_record_all():
    tap.skip_all("needs the right to record everything")
if not tap.PERF:
    tap.skip_all("perf is not installed")

HEAD = (tap.TSTREAM, "record", "-e", "cpu-clock", "-F", "1000")
LOOKS = 15
number = 0


def cap():
    global number
    number += 1
    return tap.path(f"cap{number}")


def start(*options, **more):
    return subprocess.Popen((*HEAD, *options), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            **more)


def start_now(*options):
    return tap.start_recorder([*HEAD, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finish(p, timeout=60):
    try:
        out, err = p.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        p.kill()
        out, err = p.communicate()
        return "timeout", err.decode()
    return p.returncode, err.decode()


def samples(capture):
    counts = tap.perf_counts(capture)
    return -1 if counts is None else counts.get("SAMPLE", 0)


def wait_for(condition, limit=60):
    last = time.time() + limit
    while time.time() < last:
        if condition():
            return True
        time.sleep(0.02)
    return False


def wait_for_line(stream, text):
    """What a process said up to the line that holds a text, or until it ends."""
    said = ""
    for line in stream:
        said += line.decode()
        if text in said:
            break
    return said


def opened(capture):
    """For what cannot be asked by --control: the streams are there."""
    return wait_for(lambda: os.path.exists(os.path.join(capture, "data.0")))


def cpu_seconds(pid):
    """What a process has had of the CPUs: sampled 1000 times a second, however busy they are."""
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def let_run(pid, seconds):
    """Until a process has had so much CPU time more."""
    enough = cpu_seconds(pid) + seconds
    return wait_for(lambda: cpu_seconds(pid) >= enough)


def compute(seconds=0.1):
    """Has had so much CPU time itself: -a has that many samples, however busy the CPUs are."""
    enough = time.process_time() + seconds
    while time.process_time() < enough:
        pass


def sleeping_threads(pid):
    """Whether each of its threads sleeps, by its number."""
    states = {}
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/stat") as file:
            states[task] = file.read().rsplit(")", 1)[1].split()[0]
    return all(state == "S" for state in states.values())


def settles_down(pid):
    """It was found asleep at LOOKS looks in a row, sooner or later: who spins never is."""
    in_a_row = [0]

    def is_enough():
        in_a_row[0] = in_a_row[0] + 1 if sleeping_threads(pid) else 0
        return in_a_row[0] >= LOOKS

    return wait_for(is_enough)


spin = "import time\nend = time.process_time() + %s\nwhile time.process_time() < end: pass"
FOREVER = [sys.executable, "-c", "while True: pass"]


def end(*processes):
    for process in processes:
        process.kill()
        process.wait()


# exit statuses
for command, wanted in (("true", 0), ("exit 7", 7), ("kill -9 $$", 137), ("kill -TERM $$", 143)):
    c = cap()
    result = tap.run(*HEAD, "-o", c, "--", "sh", "-c", command)
    tap.equal(result.status, wanted, f"the status of 'sh -c {command}' is record's")
    tap.ok(samples(c) >= 0, "and perf reads the capture")

# stopped without a command: a clean capture, then death by that signal
for number_of in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
    c = cap()
    p = start_now("-a", "-o", c)
    for ignored in (signal.SIGUSR1, signal.SIGUSR2):
        p.send_signal(ignored)
    compute()
    tap.ok(p.poll() is None, "SIGUSR1 and SIGUSR2 do not end it")
    p.send_signal(number_of)
    status, err = finish(p)
    tap.equal(status, -number_of, f"{number_of.name} ends -a, which dies of it")
    tap.ok(samples(c) > 0, "and the capture is complete", err)
    tap.equal(json.load(open(os.path.join(c, "tstream.json")))["state"], "complete", "and says so")

# the command has its signals as they were
result = tap.run(*HEAD, "-o", cap(), "--", "sh", "-c", "kill -USR2 $$; exit 0")
tap.equal(result.status, 128 + signal.SIGUSR2, "the command can be killed by SIGUSR2")

# stopped while a command runs: the command gets SIGTERM
c = cap()
p = start_now("-o", c, "--", "sleep", "60")
p.send_signal(signal.SIGINT)
status, err = finish(p)
tap.equal(status, 143, "SIGINT ends the command by SIGTERM, whose status is record's")
tap.ok(samples(c) >= 0, "and the capture is readable", err)

# the command is recorded from its exec on, with its children, and nobody else
c = cap()
tap.run(*HEAD, "-o", c, "--", "sh", "-c", f"{sys.executable} -c '{spin % 0.3}' & {sys.executable} -c '{spin % 0.3}'; wait")
comms = set(tap.run(tap.PERF, "script", "-i", c, "-F", "comm").out.split())
tap.ok(os.path.basename(sys.executable)[:15] in comms, "children of the command are recorded", comms)
tap.ok("tstream" not in comms and "sleep" not in comms, "the recorder is not", comms)

# -a with a command records others, too
other = subprocess.Popen(FOREVER)
c = cap()
p = start_now("-a", "-o", c, "--", "sleep", "60")
let_run(other.pid, 0.1)
p.send_signal(signal.SIGINT)
finish(p)
pids = set(tap.run(tap.PERF, "script", "-i", c, "-F", "pid").out.split())
tap.ok(str(other.pid) in pids, "-a records a process that already ran", pids)

# -p: that process only, until it ends
c = cap()
p = start_now("-p", str(other.pid), "-o", c)
let_run(other.pid, 0.1)
end(other)
status, err = finish(p)
tap.equal(status, 0, "-p ends with its process, status 0")
pids = set(tap.run(tap.PERF, "script", "-i", c, "-F", "pid").out.split())
tap.equal(pids, {str(other.pid)}, "-p records only that process")

# a target that exits while another lives: no spinning writer, no lost ring
short, longer = subprocess.Popen(FOREVER), subprocess.Popen(FOREVER)
c = cap()
p = start_now("-p", f"{short.pid},{longer.pid}", "-o", c)
let_run(short.pid, 0.1)
end(short)
let_run(longer.pid, 0.1)
tap.ok(settles_down(p.pid), "a target that exits leaves no spinning writer")
tap.ok(p.poll() is None, "the recording goes on for the other")
let_run(longer.pid, 0.3)
end(longer)
status, err = finish(p)
tap.equal(status, 0, "and ends with the last")
script = tap.run(tap.PERF, "script", "-i", c, "-F", "pid,time").out.split("\n")
times = {}
for line in script:
    if line.strip():
        pid, at = line.split()
        times.setdefault(int(pid), []).append(float(at.rstrip(":")))
tap.ok(set(times) == {short.pid, longer.pid}, "both are recorded", set(times))
later = [at for at in times.get(longer.pid, []) if at > max(times.get(short.pid, [0]))]
tap.ok(len(later) > 100, "samples of the other go on after the first has exited", len(later))

# what a target starts is recorded and keeps the recording alive
gate, child = tap.path("gate"), tap.path("child")
os.mkfifo(gate)
os.mkfifo(child)
parent = subprocess.Popen(["sh", "-c", f"read x <{gate}; {sys.executable} -c 'while True: pass' & echo $! >{child}"])
c = cap()
p = start_now("-p", str(parent.pid), "-o", c)
open(gate, "w").write("go\n")
child = int(open(child).read())
parent.wait()
let_run(child, 0.5)
tap.ok(p.poll() is None, "-p goes on while what its process started lives")
os.kill(child, signal.SIGKILL)
status, err = finish(p)
tap.equal(status, 0, "and ends with it")
tap.ok(samples(c) > 100, "and has recorded it", samples(c))

# -t: one thread only
code = "import threading\ndef f():\n    while True: pass\nt = threading.Thread(target=f); t.start(); print(t.native_id, flush=True); f()"
threads = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
tid = int(threads.stdout.readline())
c = cap()
p = start_now("-t", str(tid), "-o", c)
let_run(threads.pid, 0.3)
end(threads)
status, err = finish(p)
tids = set(tap.run(tap.PERF, "script", "-i", c, "-F", "tid").out.split())
tap.equal((status, tids), (0, {str(tid)}), "-t records only that thread, and ends with it")

# -D delays samples, not names and maps: programs are executed before it begins to wait, and all the time
c = cap()
executing = subprocess.Popen(["sh", "-c", "while :; do sleep 0.02; done"])
p = start("-D", "600", "-a", "-o", c, "--", "sleep", "600")
told = wait_for_line(p.stderr, "Events enabled")
compute()
p.send_signal(signal.SIGINT)
status, err = finish(p)
end(executing)
lines = tap.run(tap.PERF, "script", "-i", c, "--show-task-events", "-F", "comm,time,event").out.split("\n")
times = {kind: [float(re.search(r"(\d+\.\d+): ", line)[1]) for line in lines if kind in line]
         for kind in ("PERF_RECORD_COMM exec", "cpu-clock")}
executed, sampled = times.values()
tap.ok(executed, "-D leaves names in from the start", told + err)
tap.ok(executed and sampled and min(sampled) - min(executed) > 0.5, "-D 600 leaves samples of the first 0.6 s out",
       f"{executed[:1]} {sampled[:1]} {told + err}")

# -D -1 with control descriptors
for kind in ("fd", "fifo"):
    c = cap()
    if kind == "fd":
        r, w = os.pipe()
        ra, wa = os.pipe()
        p = start("-D", "-1", "-a", "--control", f"fd:{r},{wa}", "-o", c, "--", "sleep", "600", pass_fds=(r, wa))
        os.close(r)
        os.close(wa)
    else:
        a, b = tap.path("ctl"), tap.path("ack")
        os.mkfifo(a)
        os.mkfifo(b)
        w, ra = os.open(a, os.O_RDWR), os.open(b, os.O_RDWR)
        p = start("-D", "-1", "-a", "--control", f"fifo:{a},{b}", "-o", c, "--", "sleep", "600")
    opened(c)

    def tell(word):
        os.write(w, word.encode() + b"\n")
        return os.read(ra, 5)

    tap.equal(tell("ping"), b"ack\n\0", f"{kind}: ping is acknowledged")
    compute()
    enabled_at = time.monotonic()
    tap.equal(tell("enable"), b"ack\n\0", f"{kind}: enable is acknowledged")
    compute()
    tap.equal(tell("disable cpu-clock"), b"ack\n\0", f"{kind}: disable of one event is acknowledged")
    enabled_s = time.monotonic() - enabled_at
    tap.equal(tell("enable nosuch"), b"ack\n\0", f"{kind}: so is one that is not there")
    os.write(w, b"rewind\n")
    tap.equal(tell("evlist"), b"ack\n\0", f"{kind}: an unknown word is not")
    tap.equal(tell("stop"), b"ack\n\0", f"{kind}: stop is acknowledged")
    status, err = finish(p)
    tap.equal(status, 143, f"{kind}: stop ends the command by SIGTERM, before it would have ended")
    tap.ok("Events enabled" in err and "cpu-clock" in err and "can't find 'nosuch' event" in err,
           f"{kind}: what was done is told", err)
    n = samples(c)
    tap.ok(0 < n < (1000 * enabled_s * 1.2 + 10) * len(tap.online_cpus()), f"{kind}: samples only while enabled",
           f"{n} in {enabled_s} s")
    os.close(w)
    os.close(ra)

# control whose other side hangs up: the recording goes on
r, w = os.pipe()
c = cap()
p = start("-a", "--control", f"fd:{r}", "-o", c, "--", "sleep", "1", pass_fds=(r,))
os.close(r)
os.close(w)
status, err = finish(p)
tap.ok(status == 0 and samples(c) > 0, "a control that hangs up ends only the control", err)

# -o: default name, .old, an empty file, /dev/null
home = tap.path("home")
os.mkdir(home)
for i in range(3):
    result = tap.run(*HEAD, "-a", "--", "sleep", "0.2", cwd=home)
    tap.equal(result.status, 0, f"recording {i} to the default name succeeds")
tap.equal(sorted(os.listdir(home)), ["tstream.data", "tstream.data.old"], "the one before it is kept as .old")
tap.ok(samples(os.path.join(home, "tstream.data.old")) > 0, "and readable")
tap.equal(oct(os.stat(os.path.join(home, "tstream.data")).st_mode & 0o777), "0o700", "a capture is for its owner only")
tap.equal({oct(os.stat(os.path.join(home, "tstream.data", f)).st_mode & 0o777)
           for f in os.listdir(os.path.join(home, "tstream.data"))}, {"0o600"}, "so is what is in it")
empty = tap.path("empty")
open(empty, "w").close()
result = tap.run(*HEAD, "-a", "-o", empty, "--", "sleep", "0.2")
tap.ok(result.status == 0 and samples(empty) > 0, "an empty file at -o is replaced", result.err)
before = set(os.listdir(tap.scratch))
result = tap.run(*HEAD, "-a", "-o", "/dev/null", "--", "sleep", "0.2", cwd=tap.scratch)
tap.ok(result.status == 0 and "samples" in result.err, "-o /dev/null records", result.err)
tap.equal(set(os.listdir(tap.scratch)), before, "and leaves nothing")
result = tap.run(*HEAD, "-q", "-a", "-o", cap(), "--", "sleep", "0.2")
tap.equal((result.status, result.err, result.out), (0, "", ""), "-q says nothing when all is well")

# started with its standard descriptors closed, it does not print into its files
held = tap.path("held")
script = f"sh -c 'readlink /proc/$PPID/fd/[012] >{held}'"
tap.run(" ".join((*HEAD, "-v", "-a", "-o", cap(), "--", script, ">&-", "2>&-", "<&-")))
tap.equal(open(held).read().split() if os.path.exists(held) else None, ["/dev/null"] * 3,
          "closed standard descriptors are held")

# the command keeps its standard output, limits and scheduling
result = tap.run(*HEAD, "-o", cap(), "--", "sh", "-c", "ulimit -n; nice; taskset -p $$ | sed 's/.*: //'; ls /proc/self/fd | wc -l")
wanted = tap.run("ulimit -n; nice; taskset -p $$ | sed 's/.*: //'; ls /proc/self/fd | wc -l ")
tap.equal(result.out, wanted.out, "the command gets limits, priority, affinity and descriptors as they were")
tap.done()
