#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--follow: what comes is printed while it comes, once and in order, until the recording ends, its recorder is killed, or ^C;
report shows its rows on a terminal, and prints the whole at the end.

The recorder of made captures is played by a lock on their directory, and by appending to their stream what was recorded before."""
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402
import terminal  # noqa: E402

SUPPORT = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs")
LAY = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/lay_capture")
LIMIT_S = 60
CALL = re.compile(r"NR \d+ \(ffffffff, ([0-9a-f]+),")


def not_ignored():
    """In the child: a shell has its background jobs ignore ^C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Follower:
    """A command that follows, its output in a file."""

    number = 0

    def __init__(self, command, capture, *options):
        Follower.number += 1
        self.path = tap.path(f"out{Follower.number}")
        with open(self.path, "wb") as out:
            self.process = subprocess.Popen([tap.TSTREAM, command, "--follow", "-i", capture, *options], stdout=out,
                                            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=not_ignored)

    def text(self):
        with open(self.path, encoding="utf-8", errors="replace") as f:
            return f.read()

    def wait_for(self, is_there):
        """Until its output is so; False: it did not come about."""
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end and self.process.poll() is None:
            if is_there(self.text()):
                return True
            time.sleep(0.02)
        return is_there(self.text())

    def wait_for_open(self, capture):
        """Until it has mapped the capture: before that it looks whether somebody records it."""
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end and self.process.poll() is None:
            with open(f"/proc/{self.process.pid}/maps", encoding="utf-8") as f:
                if f"{capture}/data" in f.read():
                    break
            time.sleep(0.01)

    def interrupt(self):
        """Once it takes ^C by itself, for which it has blocked it in all threads."""
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end and self.process.poll() is None:
            with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as f:
                blocked = int(re.search(r"^SigBlk:\s*(\w+)", f.read(), re.M).group(1), 16)
            if blocked >> (signal.SIGINT - 1) & 1:
                break
            time.sleep(0.01)
        self.process.send_signal(signal.SIGINT)

    def end(self):
        """When it ends by itself: status, stderr."""
        try:
            err = self.process.communicate(timeout=LIMIT_S)[1].decode()
        except subprocess.TimeoutExpired:
            self.process.kill()
            err = "it did not end: " + self.process.communicate()[1].decode()
        return self.process.returncode, err


class Growing:
    """A capture of one stream that grows; nothing in it is younger than --flush for long."""

    def __init__(self, whole, name):
        self.path = tap.path(name)
        os.mkdir(self.path)
        shutil.copy(os.path.join(whole, "data"), self.path)
        with open(os.path.join(whole, "data.0"), "rb") as f:
            self.bytes = f.read()
        with open(os.path.join(self.path, "tstream.json"), "w", encoding="utf-8") as f:
            json.dump({"state": "recording", "flush_ns": 1000000}, f)
        self.at = 0
        self.grow_to(0)
        self.lock = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(self.lock, fcntl.LOCK_EX)

    def grow_to(self, share):
        """To that share of its bytes, amidst a chunk as a rule."""
        to = int(share * len(self.bytes)) & ~7
        with open(os.path.join(self.path, "data.0"), "ab") as f:
            f.write(self.bytes[self.at:to])
        self.at = max(to, self.at)

    def end(self, is_clean):
        if is_clean:
            with open(os.path.join(self.path, "tmp-tstream.json"), "w", encoding="utf-8") as f:
                json.dump({"state": "complete", "writers": [{"stream": "data.0", "stream_bytes": self.at}]}, f)
            os.rename(os.path.join(self.path, "tmp-tstream.json"), os.path.join(self.path, "tstream.json"))
        os.close(self.lock)


def lines_at(whole, share):
    """The text of a capture whose recorder was killed when it had that share, but for a chunk that breaks off."""
    copy = Growing(whole, "copy")
    copy.grow_to(share)
    copy.end(False)
    text = tap.run(tap.TSTREAM, "script", "-i", copy.path).out
    shutil.rmtree(copy.path)
    return text.count("\n")


def check_script(whole):
    growing = Growing(whole, "grows")
    growing.grow_to(0.2)
    follower = Follower("script", growing.path)
    came = []
    for share in (0.2, 0.35, 0.36, 0.7):
        growing.grow_to(share)
        # a chunk has 200 samples at most; the one that breaks off may be among those of the killed one
        least = lines_at(whole, share) - 200
        came.append(follower.wait_for(lambda text, least=least: text.count("\n") >= least))
    tap.ok(all(came), "script prints what comes while it comes", came)
    growing.grow_to(1)
    growing.end(True)
    status, err = follower.end()
    wanted = tap.run(tap.TSTREAM, "script", "-i", growing.path)
    tap.equal((status, err), (0, ""), "it ends with the recording, without complaint")
    tap.ok(follower.text() == wanted.out and wanted.out.count("\n") > 50000, "what it printed is what script prints of it then",
           f"{follower.text().count(chr(10))} lines of {wanted.out.count(chr(10))}")
    done = tap.run(tap.TSTREAM, "script", "--follow", "-i", growing.path)
    tap.equal((done.status, done.out == wanted.out, done.err), (0, True, ""), "of a capture that is complete it prints all and ends")


