#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Reading a capture executes nothing, writes nothing, contacts nothing; and what a capture holds
# never reaches the terminal as control characters.
import os
import pty
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

# A process that names itself, a thread and a file it executes from in colours.
COLOURFUL = r"""
import ctypes, mmap, os, sys, time
ctypes.CDLL(None).prctl(15, b"red\x1b[31m\xc2\x9bname", 0, 0, 0)
path = os.path.join(sys.argv[1], "lib\x1b]0;title\x07.so")
with open(path, "wb") as f:
    f.write(b"\xc3" * 4096)
with open(path, "rb") as f:
    code = mmap.mmap(f.fileno(), 4096, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC)
end = time.process_time() + 0.3
while time.process_time() < end:
    pass
"""

READERS = [
    ("report", "--stdio"),
    ("report", "--stdio", "--sort", "comm,dso,sym", "-n"),
    ("report", "--header-only"),
    ("report", "-D"),
    ("script",),
]


def check_characters(capture):
    for reader in READERS:
        result = tap.run(tap.TSTREAM, *reader, "-i", capture)
        said = result.out + result.err
        found = re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffd]", said)
        tap.ok(result.status == 0 and not found, f"tstream {' '.join(reader)} prints no control characters",
               f"status {result.status}; {said[max(0, found.start() - 80):found.end() + 20]!r}" if found else
               f"status {result.status}\n{result.err}")
    result = tap.run(tap.TSTREAM, "script", "-i", capture)
    tap.ok("red" in result.out and "name" in result.out, "the name itself is shown", result.out[:2000])


# Every call of a reader that could reach beyond it, as strace tells them.
CALLS = ("execve,execveat,fork,vfork,socket,connect,sendto,open,openat,openat2,creat,rename,renameat,renameat2,"
         "unlink,unlinkat,mkdir,mkdirat,link,linkat,symlink,symlinkat,truncate,ftruncate,chmod,fchmod,fchmodat,"
         "chown,fchown,fchownat,mknod,mknodat,kill,tgkill,ptrace,mount")


def is_harmless(call):
    if call.startswith(("open(", "openat(", "openat2(")):
        return '"/dev/null"' in call or ("O_RDONLY" in call and "O_CREAT" not in call)
    return False


def outward_calls(trace):
    calls = []
    with open(trace, errors="replace") as f:
        for line in f:
            call = re.sub(r"^\d+\s+", "", line.strip())
            if re.match(r"(\+\+\+|---)", call) or "resumed>" in call:
                continue
            calls.append(call)
    return [c for c in calls[1:] if not is_harmless(c)] # the first is the start of the program itself


def listing(folder):
    return sorted((name, os.stat(os.path.join(folder, name)).st_mtime_ns) for name in os.listdir(folder))


def check_calls(capture):
    if not shutil.which("strace"):
        tap.skip("reading executes, writes and contacts nothing", "strace is not installed")
        return
    for reader in READERS:
        name = f"tstream {' '.join(reader)}"
        home = tap.path("home")
        os.makedirs(home, exist_ok=True)
        before = listing(capture)
        result = tap.run("strace", "-f", "-qq", "-o", tap.path("trace"), "-e", f"trace={CALLS}",
                         tap.TSTREAM, *reader, "-i", capture,
                         env={"HOME": home, "XDG_CACHE_HOME": home, "DEBUGINFOD_URLS": "http://127.0.0.1:9/"})
        if "PTRACE" in result.err or "Operation not permitted" in result.err:
            tap.skip(f"{name} executes, writes and contacts nothing", "tracing is not allowed here")
            continue
        calls = outward_calls(tap.path("trace"))
        tap.ok(result.status == 0 and not calls, f"{name} executes, writes and contacts nothing",
               "\n".join(calls) + result.err)
        tap.ok(listing(capture) == before and not os.listdir(home), f"{name} leaves the capture as it was")


def on_terminal(pager, *command):
    """What a command prints to a terminal, where $PAGER is used."""
    pid, fd = pty.fork()
    if not pid:
        os.environ["PAGER"] = pager
        os.execv(tap.TSTREAM, [tap.TSTREAM, *command])
    printed = b""
    try:
        while block := os.read(fd, 65536):
            printed += block
    except OSError: # how a terminal ends
        pass
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), printed.decode(errors="replace")


def check_pager(capture):
    status, printed = on_terminal("sed 's/^/paged: /'", "report", "-i", capture)
    lines = [line for line in printed.splitlines() if line]
    tap.ok(status == 0 and lines and all(line.startswith("paged: ") for line in lines),
           "on a terminal all goes through $PAGER", f"status {status}\n" + "\n".join(lines[:10]))
    status, printed = on_terminal("", "report", "-i", capture)
    tap.ok(status == 0 and "cpu-clock" in printed, "an empty $PAGER means none", f"status {status}\n{printed[:500]}")


def main():
    capture = tap.path("cap")
    if not tap.can_record_all():
        tap.skip_all("only root may record here")
    recorded = tap.run(tap.TSTREAM, "record", "-e", "cpu-clock", "-g", "-o", capture, "--",
                       sys.executable, "-c", COLOURFUL, tap.scratch)
    tap.equal(recorded.status, 0, "recording a process with a colourful name succeeds")
    tap.ok("\x1b" not in recorded.err, "recording prints no control characters", repr(recorded.err))
    check_characters(capture)
    check_calls(capture)
    check_pager(capture)
    tap.done()


main()
