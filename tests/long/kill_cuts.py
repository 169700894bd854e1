#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 within a rotation, a dump of overwritten rings or a snapshot of -M: what was finished is complete.

Two pinned producers number their system calls. The first cut is waited for and timed; the recorder is killed at a random
moment of the second one, or a little behind it, alone or with every process that it has started. Then every finished
directory has state `complete`, and each directory is sound and read alike by perf. The numbers:

    rotation    in all directories together every call once, in order, but for what is younger than --flush; none has a gap
    dump        in each directory the newest calls of its rings without a gap, up to the signal; none in two of them
    snapshot    in each snapshot all calls up to its signal; `tstream rescue` makes a capture of all, but for what is
                younger than --flush, and leaves nothing in /dev/shm

A --daemon is started anew where it was killed: it takes over the socket, and every directory that has records is there
still, by whatever name.
No process is left. CUT_KILLS (30) kills each of nineteen combinations; SEED, KEEP as in tests/cli/recorder/kill.py.
"""
import functools
import glob
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import producers  # noqa: E402
import tap  # noqa: E402

KILLS = int(os.environ.get("CUT_KILLS", "30"))
RATE = os.environ.get("KILL_RATE", "20")  # calls a millisecond and producer
SEED = int(os.environ.get("SEED", str(random.randrange(1 << 30))))
random.seed(SEED)
FLUSH_MS, LIMIT_S, TRIES, READ_AT_ONCE = 100, 60, 5, 5
SIZE_PERIOD_S = 0.2  # a directory of --switch-output=SIZE takes about so long, or --flush
MARK = f"TSTREAM_KILLED_BY={tap.scratch}"  # in the environment of a recorder, and so of all that it starts
RECORD = [tap.TSTREAM, "record", "-q", "-a", "-e", producers.EVENT, "-k", "mono", f"--flush={FLUSH_MS}ms"]
# Said by the way: a directory may be as young as that. Losses are those of names and maps: the numbers tell of lost calls.
EXPECTED = re.compile(r"tstream: warning: \S+ has no samples\n?")
# Name, options, the signal that asks for a cut (none: cuts come by themselves)
MODES = [("rotation by size", ["-m", "4M"], None), ("rotation", ["-m", "4M", "--switch-output"], signal.SIGUSR2),
         ("dump", ["-m", "256K", "--overwrite"], signal.SIGUSR2), ("snapshot", ["-m", "4M", "-M", "64M"], signal.SIGUSR1)]
LAYOUTS = [[], ["--threads=cpu"]]


class Killed:
    """A recording that was killed: where, when, and what it had been told."""

    def __init__(self, folder, kind):
        self.kind, self.folder, self.capture = kind, folder, os.path.join(folder, "cap")
        self.pid, self.at_ns, self.signals_ns, self.was_cutting = 0, 0, [], False
        self.callers = producers.Producers(folder, RATE)

    def finished(self):
        """In the order of time; a second one of the same hundredth has -1 behind its stamp."""
        found = [path for path in glob.glob(self.capture + ".2*") if not path.endswith((".new", ".old"))]
        return sorted(found, key=lambda path: [int(part) for part in re.findall(r"\d+", os.path.basename(path))])

    def hold(self):
        return f"/dev/shm/tstream.{os.getuid()}.{self.pid}"

    def is_cutting(self):
        merging = glob.glob(self.capture + ".2*.new")
        return any(map(os.path.exists, (self.capture + ".new", self.hold() + "/held.new", *merging)))

    def running(self):
        return [path for path in (self.capture, self.capture + ".new") if os.path.exists(path + "/data")]


# --- the recorder and its end ---

def processes():
    """Those that a recorder of this test is, or has started."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if MARK.encode() in file.read().split(b"\0"):
                    found.append(int(pid))
        except OSError:
            pass
    return found


def kill(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def wait_until(is_so, what):
    end = time.monotonic() + LIMIT_S
    while not is_so():
        if time.monotonic() > end:
            raise RuntimeError(f"{what}: not in {LIMIT_S} s")
        time.sleep(0.001)


def start(killed, options):
    """The process, or None where it is a daemon."""
    calls = " || ".join(f"common_pid == {pid}" for pid in killed.callers.pids())
    command = RECORD + ["--filter", calls, *options, "-o", killed.capture]
    env = dict(os.environ, **dict([MARK.split("=", 1)]))
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "env": env}
    if "--daemon" not in options:
        process = subprocess.Popen(command, stderr=open(os.path.join(killed.folder, "err"), "w"), **quiet)
        killed.pid = process.pid
        return process
    command.remove("-q")
    result = subprocess.run(command, stderr=subprocess.PIPE, text=True, **quiet)
    said = re.search(r"process (\d+) records", result.stderr)
    if not said:
        raise RuntimeError(f"no daemon: {result.stderr}")
    killed.pid = int(said[1])
    return None


