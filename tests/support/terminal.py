# SPDX-License-Identifier: Apache-2.0
"""A terminal that a program draws on, for tests: what stands on it, line by line, what has scrolled away included.

    t = terminal.Terminal(rows, columns, [command, ...], **options of Popen)
    t.wait_for(lambda t: ...)     reads what is drawn until that is so
    t.lines                       what stands there
    t.end()                       status, stderr, when it has ended by itself

    terminal.written([command, ...], **options of Popen)      its status, and all that it writes to one, as it is
"""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

LIMIT_S = 60
TOKEN = re.compile(r"\033\[\??(\d*)([A-Za-z])|\r|\n|[^\033\r\n]+|\033")


def written(command, **options):
    leader, follower = pty.openpty()
    p = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=follower,
                         stderr=subprocess.DEVNULL, **options)
    os.close(follower)
    text = b""
    try:
        while True:
            more = os.read(leader, 65536)
            if not more:
                break
            text += more
    except OSError:
        pass
    os.close(leader)
    return p.wait(), text.decode(errors="replace").replace("\r\n", "\n")


class Terminal:
    def __init__(self, rows, columns, command, **options):
        self.rows, self.columns = rows, columns
        self.lines, self.row, self.column, self.pending = [""], 0, 0, ""
        self.is_open, self.wraps = True, True
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.PIPE, **options)
        os.close(slave)

    def take(self, token):
        """One piece of what is drawn."""
        number, letter = token.groups()
        if letter == "A":
            self.row = max(self.row - int(number or 1), len(self.lines) - self.rows, 0)
        elif letter == "J" and number == "":
            self.lines[self.row:] = [self.lines[self.row][:self.column]]
        elif letter == "K":
            self.lines[self.row] = "" if number == "2" else self.lines[self.row][:self.column]
        elif token.group() == "\r":
            self.column = 0
        elif token.group() == "\n":
            self.row += 1
            self.lines += [""] * (self.row + 1 - len(self.lines))
        elif letter in ("h", "l"):
            self.wraps = letter == "h"
        elif letter or token.group() == "\033":
            raise ValueError(f"{token.group()!r} is not known")
        else:
            line = self.lines[self.row].ljust(self.column)
            self.lines[self.row] = line[:self.column] + token.group() + line[self.column + len(token.group()):]
            self.column += len(token.group())

    def read(self, limit_s):
        """What has been drawn since; False: nobody draws any more."""
        if not select.select([self.master], [], [], limit_s)[0]:
            return True
        try:
            piece = os.read(self.master, 65536)
        except OSError:
            piece = b""
        text = self.pending + piece.decode(errors="replace")
        cut = text.rfind("\033") if piece and not re.search(r"\033\[\??\d*[A-Za-z][^\033]*$|^[^\033]*$", text) else len(text)
        self.pending = text[cut:]
        for token in TOKEN.finditer(text[:cut]):
            self.take(token)
        return bool(piece)

    def wait_for(self, is_there):
        """Until that is drawn; False: it did not come about."""
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end and not is_there(self) and self.is_open:
            self.is_open = self.read(0.05)
        return is_there(self)

    def end(self):
        self.wait_for(lambda t: not t.is_open)
        try:
            err = self.process.communicate(timeout=LIMIT_S)[1].decode()
        except subprocess.TimeoutExpired:
            self.process.kill()
            err = "it did not end: " + self.process.communicate()[1].decode()
        os.close(self.master)
        return self.process.returncode, err
