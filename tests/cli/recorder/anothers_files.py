#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""In a folder that everybody writes to, another user has made files with the names that a recording needs. None of them is taken,
followed, removed or waited for; what can be recorded all the same is, and what is refused is refused in one sentence."""
import glob
import os
import re
import shutil
import socket
import stat
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

OTHER = 65534
LIMIT_S = 30
EVENT = ("-e", "cpu-clock:u")
BECOME = f"import os, socket, subprocess, sys; os.setgroups([]); os.setgid({OTHER}); os.setuid({OTHER}); path = sys.argv[1]\n"
KINDS = {
    "file": "open(path, 'w').write('of another')",
    "empty file": "open(path, 'w')",
    "FIFO": "os.mkfifo(path, 0o666)",
    "link": "os.symlink('/etc/hostname', path)",
    "empty directory": "os.mkdir(path)",
    "capture": "os.mkdir(path); open(path + '/data', 'w').write('PERFILE2' + 'x' * 200); open(path + '/data.0', 'w').write('x')",
    "unborn capture": "os.mkdir(path); open(path + '/data.0', 'w')",
    "file of perf": "open(path, 'w').write('PERFILE2' + 'x' * 200)",
}
OF_MINE = {
    "device": lambda path: os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 3)),
    "socket": lambda path: socket.socket(socket.AF_UNIX).bind(path),
    "dangling link": lambda path: os.symlink("nowhere", path),
}
HOLDS = "import fcntl; fd = os.open(path, os.O_RDONLY); fcntl.flock(fd, fcntl.LOCK_EX); print('here', flush=True); sys.stdin.read()"
LISTENS = ("s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.bind(path); s.listen(0); os.chmod(path, 0o777)\n"
           "full = [socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(4)]\n"
           "for c in full: c.setblocking(False); c.connect_ex(path)\n"
           "print('here', flush=True); sys.stdin.read()")

if os.geteuid():
    tap.skip_all("only root can be two users")
os.umask(0o022)
shared = tap.path("shared")
os.mkdir(shared)
os.chmod(shared, 0o1777)
number = 0


def new_out():
    global number
    number += 1
    return f"{shared}/cap{number}"


def as_other(code, path):
    got = tap.run(sys.executable, "-c", BECOME + code, path)
    assert got.status == 0, got.err


class Stays:
    """The other user's process, for as long as it is needed."""

    def __init__(self, code, path):
        self.process = subprocess.Popen([sys.executable, "-c", BECOME + code, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def end(self):
        self.process.communicate("")


def look(path):
    """All that is at a path, for a comparison."""
    found = []
    for folder, _, names in [(os.path.dirname(path), [], [os.path.basename(path)])] + list(os.walk(path)):
        for name in sorted(names) + ["."]:
            st = os.lstat(os.path.join(folder, name)) if folder != os.path.dirname(path) or name != "." else None
            found += [(folder, name, st.st_ino, st.st_uid, st.st_mode, st.st_size)] if st else []
    return found


def record(out, *options):
    return tap.run(tap.TSTREAM, "record", *EVENT, "-o", out, *options, "--", "true", timeout=LIMIT_S)


def is_refused(got, words):
    lines = [line for line in got.err.splitlines() if line.startswith("tstream:") or words in line]
    return got.status == 1 and words in got.err and len(lines) <= 2


def check_new():
    for kind, code in KINDS.items():
        out = new_out()
        as_other(code, out + ".new")
        before = look(out + ".new")
        got = record(out)
        tap.ok(got.status == 1 and f"{out}.new" in got.err and look(out + ".new") == before and not os.path.exists(out),
               f"OUT.new that is another's {kind} stays", f"{got.status} {got.err}")
        merged = tap.run(tap.TSTREAM, "merge", "--single", "-o", out, whole, timeout=LIMIT_S)
        tap.ok(merged.status == 1 and f"{out}.new" in merged.err and look(out + ".new") == before, f"also when a merge needs the name of that {kind}",
               f"{merged.status} {merged.err}")


def check_old():
    for kind, code in KINDS.items():
        out = new_out()
        as_other(code, out + ".old")
        before = look(out + ".old")
        holder = Stays(HOLDS, out + ".old") if kind == "capture" else None
        made = []
        for _ in range(3):
            got = record(out)
            made.append(os.stat(out).st_ino if os.path.exists(out) else 0)
        if holder:
            holder.end()
        kept = os.stat(out + ".old-1").st_ino if os.path.exists(out + ".old-1") else 0
        tap.ok(got.status == 0 and kept == made[1] and not os.path.exists(out + ".old-2") and look(out + ".old") == before,
               f"OUT.old that is another's {kind} is no obstacle: OUT.old-1 takes its place", f"{got.status} {made} {kept} {got.err}")
        tap.equal(len(re.findall(f"{out}.old belongs to another user: the capture that was at {out} is now {out}.old-1", got.err)), 1,
                  f"and one sentence tells of it, of the {kind}")
    out = new_out()
    as_other(KINDS["capture"], out + ".old")
    for _ in range(2):
        got = record(out, "-M", "8M")
    tap.ok(got.status == 0 and os.path.isdir(out + ".old-1") and f"is now {out}.old-1" in got.err, "so with -M", got.err)
    tap.run(tap.TSTREAM, "compact", "-o", out, whole)
    got = tap.run(tap.TSTREAM, "compact", "-o", out, whole)
    tap.ok(got.status == 0 and f"is now {out}.old-1" in got.err, "and with compact", got.err)


def check_old_of_root():
    """The other way round: an ordinary user, whose neighbour is root."""
    out, program = new_out(), tap.path("tstream")
    shutil.copy(tap.TSTREAM, program)
    os.chmod(program, 0o755)
    os.mkdir(out + ".old")
    before = look(out + ".old")
    words = "got = [subprocess.run(sys.argv[2:]) for _ in range(2)]; sys.exit(got[1].returncode)"
    got = tap.run(sys.executable, "-c", BECOME + words, out, program, "record", *EVENT, "-o", out, "--", "true", timeout=LIMIT_S)
    if "cannot open" in got.err:
        return tap.skip("an ordinary user records where root has OUT.old", "ordinary users cannot record here")
    return tap.ok(got.status == 0 and os.stat(out + ".old-1").st_uid == OTHER and look(out + ".old") == before,
                  "an ordinary user records where root has OUT.old", got.err)


def check_log():
    for kind in ("file", "FIFO", "link"):
        out = new_out()
        as_other(KINDS[kind], out + ".log")
        before = look(out + ".log")
        got = record(out, "--daemon")
        tap.ok(is_refused(got, f"cannot open the log {out}.log") and look(out + ".log") == before,
               f"OUT.log that is another's {kind} is neither written nor waited for", f"{got.status} {got.err}")
    out, secret = new_out(), f"{shared}/of-mine"
    with open(secret, "w") as file:
        file.write("mine\n")
    os.link(secret, out + ".log")  # as another may make where the kernel does not protect hard links
    got = record(out, "--daemon")
    with open(secret) as file:
        tap.ok(is_refused(got, "it has another name, too") and file.read() == "mine\n", "a further name of a file is not written", got.err)


def check_ctl():
    for kind in ("file", "FIFO", "link", "empty directory"):
        out = new_out()
        as_other(KINDS[kind], out + ".ctl")
        before = look(out + ".ctl")
        got = record(out, "--switch-output")
        tap.ok(got.status == 0 and "a file of another user is there: tstream ctl cannot reach" in got.err and look(out + ".ctl") == before,
               f"OUT.ctl that is another's {kind} stays, and the recording has no socket", f"{got.status} {got.err}")
    out = new_out()
    listener = Stays(LISTENS, out + ".ctl")
    before = look(out + ".ctl")
    got = record(out, "--switch-output")
    named = record(out, "--socket", out + ".ctl")
    asked = tap.run(tap.TSTREAM, "ctl", "--timeout=200ms", out, "ping", timeout=LIMIT_S)
    listener.end()
    tap.ok(got.status == 0 and "a file of another user is there" in got.err, "a socket on which another listens is not waited for", got.err)
    tap.ok(named.status == 1 and "a file of another user is there" in named.err and look(out + ".ctl") == before,
           "nor is it taken where it was asked for", named.err)
    tap.ok(asked.status == 1 and "cannot reach a recorder" in asked.err, "ctl does not wait for it either", asked.err)


def check_control():
    """Who makes the FIFO of commands could end the recording."""
    command, ack = new_out(), new_out()
    as_other(KINDS["FIFO"], ack)
    os.mkfifo(command, 0o600)
    link = new_out()
    os.symlink(ack, link)
    for paths in (ack, link, f"{command},{ack}"):
        got = record(new_out(), "--control", f"fifo:{paths}")
        tap.ok(is_refused(got, f"for --control: it belongs to user {OTHER}"), "commands are not taken from a FIFO of another user", got.err)


def check_impostor():
    out = new_out()
    answers = ("s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.bind(path); s.listen(5); os.chmod(path, 0o777)\n"
               "print('here', flush=True); c = s.accept()[0]; heard = c.recv(99)\n"
               "try: c.send(b'+all is well')\nexcept OSError: pass\nprint(heard)")
    other = Stays(answers, out + ".ctl")
    got = tap.run(tap.TSTREAM, "ctl", out, "status", timeout=LIMIT_S)
    heard = other.process.communicate("")[0]
    tap.ok(is_refused(got, f"user {OTHER} listens there") and not got.out and heard.strip() == "b''",
           "ctl tells nothing to a peer that is neither this user nor root, and believes nothing", f"{got} {heard}")


def check_holds():
    """/dev/shm is such a folder."""
    out, hold = new_out(), f"/dev/shm/tstream.0.{os.getpid()}"
    as_other(f"os.mkdir(path); open(path + '/out', 'w').write('{out}\\n')", hold)
    before = look(hold)
    holder = Stays(HOLDS, hold)
    try:
        got, rescued, listed = record(out), tap.run(tap.TSTREAM, "rescue", hold), tap.run(tap.TSTREAM, "rescue")
        tap.equal(got.status, 0, "another's hold for the same output is not waited for")
        tap.ok(is_refused(rescued, "belongs to another user") and look(hold) == before, "it is not rescued either", rescued.err)
        tap.ok(hold not in listed.out, "nor listed", listed.out)
    finally:
        holder.end()
        shutil.rmtree(hold)


def check_names_of_holds():
    """Another user has all folders that a recorder with a certain process number would make in turn."""
    out = new_out()
    makes = f"p=/dev/shm/tstream.0.$$; for n in '' $(seq -f -%g 200); do mkdir $p$n && chown {OTHER} $p$n; done; echo $p; exec \"$@\""
    got = tap.run("sh", "-c", makes, "sh", tap.TSTREAM, "record", *EVENT, "-M", "8M", "-o", out, "--", "true")
    path = got.out.split()[0]
    kept = glob.glob(path + "*")
    tap.ok(got.status == 0 and os.path.isdir(out) and len(kept) == 201, "folders of others do not keep -M from recording", f"{got} {kept}")
    for name in kept:
        os.rmdir(name)


def check_merge():
    """A capture of another user is not extended: he would lose it."""
    out = new_out()
    shutil.copytree(whole, out)
    for path in [out] + [os.path.join(out, name) for name in os.listdir(out)]:
        os.chown(path, OTHER, OTHER)
    before = look(out)
    got = tap.run(tap.TSTREAM, "merge", "-o", out, whole)
    tap.ok(is_refused(got, "it belongs to another user") and look(out) == before, "merge does not extend another's capture", got.err)


def check_out():
    """OUT itself, where its owner would lose it, or where it is no file at all."""
    foreign = ("empty file", "empty directory", "FIFO", "link", "device", "socket", "dangling link")
    for kind in foreign:
        out = new_out()
        as_other(KINDS[kind], out) if kind in KINDS else OF_MINE[kind](out)
        before = look(out)
        for command in (("merge", "--single", "-o", out, whole), ("merge", "-o", out, whole),
                        ("record", *EVENT, "-o", out, "--", "true")):
            got = tap.run(tap.TSTREAM, *command, timeout=LIMIT_S)
            tap.ok(got.status == 1 and got.err.count("tstream: cannot") == 1 and re.search(f"(into|extend) {out}\\b", got.err) and look(out) == before,
                   f"a {kind} at OUT stays: {command[0]}{' --single' * ('--single' in command)} refuses", f"{got.status} {got.err}")
    for make in (lambda out: open(out, "w").close(), lambda out: None):
        out = new_out()
        make(out)
        got = tap.run(tap.TSTREAM, "merge", "--single", "-o", out, whole, timeout=LIMIT_S)
        tap.ok(got.status == 0 and os.path.getsize(out), "an own empty file is replaced, as one that mktemp made", got.err)


whole = tap.path("whole")
spin = ("sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done")
if tap.run(tap.TSTREAM, "record", *EVENT, "--call-graph", "dwarf", "-o", whole, "--", *spin).status:
    tap.skip_all("cannot record here")
check_new()
check_old()
check_old_of_root()
check_log()
check_ctl()
check_control()
check_impostor()
check_holds()
check_names_of_holds()
check_merge()
check_out()
tap.done()
