#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""^C ends script between lines, also while nobody takes them, and the others with what they say of it; how far it is is shown
on a terminal, and nowhere else.

A script whose output nobody reads stands still in a known state: its pipe is full."""
import array
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

LAY = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/lay_capture")
LIMIT_S = 60
LINE = re.compile(r"\rPrinting: \d+ % of \d+ MB, \d+ MB/s[^\r]*\033\[K\r")


def waiting(fd):
    """Bytes in a pipe."""
    number = array.array("i", [0])
    fcntl.ioctl(fd, termios.FIONREAD, number)
    return number[0]


def not_ignored():
    """In the child: a shell has its background jobs ignore ^C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Stuck:
    """A script whose pipe is full."""

    def __init__(self, capture, *options, stderr):
        self.out, end = os.pipe()
        self.process = subprocess.Popen([tap.TSTREAM, "script", "-i", capture, *options], stdin=subprocess.DEVNULL, stdout=end,
                                        stderr=stderr, preexec_fn=not_ignored)
        os.close(end)
        limit = time.monotonic() + LIMIT_S
        while waiting(self.out) < 32768 and self.process.poll() is None and time.monotonic() < limit:
            time.sleep(0.01)

    def interrupt(self):
        """Nobody reads before it has ended."""
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(LIMIT_S)
        text = b""
        while piece := os.read(self.out, 65536):
            text += piece
        os.close(self.out)
        return status, text.decode()


def check_script(capture, whole):
    stuck = Stuck(capture, stderr=subprocess.PIPE)
    status, text = stuck.interrupt()
    err = stuck.process.stderr.read().decode()
    stuck.process.stderr.close()
    tap.equal(status, 130, "script ends at ^C, though nobody takes its lines")
    tap.ok(text and text.endswith("\n") and whole.startswith(text) and len(text) < len(whole),
           "what it wrote are whole lines, from the first on", repr(text[-100:]))
    tap.equal(err, f"tstream: warning: interrupted: not all of {capture} was printed\n",
              "it says so, and nothing else where stderr is no terminal")


class Terminal:
    """A script in the same state whose stderr is a terminal."""

    def __init__(self, capture, *options):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 25, 100, 0, 0))
        self.stuck = Stuck(capture, *options, stderr=slave)
        os.close(slave)
        self.text = ""

    def read(self, timeout_s):
        """Whatever comes within that time; False at the end."""
        if not select.select([self.master], [], [], timeout_s)[0]:
            return True
        try:
            data = os.read(self.master, 65536)
        except OSError:  # the other side is closed
            return False
        self.text += data.decode(errors="replace")
        return bool(data)

    def read_until(self, is_enough, limit_s=LIMIT_S):
        end = time.monotonic() + limit_s
        while not is_enough(self.text) and time.monotonic() < end and self.read(0.2):
            pass

    def interrupt(self):
        status, _ = self.stuck.interrupt()
        while self.read(LIMIT_S):
            pass
        os.close(self.master)
        return status


def check_terminal(capture):
    shown, quiet = Terminal(capture), Terminal(capture, "-q")
    shown.read_until(LINE.search)
    tap.ok(LINE.search(shown.text), "on a terminal it is shown how far it is", repr(shown.text))
    quiet.read_until(lambda text: False, 0.5)  # as old as the other, whose line came
    tap.equal((shown.interrupt(), quiet.interrupt()), (130, 130), "both end at ^C")
    before, _, after = shown.text.rpartition("tstream: ")
    tap.ok(before.endswith("\r\033[K") and "Printing" not in after, "the line is gone before anything else is said",
           repr(shown.text))
    tap.ok("Printing" not in quiet.text and "\033[K" not in quiet.text, "not with -q", repr(quiet.text))


def check_opening():
    """A pipe that gives nothing for a while: a terminal shows that the capture is being opened."""
    texts = []
    for options in (["script"], ["report"], ["script", "-q"]):
        master, slave = pty.openpty()
        with subprocess.Popen([tap.TSTREAM, *options, "-i", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                              stderr=slave) as process:
            os.close(slave)
            time.sleep(1.8)
            process.stdin.close()
        texts.append(os.read(master, 65536).decode())
        os.close(master)
    tap.ok(all("\rOpening, 1 s\033[K" in text for text in texts[:2]) and "Opening" not in texts[2], "opening that takes a second is shown, not with -q",
           repr(texts))


def interrupted_before():
    """In the child: ^C came, and waits."""
    not_ignored()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    os.kill(os.getpid(), signal.SIGINT)


def ignored():
    """In the child: who started it did not want it to hear of ^C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.kill(os.getpid(), signal.SIGINT)


def check_ignored(capture):
    """What is asked of the process while it prints into a pipe that nobody empties."""
    for command, *more in (["report", "-D"], ["script"]):
        process = subprocess.Popen([tap.TSTREAM, command, "-i", capture, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=ignored)
        process.stdout.read(1)
        with open(f"/proc/{process.pid}/status", encoding="utf-8") as f:
            mask = int(re.search(r"^SigIgn:\s*(\w+)", f.read(), re.M).group(1), 16)
        out, err = process.communicate(timeout=60)
        tap.ok(process.returncode == 0 and mask & 1 << (signal.SIGINT - 1) and out, f"{command} leaves ^C ignored", err)


def check_others(capture):
    for command, words in ((["report"], "interrupted before it was read"),
                           (["report", "--stats"], "interrupted before it was read"),
                           (["report", "-D"], "interrupted before it was read"),
                           (["script"], "interrupted: not all of"),
                           (["check"], "interrupted, "),
                           (["check", "--repair"], "interrupted, ")):
        result = tap.run(tap.TSTREAM, command[0], "-i", capture, *command[1:], preexec_fn=interrupted_before)
        tap.ok(result.status == 130 and words in result.err and "sound" not in result.out and result.err.count("\n") == 1,
               f"{' '.join(command)} says that it was interrupted", f"{result.status}: {result.out[:200]}{result.err}")
    tap.ok(not os.path.exists(capture + ".repaired") and not os.path.exists(capture + ".repaired.new"), "nothing was repaired")


def main():
    capture = tap.path("cap")
    laid = tap.run(LAY, capture, "plain")
    if laid.status:
        tap.skip_all(laid.err or laid.out)
    whole = tap.run(tap.TSTREAM, "script", "-i", capture).out
    check_script(capture, whole)
    check_terminal(capture)
    check_opening()
    check_others(capture)
    check_ignored(capture)
    tap.done()


main()
