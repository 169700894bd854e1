#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every two options of `record` together: each pair records, or is refused in the one sentence that REFUSED names.

FACTORS is the table: options, and for each what it may be. A pairwise design (tests/support/pairwise.py) puts all pairs
that are not refused into some fifty recordings. In each a process makes CALLS numbered system calls. perf and tstream
must read the same out of the capture, the calls must ascend, and those that are kept and those that the ledger counts
as lost must be all that were made; where nobody can know when sampling began, all since the first that was kept.
`--help` is compared with the table, so that an option that is new cannot be forgotten.
"""
import collections
import functools
import glob
import itertools
import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import pairwise  # noqa: E402
import registers  # noqa: E402
import tap  # noqa: E402

CALLS = 300
EVENT = "syscalls:sys_enter_getpriority"  # which nothing calls that starts or ends
CLOCK = "cpu-clock/period=10000000/"  # 100 a second, whatever -F and -c say
CPUS = tap.online_cpus()
ALL_CPUS = ",".join(str(c) for c in CPUS)
HALVES = [CPUS[:len(CPUS) // 2], CPUS[len(CPUS) // 2:]]
MASKS = ":".join(f"{','.join(map(str, half))}/{half[0]}" for half in HALVES if half)
TIMEOUT_S = 60  # for what takes a part of a second

COMM = f"pairs{os.getpid()}"  # of those that call, since others on this machine may call it, too
# Waits at its gate, if it has one, and asks for the priority of processes that do not exist, by number. Where nobody
# can tell when sampling begins it goes slowly. Holds `done` open until it ends.
CALLER = f"""
import os, sys, time
open("/proc/self/comm", "w").write("{COMM}")
gate, done, pause = sys.argv[1], sys.argv[2], float(sys.argv[3])
if gate:
    os.read(os.open(gate, os.O_RDONLY), 1)
if done:
    held = open(done, "w")
for number in range(1, {CALLS} + 1):
    try:
        os.getpriority(os.PRIO_PROCESS, number + (1 << 24))
    except OSError:
        pass
    if pause:
        time.sleep(pause)
