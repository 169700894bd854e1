#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tstream ctl: a recorder is asked and told through its socket, by its owner and by nobody else."""
import fcntl
import glob
import json
import os
import re
import socket
import stat
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

LIMIT_S = 60
FS_IOC_GETFLAGS, FS_IOC_SETFLAGS, FS_IMMUTABLE = 0x80086601, 0x40086602, 0x10


class Recorder:
    def __init__(self, name, *options):
        self.out = tap.path(name)
        self.process = subprocess.Popen([tap.TSTREAM, "record", "-e", "cpu-clock:u", "-o", self.out, *options, "-p", str(os.getpid())],
                                        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + LIMIT_S
        while self.ctl("ping").status and self.process.poll() is None and time.monotonic() < end:
            time.sleep(0.01)

    def ctl(self, *words):
        return tap.run(tap.TSTREAM, "ctl", self.out, *words)

    def join(self):
        err = self.process.communicate(timeout=LIMIT_S)[1]
        return self.process.returncode, err


def check_rotation():
    r = Recorder("rotated", "--switch-output")
    path = r.out + ".ctl"
    tap.equal(stat.S_IMODE(os.stat(path).st_mode), 0o600, "the socket is its owner's")
    status = r.ctl("status")
    said = json.loads(status.out)
    tap.ok(said["pid"] == r.process.pid and said["running"] == r.out and said["finished_directories"] == 0, "status is JSON", status.out)
    for words, answer in [(("disable",), "Events disabled\n"), (("enable", "cpu-clock:u"), "Event cpu-clock:u enabled\n"),
                          (("evlist",), "cpu-clock:u\n"), (("ping",), "")]:
        result = r.ctl(*words)
        tap.equal((result.status, result.out), (0, answer), f"{' '.join(words)} is answered")
    named, plain = r.ctl("snapshot", "before-restart"), r.ctl("rotate")
    name, other = named.out.strip(), plain.out.strip()
    tap.ok(named.status == 0 and name.endswith("-before-restart") and tap.run(tap.TSTREAM, "check", "-i", name).status == 0,
           "snapshot NAME is the path of a complete directory", named.out + named.err)
    with open(name + "/tstream.json") as file:
        cause = json.load(file)["rotation"]["cause"]
    tap.equal((cause["kind"], cause["what"], cause["name"]), ("control", "snapshot", "before-restart"), "which tells what asked for it")
    tap.ok(plain.status == 0 and os.path.isdir(other) and other != name, "so does rotate", plain.out + plain.err)
    said = json.loads(r.ctl("status").out)
    size = sum(os.path.getsize(path) for folder in (name, other) for path in glob.glob(folder + "/data.*"))
    tap.equal((said["finished_directories"], said["finished_bytes"]), (2, size), "status tells what is in finished directories")
    for words, sentence in [(("snapshot", "../../etc"), "cannot name a snapshot"), (("enable", "nosuch"), "can't find 'nosuch'")]:
        result = r.ctl(*words)
        tap.ok(result.status == 1 and sentence in result.err, f"{' '.join(words)} is refused", result.out + result.err)
    long = r.ctl("snapshot " + "x" * 3000)
    tap.ok(long.status == 2 and "cannot send 'snapshot xx" in long.err, "a word that is too long is refused", f"{long.status} {long.err[:200]}")
    check_strangers(r, path)
    second = tap.run(tap.TSTREAM, "record", "-e", "cpu-clock:u", "-o", tap.path("second"), "--socket", path, "--", "true")
    tap.ok(second.status != 0 and "another recorder listens" in second.err, "the socket of a recorder is not taken", second.err)
    tap.equal(r.ctl("stop").status, 0, "stop is answered")
    status, err = r.join()
    tap.ok(not os.path.exists(path) and len(glob.glob(r.out + ".2*")) == 3, "and the recording ends, without its socket", f"{status} {err}")
    gone = r.ctl("ping")
    tap.ok(gone.status == 1 and f"cannot reach a recorder at {path}: No such file" in gone.err, "nobody is there then", gone.err)
    tap.ok(f"record -o {r.out} makes this socket with --switch-output, --overwrite, -M or --daemon" in gone.err
           and "with --socket PATH, give PATH" in gone.err, "the hint names the options that make this socket, and the other way", gone.err)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as left:
        left.bind(path)
    left = r.ctl("ping")
    tap.ok(left.status == 1 and "the recorder that made this socket has ended" in left.err, "a socket that is left tells of its end", left.err)
    os.unlink(path)


def check_strangers(r, path):
    """Who says nothing, too much, or comes in crowds keeps nobody from being answered."""
    crowd = []
    for message in [b"", b"nonsense", b"x" * 5000, b"status"] * 5:
        peer = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        peer.connect(path)
        crowd.append(peer)
        try:
            if message:
                peer.send(message)
        except OSError:
            pass
    answers = []
    for peer in crowd:
        peer.settimeout(0.2 if not answers else 0.01)
        try:
            answers.append(peer.recv(65536))
        except OSError:
            pass
        peer.close()
    end = time.monotonic() + LIMIT_S
    while r.ctl("ping").status and time.monotonic() < end:
        time.sleep(0.01)
    tap.equal(r.ctl("ping").status, 0, "a crowd of strange peers does no harm")
    if os.geteuid():
        return tap.skip("another user is refused", "only root can be somebody else")
    os.chmod(path, 0o666)
    os.chmod(tap.scratch, 0o755)
    asks = "import socket, sys, os; os.setuid(65534); s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); " \
           "s.connect(sys.argv[1]); s.send(b'stop'); print(s.recv(999))"
    other = tap.run(sys.executable, "-c", asks, path)
    tap.ok("cannot take commands of this user" in other.out,
           "another user is refused", other.out + other.err)
    tap.ok(r.process.poll() is None, "and nothing of his is done")


def check_memory():
    r = Recorder("held", "-M", "8M")
    result = r.ctl("snapshot", "oom")
    path = result.out.strip()
    tap.ok(result.status == 0 and path.endswith("-oom") and tap.run(tap.TSTREAM, "check", "-i", path).status == 0,
           "with -M the answer comes when the snapshot is complete", result.out + result.err)
    second = tap.run(tap.TSTREAM, "record", "-M", "8M", "-e", "cpu-clock:u", "-o", r.out, "--", "true")
    tap.ok(second.status == 1 and f"process {r.process.pid} is recording there" in second.err, "nobody else records to the same place", second.err)
    r.ctl("stop")
    r.join()
    tap.equal(tap.run(tap.TSTREAM, "check", "-i", r.out).status, 0, "and stop leaves the capture")


def check_ends():
    """A killed recorder's socket is replaced; a recorder that nobody asks ends by itself."""
    r = Recorder("again", "--overwrite")
    r.process.kill()
    r.join()
    tap.ok(os.path.exists(r.out + ".ctl"), "a killed recorder leaves its socket")
    r = Recorder("again", "--overwrite", "--dead-man=1s")
    status, err = r.join()
    with open(r.out + "/tstream.json") as file:
        note = json.load(file)
    tap.ok(note["ended_by"] == "dead-man" and not os.path.exists(r.out + ".ctl"), "--dead-man ends the next one", f"{status} {note} {err}")
    long = os.path.join(tap.scratch, "d" * 100)
    os.mkdir(long)
    r = Recorder(long + "/cap", "--overwrite")
    tap.equal(r.ctl("ping").status, 0, "a path that is longer than an address is reached")
    r.ctl("stop")
    r.join()


def make_immutable(path, is_so):
    """EPERM for all that open it to write. False: not possible here."""
    try:
        with open(path) as file:
            flags = struct.unpack("l", fcntl.ioctl(file, FS_IOC_GETFLAGS, struct.pack("l", 0)))[0]
            fcntl.ioctl(file, FS_IOC_SETFLAGS, struct.pack("l", flags | FS_IMMUTABLE if is_so else flags & ~FS_IMMUTABLE))
    except OSError:
        return False
    return True


def check_daemon():
    """The caller ends when it records; what it says later is in its log."""
    out = tap.path("daemon")
    begin = tap.run(tap.TSTREAM, "record", "--daemon", "-M", "8M", "--on-snapshot", "echo", "-e", "cpu-clock:u", "-o", out,
                    "-p", str(os.getpid()))  # read up to its end: nobody of the daemon's holds what it says
    pid = re.search(r"process (\d+) records", begin.err)
    status = tap.run(tap.TSTREAM, "ctl", out, "status")
    tap.ok(begin.status == 0 and pid and status.status == 0 and json.loads(status.out)["pid"] == int(pid[1]), "--daemon records",
           begin.err + status.out + status.err)
    sessions = tap.run("ps", "-o", "sid=", "-p", pid[1] if pid else "1").out
    tap.equal(sessions.strip(), pid[1] if pid else "", "in a session of its own")
    tap.run(tap.TSTREAM, "ctl", out, "stop")
    end = time.monotonic() + LIMIT_S
    while os.path.exists(f"/proc/{pid[1]}") and time.monotonic() < end:
        time.sleep(0.01)
    with open(out + ".log") as file:
        log = file.read()
    tap.ok(not os.path.exists(out + ".ctl") and "[ tstream record: " in log, "until it is told to stop", log)
    tap.ok(out in log.splitlines(), "what programs print that it has run is in its log, too", log)
    failed = tap.run(tap.TSTREAM, "record", "--daemon", "-e", "cpu-clock:u", "-o", tap.path("none"), "-p", "999999999")
    tap.ok(failed.status != 0 and "cannot" in failed.err and not os.path.exists(tap.path("none")), "what fails is said to the caller",
           f"{failed.status} {failed.err}")
    if not make_immutable(out + ".log", True):
        tap.skip("a log that cannot be opened is said to the caller", "no file can be made immutable here")
        return
    try:
        failed = tap.run(tap.TSTREAM, "record", "--daemon", "-e", "cpu-clock:u", "-o", out, "-p", str(os.getpid()))
    finally:
        make_immutable(out + ".log", False)
    running = tap.run(tap.TSTREAM, "ctl", out, "ping")
    tap.ok(failed.status == 1 and "cannot open the log" in failed.err and running.status,
           "a log that cannot be opened is said to the caller", f"{failed.status} {failed.err}")


def check_options():
    """Options stand before, between and behind the words."""
    r = Recorder("options", "--switch-output")
    tap.equal(r.ctl("evlist").out, "cpu-clock:u\n", "evlist names the events")
    tap.ok(re.match(r"cpu-clock:u: sample_freq=\d+\n", r.ctl("evlist", "-F").out), "evlist -F adds their frequency")
    wordy = [tap.run(tap.TSTREAM, "ctl", *words).out for words in ((r.out, "evlist", "-v"), (r.out, "--verbose", "evlist"), ("-v", "--", r.out, "evlist"))]
    tap.ok("sample_type: 0x" in wordy[0] and len(set(wordy)) == 1, "and -v all attributes, wherever it stands", wordy)
    tap.equal(tap.run(tap.TSTREAM, "ctl", r.out, "--", "ping").status, 0, "-- may stand before a command")
    for words in (("--help",), (r.out, "-h"), (r.out, "status", "--help")):
        got = tap.run(tap.TSTREAM, "ctl", *words)
        tap.ok(got.status == 0 and got.out.startswith("Usage: tstream ctl"), f"ctl {' '.join(words[-2:])} prints the help", got.err)
    got = r.ctl("ping", "-v")
    tap.ok(got.status == 2 and "only evlist has them" in got.err, "-v belongs to evlist", got.err)
    r.ctl("stop")
    r.join()


def check_long_answer():
    """An answer of several messages comes whole, or is refused where it has no room."""
    events = 1500
    r = Recorder("long", "--switch-output", "-D", "-1", "-e", ",".join(["cpu-clock:u"] * events))
    got = r.ctl("evlist", "-v")
    lines = got.out.splitlines()
    tap.ok(got.status == 0 and len(lines) >= events and len(set(lines)) <= 2 and len(got.out) > 64 << 10,
           "the list of many events is whole", f"{got.status} {len(lines)} {lines[-1:]} {got.err}")
    r.ctl("stop")
    r.join()
    endless = "c = s.accept()[0]\ntry:\n    while True: c.send(b'+' * 32768)\nexcept OSError: pass"
    peer = Peer("answer", endless)
    result, _ = peer.ask("status")
    peer.end()
    tap.ok(result.status == 1 and "cannot read the answer" in result.err, "one without an end is given up", result.err)


def check_refusals():
    for words in [[], ["cap"], ["cap", "dance"], ["cap", "snapshot", "a", "b"]]:
        result = tap.run(tap.TSTREAM, "ctl", *words)
        tap.ok(result.status == 2 and "cannot send " in result.err, f"ctl {' '.join(words)} is refused", result.err)
    result = tap.run(tap.TSTREAM, "record", "--dead-man=1s", "-o", tap.path("none"), "--", "true")
    tap.ok(result.status == 2 and "no commands can reach" in result.err, "--dead-man needs a way for commands", result.err)


class Peer:
    """A process of this user that listens at a socket, and runs `code` with the connection c."""

    def __init__(self, name, code):
        self.path = tap.path(name)
        words = ("import socket, sys, time; s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.bind(sys.argv[1]); s.listen(0)\n"
                 "print('here', flush=True)\n" + code)
        self.process = subprocess.Popen([sys.executable, "-c", words, self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def ask(self, *words):
        begin = time.monotonic()
        result = tap.run(tap.TSTREAM, "ctl", self.path, *words)
        return result, time.monotonic() - begin

    def end(self):
        self.process.communicate("")


def check_peers():
    """Whatever listens at a socket, the terminal of its caller is safe, and the caller does not wait for ever."""
    for sign, stream in (("+", "out"), ("-", "err")):
        answer = f"{sign}\x1b]0;title\x07\x9b2J\u202eall is well\r\n".encode() + b"\x9b\n"
        peer = Peer("escapes" + stream, f"c = s.accept()[0]; c.recv(99); c.send({answer!r}); c.close(); sys.stdin.read()")
        result, _ = peer.ask("status")
        peer.end()
        text = getattr(result, stream)
        tap.ok("all is well" in text and not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text), f"an answer on std{stream} is harmless", repr(text))
    peer = Peer("mute", "c = s.accept()[0]; c.recv(99); sys.stdin.read()")
    result, took_s = peer.ask("--timeout=300ms", "ping")
    peer.end()
    tap.ok(result.status == 1 and "has not answered for 0.3 s" in result.err and took_s < LIMIT_S, "a peer that is mute is waited for so long as is said",
           f"{took_s} {result.err}")
    peer = Peer("full", "full = [socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(4)]\n"
                "for c in full: c.setblocking(False); c.connect_ex(sys.argv[1])\nprint('full', flush=True); sys.stdin.read()")
    peer.process.stdout.readline()
    result, took_s = peer.ask("--timeout=300ms", "ping")
    peer.end()
    tap.ok(result.status == 1 and "cannot reach a recorder" in result.err and took_s < LIMIT_S, "so is one that lets nobody in", f"{took_s} {result.err}")
    result = tap.run(tap.TSTREAM, "ctl", "--timeout=3", "cap", "ping")
    tap.ok(result.status == 2 and "a time with its unit" in result.err, "the time has a unit", result.err)


def check_pieces():
    """Lines on --control come in pieces, and several at once."""
    command, ack = tap.path("command"), tap.path("ack")
    for path in (command, ack):
        os.mkfifo(path)
    process = subprocess.Popen([tap.TSTREAM, "record", "-e", "cpu-clock:u", "-D", "-1", "-o", tap.path("pieces"), "--control", f"fifo:{command},{ack}",
                                "-p", str(os.getpid())], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    writer, reader = os.open(command, os.O_RDWR), os.open(ack, os.O_RDWR)
    for piece in (b"ena", b"bl", b"e cpu-cl", b"ock:u", b"\ndisable\npi", b"ng\n" + b"stop " * 99 + b"\n", b"enable"):
        os.write(writer, piece)
        time.sleep(0.05)
    acks = b""
    while len(acks) < 20:  # the last line has no end, as perf allows
        acks += os.read(reader, 99)
    os.write(writer, b"stop\n")
    err = process.communicate(timeout=LIMIT_S)[1]
    said = re.findall(r"Events? .*(?:en|dis)abled", err)
    tap.equal((acks, said), (4 * b"ack\n\0", ["Event cpu-clock:u enabled", "Events disabled", "Events enabled"]),
              "a line may come in pieces, one that is too long is no command")
    os.close(writer)
    os.close(reader)


check_rotation()
check_memory()
check_ends()
check_peers()
check_pieces()
check_long_answer()
check_daemon()
check_options()
check_refusals()
tap.done()