def check_killed(whole):
    growing = Growing(whole, "killed")
    growing.grow_to(0.5)
    follower = Follower("script", growing.path, "-C", "0")
    tap.ok(follower.wait_for(lambda text: text), "a selection is followed")
    growing.end(False)
    status, err = follower.end()
    tap.equal((status, err), (0, f"tstream: note: the recorder of {growing.path} was killed: only the records written until then are shown\n"),
              "it ends when the recorder is killed, and says so")
    tap.equal(follower.text(), tap.run(tap.TSTREAM, "script", "-C", "0", "-i", growing.path).out, "with all that there is")


def check_interrupt(whole):
    growing = Growing(whole, "stopped")
    growing.grow_to(0.5)
    follower = Follower("script", growing.path)
    follower.wait_for(lambda text: text)
    follower.process.send_signal(signal.SIGINT)
    status, err = follower.end()
    tap.ok(status == 130 and "damaged" not in err and follower.text().endswith("\n"), "^C ends it behind a line, with 130",
           f"{status} {err}")
    growing.end(False)


REFUSED = {"script": ("-D", "--header-only", "--reltime", "--deltatime", "--time=10%-20%"),
           "report": ("-D", "--header-only", "--stats", "--tasks", "--loss", "--time=10%-20%", "-i.")}


def check_refusals(whole):
    for command, options in REFUSED.items():
        for option in options:
            result = tap.run(tap.TSTREAM, command, "--follow", "-i", whole, option)
            tap.ok(result.status == 2 and "cannot follow" in result.err, f"{command}: not with {option}", result.err)
    growing = Growing(whole, "misused")
    result = tap.run(tap.TSTREAM, "report", "--follow", "-i", growing.path, "-s", "cgroup", timeout=20)
    tap.ok(result.status == 2 and "cgroup" in result.err, "a key that no sample has is refused at once", result.err)
    growing.end(False)


ROWS, COLUMNS = 20, 60
STATUS = re.compile(r"# (?:the last \S+ of )?\d+ s, (\d+) samples, nothing lost; ")
ROW = re.compile(r" +\d+\.\d\d%")


def shown_rows(lines):
    return [" ".join(line.split()) for line in lines if ROW.match(line)]


def shown_samples(t):
    """How many samples its first line tells of."""
    said = STATUS.match(t.lines[0])
    return int(said.group(1)) if said else -1


def on_terminal(growing, *options):
    return terminal.Terminal(ROWS, COLUMNS, [tap.TSTREAM, "report", "--follow", "-i", growing.path, *options],
                             env=dict(os.environ, PAGER="cat", TERM="xterm"), preexec_fn=not_ignored)


def check_elsewhere(followers, stopped):
    """Where stdout is no terminal."""
    tap.equal([f.text() for f in (*followers, stopped)], ["", "", ""], "elsewhere nothing is printed before the end")
    stopped.interrupt()
    status, err = stopped.end()
    tap.ok(status == 0 and shown_rows(stopped.text().splitlines()) == ["100.00% 000"], "^C gives the report up to then",
           f"{status} {err} {stopped.text()}")


def check_window(t, rows):
    """It has moved along since it showed these rows."""
    t.wait_for(lambda t: rows[0] not in shown_rows(t.lines))
    t.process.send_signal(signal.SIGINT)
    status, err = t.end()
    tap.equal((status, err), (0, ""), "^C ends what is shown on a terminal")
    tap.ok(4000 <= shown_samples(t) <= 5001 and not set(rows) & set(shown_rows(t.lines)),
           "what was shown stays, and the window has moved along", t.lines)


def check_shown(t, nr):
    t.wait_for(lambda t: shown_samples(t) >= nr)
    tap.equal(shown_samples(t), nr, "report shows on a terminal what comes, each sample once")
    tap.ok(len(t.lines) == ROWS and t.lines[-1] == "" and max(map(len, t.lines)) <= COLUMNS and t.wraps,
           "in place, as much as the terminal has room for", t.lines)