"""

# What each option may be: the words of the command line. {gate} and the like are filled in for each recording. What the
# program does not know yet or any more (--help tells) is left out.
FACTORS = {
    "threads": ["", "--threads=cpu", "--threads=core", "--threads=l3", "--threads=die", "--threads=socket",
                "--threads=numa", "--threads=" + MASKS],
    "-k": ["", "-k mono", "-k mono_raw", "-k boottime", "-k realtime", "-k tai"],
    "--io": ["", "--io=uring", "--io=pwrite", "--io=uring,buffered", "--io=pwrite,buffered"],
    "-z": ["", "-z", "-z0", "--compression-level=12"],
    "-a": ["", "-a"],
    "-C": ["", "-C " + ALL_CPUS],
    "tasks": ["", "-p {target}", "-t {target}"],
    "command": ["", "command"],
    "-e": [f"-e {EVENT}", f"-e {CLOCK},page-faults -e {EVENT}", f"-e {CLOCK}", "-e page-faults,context-switches"],
    "--filter": ["", "--filter who>0"],
    "-F": ["", "-F 1000", "-F max"],
    "-c": ["", "-c 1", "-c 3"],
    "-g": ["", "-g"],
    "--call-graph": ["", "--call-graph fp", "--call-graph dwarf", "--call-graph dwarf,1024"],
    "-d": ["", "-d"],
    "-T": ["", "-T"],
    "-s": ["", "-s"],
    "-W": ["", "-W --code-page-size"],
    "-I": ["", "-I", f"--intr-regs={registers.IP} --user-regs={registers.SP}"] if registers.ALL else [""],
    "--all-cgroups": ["", "--all-cgroups --switch-events"],
    "-R": ["", "-R"],
    "-D": ["", "-D 20", "-D -1"],
    "--control": ["", "--control fd:{command_fd},{ack_fd}", "--control fifo:{commands},{acks}"],
    "-m": ["", "-m 64K:64K", "-m 4M"],
    "--flush": ["", "--flush 10ms", "--flush 1h"],
    "-r": ["", "-r 1"],
    "-q": ["", "-q", "-v", "-vv"],
    "--aio": ["", "--aio", "--aio=4"],
    "--affinity": ["", "--affinity=node"],
    "--exclude-self": ["", "--exclude-self"],
    "--min-free": ["", "--min-free 1M"],
    "--max-size": ["", "--max-size 64G"],
    "--sync": ["", "--sync 50ms"],
    "--overwrite": ["", "--overwrite"],
    "-M": ["", "-M 64M", "-M 1h"],
    "--switch-output": ["", "--switch-output", "--switch-output=1d --keep-bytes 1G"],
}

# Options that are no factor, and where they are: -o is in each recording and, as /dev/null, in rows of its own; before
# each recording its command line is tried with --dry-run. Options that leave out some of the calls are compared with perf's
# in attr_equals_perf.py.
ELSEWHERE = {"--switch-output-event": "--switch-output", "--trigger": "--switch-output", "--min-interval": "", "--after": "", "--before": "",
             "--daemon": "", "--socket": "--switch-output", "--dead-man": "--switch-output",
             "--output": "-o", "--dry-run": "", "--help": "", "--no-inherit": "", "--all-user": "", "--all-kernel": "",
             "--kernel-callchains": "", "--user-callchains": "", "--phys-data": "", "--data-page-size": "", "--transaction": "",
             "--code-page-size": "-W", "--user-regs": "-I", "--switch-events": "--all-cgroups", "--branch-any": "", "--cgroup": "", "--branch-filter": "",
             "--switch-max-files": "--switch-output", "--keep-bytes": "--switch-output", "--timestamp-filename": "", "--on-snapshot": "--timestamp-filename", "--archive": "", "--no-samples": "", "--strict-freq": "", "--uid": "", "--proc-map-timeout": ""}
LONG_NAMES = {"--all-cpus": "-a", "--cpu": "-C", "--pid": "tasks", "--tid": "tasks", "--event": "-e", "--freq": "-F",
              "--count": "-c", "--data": "-d", "--raw-samples": "-R", "--timestamp": "-T", "--clockid": "-k",
              "--stat": "-s", "--intr-regs": "-I", "--weight": "-W", "--delay": "-D", "--threads": "threads", "--mmap-pages": "-m",
              "--compression-level": "-z", "--realtime": "-r", "--memory": "-M", "--quiet": "-q", "--verbose": "-q"}

# Pairs of beginnings that are refused: words of the one sentence, or of its hint.
REFUSED = {
    ("-F", "-c"): "cannot record with both -F and -c: a frequency and a period exclude each other",
    ("-p", "-t"): "cannot use --pid with --tid: give only one",
    ("-M", "--overwrite"): "cannot use -M with --overwrite",
    ("-M", "--switch-output"): "cannot use -M with --switch-output",
    ("-M", "--switch-output=1d"): "cannot use -M with --switch-output",
    ("-M", "--max-size"): "cannot use -M with --max-size",
    (f"-e {CLOCK}", "--filter"): "is not a tracepoint",
    ("-e page-faults,context-switches", "--filter"): "is not a tracepoint",
}
# Tracepoints fire in NMIs, too, where the kernel cannot read these clocks: it says so when they are opened.
NOT_IN_NMI = ("-k boottime", "-k realtime", "-k tai")
for clock in NOT_IN_NMI:
    REFUSED[(clock, f"-e {EVENT}")] = "try another -k: the event may not allow clock"
    REFUSED[(clock, f"-e {CLOCK},page-faults -e {EVENT}")] = "try another -k: the event may not allow clock"
# Options that are refused alone, and so beside every other.
REFUSED_ALONE = {
    "-S": "cannot use -S (--snapshot): AUX areas are not recorded",
    "--aux-sample": "cannot use --aux-sample: AUX areas are not recorded",
    "-o -": "cannot write to '-': several writers write a directory, not a pipe",
    "--no-such": "cannot use --no-such: there is no such option",
}


def begins(level, option):
    return level == option or level.startswith(option + " ")


def refused_levels():
    """Every two levels that the table refuses together."""
    levels = [level for name in FACTORS for level in FACTORS[name] if level]
    pairs = {frozenset((x, y)) for one, other in REFUSED for x in levels for y in levels
             if begins(x, one) and begins(y, other)}
    # a filter is a tracepoint's, so it comes with none of the clocks that those cannot have
    return pairs | {frozenset((clock, x)) for clock in NOT_IN_NMI for x in FACTORS["--filter"] if x}


def make_judge():
    """is_allowed() for rows: nothing that is refused, and somebody to record."""
    refused = refused_levels()

    def is_allowed(row):
        return (any(row.get(name, "later") for name in ("-a", "-C", "tasks", "command")) and
                not any(frozenset(pair) in refused for pair in itertools.combinations(row.values(), 2)))
    return is_allowed


def known_options():
    """Every option that --help tells of, by its long name where it has one."""
    text = tap.run(tap.TSTREAM, "record", "--help").out
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


def check_completeness():
    known = known_options()
    for name in [name for name in FACTORS if name.startswith("--") and name not in known]:
        print(f"# this program has no {name}")
        del FACTORS[name]
    covered = set(FACTORS) | set(LONG_NAMES) | set(ELSEWHERE)
    tap.equal(known - covered, set(), "the table has every option of --help")


class Pipes:
    """What a recording is told and tells by: gate and end of the target, control commands and acknowledgements."""

    def __init__(self, row):
        self.names = {name: tap.path(name) for name in ("gate", "done", "commands", "acks")}
        for name in self.names.values():
            if os.path.exists(name):
                os.unlink(name)
            os.mkfifo(name)
        self.gate_fd = os.open(self.names["gate"], os.O_RDWR)  # so that no end waits for the other
        self.command_fd = self.ack_fd = None
        self.theirs = ()
        if "fd:" in row["--control"]:
            theirs, self.command_fd = os.pipe()
            self.ack_fd, theirs_too = os.pipe()
            self.theirs = (theirs, theirs_too)
        elif row["--control"]:
            self.command_fd = os.open(self.names["commands"], os.O_RDWR)
            self.ack_fd = os.open(self.names["acks"], os.O_RDWR)

    def fill(self, text, target):
        numbers = {"command_fd": self.theirs[0], "ack_fd": self.theirs[1]} if self.theirs else {}
        return text.format(target=target, **self.names, **numbers)

    def hand_over(self):
        for fd in self.theirs:
            os.close(fd)

    def tell(self, word):
        os.write(self.command_fd, word.encode() + b"\n")
        ready = select.select([self.ack_fd], [], [], TIMEOUT_S)[0]
        return bool(ready) and os.read(self.ack_fd, 5) == b"ack\n\0"

    def open_gate(self):
        os.write(self.gate_fd, b"!")

    def close(self):
        for fd in (self.gate_fd, self.command_fd, self.ack_fd):
            if fd is not None:
                os.close(fd)


class Listener(threading.Thread):
    """Takes what a recorder says, and knows when it has said a line."""

    def __init__(self, stream):
        super().__init__(daemon=True)
        self.stream, self.text, self.has_enabled = stream, "", threading.Event()
        self.start()

    def run(self):
        for line in self.stream:
            self.text += line
            if "Events enabled" in line:
                self.has_enabled.set()


class Recording:
    """One row of the design, recorded. `is_exact`: the first call comes after sampling began."""

    def __init__(self, row, output):
        self.row, self.output = row, output
        self.is_command = not row["tasks"] and bool(row["command"])  # the caller is the command
        self.is_held = not self.is_command or bool(row["-D"] or row["--control"])
        is_told = bool(row["--control"]) or (row["-D"] == "-D 20" and row["-q"] != "-q")
        opens_itself = bool(row["command"]) and bool(row["tasks"]) and not row["-D"] and not row["--control"]
        self.opens_itself = opens_itself
        self.is_silent = row["-D"] == "-D -1" and not row["--control"]  # nothing will be sampled
        self.is_exact = is_told or not row["-D"] and bool(row["command"]) and (opens_itself or self.is_command)
        self.is_dropped = output == "/dev/null"
        self.complaint = None

    def caller(self, done):
        gate = self.pipes.names["gate"] if self.is_held else ""
        return [sys.executable, "-S", "-E", "-c", CALLER, gate, done, "0" if self.is_exact else "0.001"]

    def command(self):
        """What tstream starts: the caller, or who waits for it."""
        if not self.row["command"]:
            return []
        if self.is_command:
            return ["--"] + self.caller("")
        done, gate = self.pipes.names["done"], self.pipes.names["gate"]
        return ["--", "sh", "-c", (f"echo ! >{gate}; " if self.opens_itself else "") + f"timeout {TIMEOUT_S} cat {done}"]

    def options(self, target):
        return [word for text in self.row.values() if text and text != "command"
                for word in self.pipes.fill(text, target).split(" ")]

    def start_caller(self):
        """The process that is recorded where it is not the command."""
        if self.is_command:
            return None
        return subprocess.Popen(self.caller(self.pipes.names["done"] if self.row["command"] else ""),
                                stdin=subprocess.DEVNULL)

    def wait_until_enabled(self):
        """As far as that can be known; the delay's own word where there is nobody to ask."""
        if self.row["--control"]:
            word = "enable" if self.row["-D"] else "ping"
            if not self.pipes.tell(word):
                self.complaint = f"{word} was not acknowledged"
        elif self.row["-D"] == "-D 20" and self.is_exact and not self.listener.has_enabled.wait(TIMEOUT_S):
            self.complaint = "-D never said that events are enabled"

    def end(self, other):
        """Ends what does not end with its command or targets; the statuses that it may have."""
        if other:
            other.wait(TIMEOUT_S)
        if self.row["command"]:  # with the targets the recording is over, and then its command is told to end
            return (0, 128 + signal.SIGTERM) if self.row["tasks"] else (0,)
        if self.row["tasks"]:
            return (0,)
        if self.row["--control"] and self.process.poll() is None:
            self.pipes.tell("stop")
            return (0,)
        self.process.send_signal(signal.SIGINT)
        return (-signal.SIGINT,)

    def run(self):
        self.pipes = Pipes(self.row)
        other = self.start_caller()
        words = [tap.TSTREAM, "record", *self.options(other.pid if other else 0), "-o", self.output]
        self.line = " ".join(words[1:])
        self.try_dry(words)
        self.process = subprocess.Popen(words + self.command(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True, pass_fds=self.pipes.theirs)
        try:
            self.pipes.hand_over()
            self.listener = Listener(self.process.stderr)
            self.let_it_happen(other)
        finally:
            for process in (self.process, other):
                if process and process.poll() is None:
                    process.kill()
                    process.wait()
            self.listener.join(TIMEOUT_S)
            self.process.stderr.close()
            self.pipes.close()

    def try_dry(self, words):
        """The same command line with --dry-run is taken, too, and opens nothing."""
        result = tap.run(*words, "--dry-run", *self.command(), pass_fds=self.pipes.theirs)
        if result.status != 0 or "descriptors:" not in result.out or os.path.exists(self.output) != self.is_dropped:
            self.complaint = f"--dry-run: status {result.status}\n{result.out}{result.err}"

    def let_it_happen(self, other):
        watchdog = threading.Timer(TIMEOUT_S, self.process.kill)
        watchdog.start()
        try:
            self.wait_until_there()
            if self.process.poll() is None:
                self.wait_until_enabled()
            if self.is_held and not self.opens_itself:
                self.pipes.open_gate()
            wanted = self.end(other)
            status = self.process.wait(TIMEOUT_S)
            if status not in wanted:
                self.complaint = self.complaint or f"status {status}, not {wanted}"
        except subprocess.TimeoutExpired:
            self.complaint = "it does not end"
        finally:
            watchdog.cancel()

    def wait_until_there(self):
        """Until the capture has its name, so that a signal ends a recording and not a start."""
        end = threading.Event()
        where = f"/dev/shm/tstream.{os.geteuid()}.{self.process.pid}/held" if self.row.get("-M") else self.output
        for _ in range(TIMEOUT_S * 100):
            if self.process.poll() is not None or os.path.exists(os.path.join(where, "data.0")):
                return
            end.wait(0.01)


def ledger_of(capture):
    with open(os.path.join(capture, "tstream.json")) as file:
        return json.load(file)["ledger"]


def calls_in(capture):
    """The numbers of the calls that are in a capture, in the order of time."""
    result = tap.run(tap.TSTREAM, "script", "-i", capture)
    found = re.findall(rf"^\s*{COMM}\s.* who: (?:0x)?([0-9a-f]+)", result.out, re.M)
    numbers = [int(number, 16) - (1 << 24) for number in found]
    return numbers, "" if result.status == 0 else f"script: status {result.status} {result.err}"


def has_overwritten(capture):
    with open(os.path.join(capture, "tstream.json")) as file:
        return any(ring.get("overwritten_bytes") for ring in json.load(file)["rings"])


def wrong_calls(recording, capture, lost):
    """What is wrong with the calls that were kept; None. Of those that were overwritten the newest are there."""
    if EVENT not in recording.row["-e"]:
        return None
    numbers, complaint = calls_in(capture)
    ascending = all(a < b for a, b in zip(numbers, numbers[1:]))
    made = CALLS if recording.is_exact and not has_overwritten(capture) else CALLS + 1 - numbers[0] if numbers else 0
    if complaint or not ascending:
        return complaint or f"not ascending: {numbers[:50]}"
    if recording.is_silent or recording.row["-F"]:
        return f"{len(numbers)} samples" if recording.is_silent and numbers else None
    # With -c 3, too, since a software event that says its period is a sample each time (perf_swevent_event()).
    fits = len(numbers) + lost >= made if lost else len(numbers) == made
    return None if fits else f"{made} calls, {len(numbers)} kept, {lost} lost; first {numbers[:3]}"


def wrong_statistics(capture):
    """What is wrong with what perf and tstream read; None."""
    perf = tap.run("timeout", "60", tap.PERF, "report", "--stats", "-i", capture)
    ours = tap.run(tap.TSTREAM, "report", "--stats", "-i", capture)
    if "build-id.c" in perf.err:  # see docs/differences.md: records that another recorder changed
        return None
    if perf.status or ours.status or perf.out != ours.out or tap.but_losses(ours.err):
        return f"perf {perf.status}: {perf.out}{perf.err}\ntstream {ours.status}: {ours.out}{ours.err}"
    return None


def wrong_words(recording):
    """-q says nothing when nothing was lost; nothing fails."""
    text = recording.listener.text
    if recording.row["-q"] == "-q" and text and "lost" not in text:
        return f"-q said: {text}"
    return f"an error: {text}" if "tstream: cannot" in text else None


def take_name_back(capture):
    """Of the only directory, which --switch-output has given a stamp."""
    stamped = glob.glob(capture + ".2*")
    if len(stamped) == 1 and not os.path.exists(capture):
        os.rename(stamped[0], capture)


def check_row(number, row):
    capture = tap.path("cap")
    tap.run("rm", "-rf", capture, capture + ".old")
    recording = Recording(row, capture)
    recording.run()
    take_name_back(capture)
    wrong = recording.complaint or wrong_words(recording)
    if not wrong:
        ledger = ledger_of(capture)
        lost = sum(r["records"] for r in ledger["ring_full_by_event"] if r["event"] == EVENT)
        if ledger["offered"] != ledger["kept"] + sum(ledger["lost"].values()):
            wrong = f"the ledger does not add up: {ledger}"
        found = tap.at_once([functools.partial(wrong_statistics, capture), functools.partial(wrong_calls, recording, capture, lost)])
        wrong = wrong or found[0] or found[1]
    tap.ok(not wrong, f"{number}: {recording.line.replace(tap.scratch, '')}", f"{wrong}\n{recording.listener.text}")


def check_dropped(row):
    """The same with -o /dev/null: it ends as it should, and leaves nothing."""
    tap.run("rm", "-rf", tap.path("cap"), tap.path("cap.old"))
    before = set(os.listdir(tap.scratch))
    recording = Recording(row, "/dev/null")
    recording.wait_until_there = lambda: recording.listener.join(0.3)
    recording.is_exact = bool(row["--control"])
    recording.run()
    left = set(os.listdir(tap.scratch)) - before - set(recording.pipes.names)
    wrong = recording.complaint or wrong_words(recording) or (left and f"left: {left}")
    tap.ok(not wrong, f"nowhere: {recording.line.replace(tap.scratch, '')}", f"{wrong}\n{recording.listener.text}")


def refusal(words, sentence):
    """What is wrong with the refusal of a command line; None."""
    capture = os.path.join(tempfile.mkdtemp(dir=tap.scratch), "refused")
    result = tap.run(tap.TSTREAM, "record", *words, "-o", capture, "--", "true")
    lines = [line for line in result.err.splitlines() if not line.startswith(("  hint:", "Try `", "tstream: note: "))]
    good = (result.status in (1, 2) and not result.out and len(lines) == 1 and sentence in result.err and
            not os.path.exists(capture))
    return None if good else f"{words}: status {result.status}\n{result.out}{result.err}"


def words_of(text):
    plain = {"target": str(os.getpid()), "command_fd": 0, "ack_fd": 1, "commands": "/dev/null", "acks": "/dev/null"}
    return text.format(**plain).split(" ") if text and text != "command" else []


def check_refusals():
    levels = [level for name in FACTORS for level in FACTORS[name] if level]
    for (one, other), sentence in REFUSED.items():
        tries = []
        for x, y in itertools.product([x for x in levels if begins(x, one)], [y for y in levels if begins(y, other)]):
            tries.append(functools.partial(refusal, words_of(x) + words_of(y), sentence))
            if not y.startswith("--filter"):  # which stands behind its event
                tries.append(functools.partial(refusal, words_of(y) + words_of(x), sentence))
        found = tap.at_once(tries)
        tap.ok(found and not any(found), f"{one} with {other} is refused in one sentence", "\n".join(filter(None, found)))
    for alone, sentence in REFUSED_ALONE.items():
        found = tap.at_once([functools.partial(refusal, words, sentence)
                             for level in levels if not level.startswith("--filter")
                             for words in (words_of(level) + alone.split(" "), alone.split(" ") + words_of(level))])
        tap.ok(not any(found), f"{alone} is refused in one sentence beside everything",
               "\n".join(list(filter(None, found))[:5]))


def is_sure_to_start(row):
    """Whether the caller cannot end before it is recorded, though there is no capture whose name would tell."""
    return bool(row["--control"]) or not row["tasks"] or bool(row["command"]) and not row["-D"]


def rows_for_each_level(rows):
    """Rows that have every level, as few as come first."""
    rows = [row for row in rows if is_sure_to_start(row)]
    missing = {item for row in rows for item in row.items()}
    for row in rows:
        if missing & set(row.items()):
            missing -= set(row.items())
            yield row


def main():
    if not tap.PERF:
        tap.skip_all("perf is not installed")
    if not tap.can_record_all():
        tap.skip_all("only root may record tracepoints")
    if not os.path.exists("/sys/kernel/tracing/events/" + EVENT.replace(":", "/")):
        tap.skip_all(f"this kernel has no {EVENT}")
    check_completeness()
    only = [int(n) for n in sys.argv[1:]]  # to try some rows alone
    is_allowed = make_judge()
    rows = pairwise.rows(FACTORS, is_allowed)
    pairs = pairwise.all_pairs(FACTORS, is_allowed)
    shown = collections.Counter(pair for row in rows for pair in pairwise.pairs_of(row))
    print(f"# {len(pairs)} pairs in {len(rows)} recordings")
    tap.equal(pairs - set(shown), set(), "every pair that is not refused is recorded")
    check_refusals()
    for number, row in enumerate(rows, 1):
        if not only or number in only:
            check_row(number, row)
    for row in rows_for_each_level(rows):
        check_dropped(row)
    tap.done()


main()