def ask(killed, which):
    killed.signals_ns.append(producers.monotonic_ns())
    os.kill(killed.pid, which)


def wait_for_cut(killed, which):
    """How long it took."""
    wait_until(lambda: tap.run(tap.TSTREAM, "ctl", killed.capture, "status").status == 0, "a recorder that answers")
    time.sleep(random.uniform(0.05, 0.15))
    begin = time.monotonic()
    if which:
        ask(killed, which)
    wait_until(killed.finished, "a finished directory")
    return time.monotonic() - begin if which else SIZE_PERIOD_S


def kill_within_cut(killed, which, process):
    took = wait_for_cut(killed, which)
    time.sleep(random.uniform(0, 0.05))
    victims = processes() if random.random() < 0.5 else []
    if which:
        ask(killed, which)
    time.sleep(random.uniform(0, took * 1.3))
    killed.at_ns = producers.monotonic_ns()
    kill([killed.pid])
    killed.was_cutting = killed.is_cutting()
    if victims:
        kill(victims + processes())  # a merge is younger than the list
    if process:
        process.wait()
    wait_until(lambda: not processes(), "the end of what it had started")


def kill_once(folder, mode, options):
    """What was killed, and a complaint or None."""
    name, mode_options, which = mode
    killed = Killed(folder, name.split()[0])
    if not which:
        mode_options = mode_options + ["--switch-output=" + ("64K" if "-z" in options else "256K")]
    try:
        kill_within_cut(killed, which, start(killed, mode_options + options))
    except (RuntimeError, ProcessLookupError) as error:
        kill(processes())
        with open(os.path.join(folder, "err"), "a+") as file:
            file.seek(0)
            return killed, f"{error}: {file.read()[-300:]}"
    finally:
        killed.callers.end()
    return killed, None


# --- what it left ---

def read_directory(path, is_finished, complaints):
    """Its calls by producer."""
    check = tap.run(tap.TSTREAM, "check", "-i", path)
    ours, perf = (tap.run(tool, "report", "--stats", "-i", path) for tool in (tap.TSTREAM, tap.PERF or tap.TSTREAM))
    script = tap.run(tap.TSTREAM, "script", "-i", path)
    if check.status or script.status or EXPECTED.sub("", tap.but_losses(script.err)):
        complaints.append(f"{path} is not sound: {check.out}{check.err}{script.err}"[:400])
    if ours.status or perf.status or ours.out != perf.out:
        said = "".join(f"{each.status} {each.out}{each.err}" for each in (perf, ours))
        complaints.append(f"{path} is not read alike: {said}"[:800])
    if is_finished:
        with open(os.path.join(path, "tstream.json")) as file:
            state = json.load(file)["state"]
        if state != "complete":
            complaints.append(f"{path} is {state}")
    return producers.calls_by_producer(script.out)


def is_gapless(numbers):
    return numbers == list(range(numbers[0], numbers[0] + len(numbers))) if numbers else True


def judge_numbers(killed, finished, running, complaints):
    """Lists of numbers of one producer each, for each pid; False where the last ones were late."""
    in_time, limits = True, killed.callers.last_before(killed.at_ns - FLUSH_MS * 1_000_000)
    for pid in killed.callers.pids():
        parts = [calls.get(pid, []) for calls in finished + running]
        told = [killed.callers.last_before(at_ns)[pid] for at_ns in killed.signals_ns]
        for number, (part, last) in enumerate(zip(parts[:len(finished)], told)):
            if (part or [0])[-1] < last:
                complaints.append(f"directory {number} ends with {part[-1:]}, before its signal at {last}")
        wrong = WRONG[killed.kind](parts, limits[pid])
        if wrong:
            complaints.append(f"{wrong}: " + ", ".join(f"{part[:1]} to {part[-1:]} ({len(part)})" for part in parts))
        in_time = in_time and (killed.kind == "dump" or max((part[-1] for part in parts if part), default=0) >= limits[pid])
    return in_time


def has_all_but_the_youngest(numbers, limit):
    """What follows a cut may be written before the last of what precedes it, both younger than --flush."""
    old = [number for number in numbers if number <= limit]
    return bool(numbers) and numbers == sorted(set(numbers)) and is_gapless(old)


def wrong_in_rotation(parts, limit):
    is_whole = has_all_but_the_youngest(sum(parts, []), limit) and all(map(is_gapless, parts))
    return None if is_whole else "the directories do not have every call once"


def wrong_in_dumps(parts, _):
    numbers = sum(parts, [])
    return None if all(map(is_gapless, parts)) and numbers == sorted(set(numbers)) else "gaps, or calls twice"


