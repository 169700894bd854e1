#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The status line: on a terminal, once a second, in place, gone at the end; never anywhere else.

All recorders run at the same time: each waits for seconds to pass."""
import fcntl
import glob
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

LIMIT_S = 60
LINE = re.compile(r"\r(\d+ events/s, \d+\.\d MB/s, \d+ lost, fullest ring \d+ % \(CPU \d+\)[^\r]*)\033\[K\r")
ANY = re.compile(r"\r([^\r]* lost[^\r]*)\033\[K\r")
ERASED = "\r\033[K"


class Terminal:
    """A recording of a sleeping process whose standard error is a terminal."""

    number = 0

    def __init__(self, *options, columns=100, raw=False):
        Terminal.number += 1
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 25, columns, 0, 0))
        if raw:
            mode = termios.tcgetattr(slave)
            mode[3] &= ~termios.ICANON
            termios.tcsetattr(slave, termios.TCSANOW, mode)
        self.text = ""
        self.capture = capture = tap.path(f"cap{Terminal.number}")
        self.process = subprocess.Popen([tap.TSTREAM, "record", "-e", "cpu-clock", *options, "-o", capture, "--", "cat"],
                                        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=slave)
        os.close(slave)
        self.started = time.monotonic()

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

    def read_until(self, lines, which=LINE):
        end = time.monotonic() + LIMIT_S
        while len(which.findall(self.text)) < lines and time.monotonic() < end and self.read(1):
            pass

    def read_long_enough(self):
        """Until two lines at least would have come."""
        end = self.started + 2.5
        while time.monotonic() < end and self.read(0.2):
            pass

    def end(self):
        self.process.stdin.close()
        while self.read(LIMIT_S):
            pass
        os.close(self.master)
        return self.process.wait(LIMIT_S)


def check_terminal(terminal):
    terminal.read_until(3)
    status = terminal.end()
    lines = LINE.findall(terminal.text)
    tap.equal(status, 0, "on a terminal: recording succeeds")
    tap.ok(len(lines) >= 3, "on a terminal: a line, again and again", repr(terminal.text))
    tap.ok(all("GB free" in line for line in lines), "on a terminal: with the room on the disk", lines)
    before, last, after = terminal.text.rpartition("[ tstream record:")
    tap.ok(last and before.endswith(ERASED), "on a terminal: erased before the last line", repr(terminal.text))
    tap.ok("events/s" not in after, "on a terminal: nothing of it comes after that", repr(after))
    between = terminal.text[terminal.text.index(lines[0]):terminal.text.rindex(lines[-1])] if lines else ""
    tap.ok("\n" not in between, "on a terminal: in place", repr(between))


def check_narrow(terminal):
    end = time.monotonic() + LIMIT_S
    while " lost" not in terminal.text and time.monotonic() < end and terminal.read(1):
        pass
    terminal.end()
    shown = ANY.findall(terminal.text)
    tap.ok(shown and all(re.match(r"\d+ lost", line) and len(line) < 30 for line in shown),
           "a narrow terminal: losses first, and so much that it cannot wrap", repr(terminal.text))


def check_none(terminal, sentence):
    terminal.read_long_enough()
    terminal.end()
    text = re.sub(r"tstream: \033\[36mnote: \033\[0m.*", "", terminal.text)  # as an ordinary user gets
    tap.ok("events/s" not in text and "\033" not in text, f"{sentence}: no line", repr(terminal.text))


def check_cuts(terminal):
    """Each directory begins its counts anew; the line and the summary are of the whole recording."""
    terminal.read_until(4)
    status = terminal.end()
    rates = [int(line.split()[0]) for line in LINE.findall(terminal.text)]
    tap.ok(status == 0 and len(rates) >= 4 and max(rates) < 100_000, "behind cuts: the rate is that of a second", rates)
    whole = re.search(r"\[ tstream record: ([\d.]+) s, (\d+) samples.* nothing lost, .* in (\d+) directories \]", terminal.text)
    last = re.search(r"\[ tstream record: the last directory: ([\d.]+) s, (\d+) samples.* nothing lost, in (\S+) \]", terminal.text)
    tap.ok(whole and last and float(whole[1]) > 3 and float(last[1]) < float(whole[1]),
           "the last lines tell of the whole recording, and of the last directory", repr(terminal.text))
    if not whole or not last:
        return
    made = glob.glob(terminal.capture + ".2*")
    counts = [len(tap.run(tap.TSTREAM, "script", "-i", path, "-F", "time").out.splitlines()) for path in sorted(made)]
    tap.equal((int(whole[3]), int(whole[2]), int(last[2]), last[3]), (len(made), sum(counts), counts[-1], sorted(made)[-1]),
              "with the directories and samples that there are")


def check_overwrite(terminal):
    terminal.read_until(3, ANY)
    terminal.end()
    lines = ANY.findall(terminal.text)
    tap.ok(len(lines) >= 3 and all(re.match(r"overwriting \d+\.\d MB/s, \d+ lost, .*rings hold the last \d+\.\d s", line) for line in lines),
           "overwritten rings: how fast, and how much of the past they hold", repr(terminal.text))


def check_memory(terminal):
    terminal.read_until(3)
    terminal.end()
    held = [float(s) for s in re.findall(r"holds the last (\d+) s in \d+\.\d MB", terminal.text)]
    tap.ok(len(held) >= 3 and held == sorted(held) and held[-1] >= 2, "-M: what is held, and since when", repr(terminal.text))


def check_pipe():
    result = tap.run(tap.TSTREAM, "record", "-e", "cpu-clock", "-o", tap.path("piped"), "--", "sleep", "2.5")
    tap.ok(result.status == 0 and "\r" not in result.err and "events/s" not in result.err, "not on a terminal: no line",
           repr(result.err))


def main():
    probe = tap.run(tap.TSTREAM, "record", "-q", "-e", "cpu-clock", "-o", tap.path("probe"), "--", "true")
    if probe.status:
        tap.skip_all(f"cannot record here: {probe.err}")
    wide, narrow = Terminal("--io=pwrite", columns=250), Terminal(columns=30)
    quiet, raw = Terminal("-q"), Terminal(raw=True)
    modes = ((("--switch-output=1s",), check_cuts), (("--overwrite",), check_overwrite), (("-M", "8M"), check_memory))
    everything = [(Terminal("-a", *options, columns=250), check) for options, check in modes if tap.can_record_all()]
    check_pipe()
    check_terminal(wide)
    check_narrow(narrow)
    check_none(quiet, "with -q")
    for terminal, check in everything:
        check(terminal)
    if not everything:
        tap.skip("lines of other modes", "only root may record everything")
    check_none(raw, "while a program has the terminal in raw mode")
    tap.done()


main()