def check_report(whole):
    """By cpu and addresses, of which there are more than rows on the terminal; and others beside it."""
    options = ("-n", "-s", "cpu,sym", "--mem-limit=24M")
    nr = tap.run(tap.TSTREAM, "script", "-i", whole, "-C", "0", "-F", "time").out.count("\n")
    growing = Growing(whole, "shown")
    growing.grow_to(0.5)
    t = on_terminal(growing, *options)
    window = on_terminal(growing, "--last=50us", "-s", "time", "--time-quantum=10us")
    followers = [Follower("report", growing.path), Follower("report", growing.path, "--json")]
    stopped = Follower("report", growing.path, "-s", "cpu")
    t.wait_for(lambda t: shown_samples(t) > 0)
    window.wait_for(lambda t: shown_samples(t) > 0)
    tap.ok(0 < shown_samples(t) < 0.7 * nr, "report shows on a terminal what there is", t.lines)
    tap.ok(4000 <= shown_samples(window) <= 5001 and "the last 50us of" in window.lines[0],
           "a window is as long as it was asked for", window.lines)
    check_elsewhere(followers, stopped)
    growing.grow_to(1)
    check_window(window, shown_rows(window.lines))
    check_shown(t, nr)
    drawn = shown_rows(t.lines)
    growing.end(True)
    ends = [f.end() for f in (t, *followers)]
    tap.equal(ends, [(0, "")] * 3, "all end with the recording, without complaint")
    wanted = [tap.run(tap.TSTREAM, "report", "-i", growing.path, *more).out for more in (options, (), ("--json",))]
    rows = shown_rows(wanted[0].splitlines())
    tap.ok(drawn and drawn == rows[:len(drawn)] and len(rows) > ROWS, "the rows were the first ones of all that there are",
           f"{drawn} {rows[:ROWS]}")
    tap.ok(all(wanted) and ["\n".join(t.lines), *(f.text() for f in followers)] == wanted,
           "what stands there then is what report prints, also in a file, and as JSON", "\n".join(t.lines[:ROWS]))


def check_report_of_what_does_not_grow(whole):
    growing = Growing(whole, "dies")
    growing.grow_to(0.5)
    follower = Follower("report", growing.path)
    follower.wait_for_open(growing.path)
    growing.end(False)
    status, err = follower.end()
    tap.equal((status, err), (0, f"tstream: note: the recorder of {growing.path} was killed: only the records written until then are shown\n"),
              "report ends when the recorder is killed, and says so")
    done = tap.run(tap.TSTREAM, "report", "--follow", "-i", growing.path)
    tap.equal(done.out, follower.text(), "with all that there is")
    for command in ("report", "script"):
        of_perf = tap.run(tap.TSTREAM, command, "--follow", "-i", os.path.join(whole, "data"))
        tap.ok("cannot follow" in of_perf.err, f"{command}: that a file of perf does not tell whether it grows is said", of_perf.err)


def check_recorder():
    if not tap.can_record_all() or not os.path.isdir("/sys/kernel/tracing/events/raw_syscalls"):
        tap.skip("a running recorder is followed", "needs the right to record tracepoints")
        return
    capture = tap.path("live")
    latecomer = tap.path("latecomer")
    shutil.copy(os.path.join(SUPPORT, "numbered_calls"), latecomer)
    recorder = subprocess.Popen([tap.TSTREAM, "record", "-q", "-e", "raw_syscalls:sys_enter", "-m", "8M", "--flush=50ms",
                                 "-o", capture, "--", "sh", "-c", "echo ready; read line; exec $0 $1 5 $2", latecomer,
                                 str(min(os.sched_getaffinity(0))), tap.path("progress")],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if recorder.stdout.readline() != "ready\n":
        tap.skip("a running recorder is followed", recorder.communicate()[1])
        return
    follower = Follower("script", capture)
    tap.ok(follower.wait_for(lambda text: re.search(r"^ +sh +\d", text)), "a running recorder is followed")
    recorder.stdin.write("go\n")
    recorder.stdin.flush()
    tap.ok(follower.wait_for(lambda text: "latecomer " in text and len(CALL.findall(text)) > 100),
           "the name of a program that starts meanwhile is known", follower.text()[-300:])
    recorder.send_signal(signal.SIGINT)
    try:
        err = recorder.communicate(timeout=LIMIT_S)[1]
    except subprocess.TimeoutExpired:
        recorder.kill()
        err = "it did not end: " + recorder.communicate()[1]
    status, said = follower.end()
    wanted = tap.run(tap.TSTREAM, "script", "-i", capture)
    tap.equal(status, 0, "it ends with the recording")
    # A name that a busy machine wrote late is not known to the line before it; the recorder of a made capture is never late.
    ours, theirs = (sorted(line[16:] for line in text.splitlines()) for text in (follower.text(), wanted.out))
    tap.ok(ours == theirs and ours, "nothing is missing, nothing comes twice", f"{len(ours)} of {len(theirs)} {said} {err}")


def main():
    whole = tap.path("whole")
    laid = tap.run(LAY, whole, "plain")
    if laid.status:
        tap.skip_all(laid.err or laid.out)
    check_script(whole)
    check_killed(whole)
    check_interrupt(whole)
    check_report(whole)
    check_report_of_what_does_not_grow(whole)
    check_refusals(whole)
    check_recorder()
    tap.done()


main()