def wrong_in_snapshots(parts, limit):
    *snapshots, rescued = parts
    is_whole = has_all_but_the_youngest(rescued, limit) and all(
        part and is_gapless(part) and part[0] == rescued[0] and part[-1] <= rescued[-1] for part in snapshots)
    return None if is_whole else "not every call up to the last"


WRONG = {"rotation": wrong_in_rotation, "dump": wrong_in_dumps, "snapshot": wrong_in_snapshots}


def rescue(killed, complaints):
    result = tap.run(tap.TSTREAM, "rescue", killed.hold())
    if result.status or os.path.exists(killed.hold()):
        complaints.append(f"rescue: status {result.status}, {result.out}{result.err}")


def read_once(killed, complaint):
    """Complaints, and whether the last calls were there in time."""
    complaints = [complaint] if complaint else []
    if complaints:
        return complaints, False
    if killed.kind == "snapshot":
        rescue(killed, complaints)
    following = killed.capture + ".new"
    if not os.path.exists(following + "/data") and has_records(following):
        complaints.append(f"{following} has streams, and is not readable")
    finished = [read_directory(path, True, complaints) for path in killed.finished()]
    running = [read_directory(path, False, complaints) for path in killed.running()]
    return complaints, judge_numbers(killed, finished, running, complaints)


def has_records(path):
    return any(map(os.path.getsize, glob.glob(path + "/data.*")))


def begin_anew(killed, options):
    """A complaint where another recorder to the same place does not end well, or a directory is gone."""
    was = {os.stat(path).st_ino: path for path in killed.finished() + killed.running() if has_records(path)}
    result = tap.run(*RECORD, *(word for word in options if word != "--daemon"), "-o", killed.capture, "--", "true")
    gone = set(was) - {os.stat(path).st_ino for path in glob.glob(killed.capture + "*")}
    is_fine = not result.status and not gone
    return [] if is_fine else [f"anew: status {result.status} {result.err}, gone: {[was[inode] for inode in gone]}"]


# --- many times ---

class Tally:
    def __init__(self):
        self.kills = self.cutting = self.good = self.late_in_a_row = 0

    def add(self, killed, in_time):
        self.kills += 1
        self.cutting += killed.was_cutting
        self.good += in_time
        self.late_in_a_row = 0 if in_time else self.late_in_a_row + 1


def kill_some(folder, mode, options, nr, tally):
    """The first complaint of so many kills, or none."""
    folders = [os.path.join(folder, str(number)) for number in range(nr)]
    all_killed = []
    try:
        for each in folders:
            os.mkdir(each)
            all_killed.append(kill_once(each, mode, options))
        read = tap.at_once([functools.partial(read_once, *how) for how in all_killed])
        for killed, (complaints, in_time) in zip(all_killed, read):
            tally.add(killed[0], in_time)
            if "--daemon" in options and not complaints:
                complaints = begin_anew(killed[0], mode[1] + options)
            if complaints:
                return f"kill {tally.kills}, seed {SEED}, {killed[0].folder}:\n" + "\n".join(complaints)
    finally:  # told to end, too
        kill(processes())
        for killed, _ in all_killed:
            shutil.rmtree(killed.hold(), True)
    return None


def kill_many(mode, options, tally):
    while tally.good < KILLS and tally.late_in_a_row < TRIES:
        folder = tempfile.mkdtemp(prefix="kills.", dir=tap.scratch)
        complaint = kill_some(folder, mode, options, min(KILLS - tally.good, READ_AT_ONCE), tally)
        if complaint and os.environ.get("KEEP"):
            shutil.move(folder, tempfile.mkdtemp(prefix="tstream-kill."))
        shutil.rmtree(folder, True)
        print(f"# {tally.kills} kills, {tally.cutting} within a cut", flush=True)
        if complaint:
            return complaint
    return None if tally.good == KILLS else f"calls older than --flush are missing after {TRIES} kills in a row"


def check(mode, options):
    tally = Tally()
    complaint = kill_many(mode, options, tally)
    tap.ok(not complaint, f"{tally.kills} kills within a {mode[0]}, {' '.join(options)}", complaint)
    return tally


def main():
    if not tap.can_record_all() or not tap.has_tracepoints():
        tap.skip_all("needs the right to record tracepoints")
    rows = [(mode, [*layout, pack]) for mode in MODES for layout in LAYOUTS for pack in ("-z", "-z0")]
    rows += [(mode, ["--daemon", pack]) for mode, pack in zip(MODES[1:], ("-z", "-z0", "-z"))]
    tallies = [check(*row) for row in rows]
    tap.equal(processes(), [], "no process is left")
    print(f"# {sum(t.kills for t in tallies)} kills, {sum(t.cutting for t in tallies)} of them within a cut")
    tap.done()


main()
