#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No file of a capture is read through a link: one is named, with exit status 1, and the rest is read. The capture itself may be
reached through one. So with every command, and where openat2() is missing."""
import ctypes
import errno
import json
import os
import re
import shutil
import struct
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import perf_file  # noqa: E402
import tap  # noqa: E402

ID = bytes(range(20))
LINK = "it is a symbolic link"
PARTS = ("data.0", "data.1", "tstream.json", "symbols")
SYS_OPENAT2, SECCOMP_FILTER, NO_NEW_PRIVS, SET_SECCOMP = 437, 2, 38, 22


def lay(name):
    """A directory of perf's kind with two streams, and symbols of its own."""
    cap = tap.path(name)
    shutil.rmtree(cap, ignore_errors=True)
    os.makedirs(f"{cap}/symbols")
    program = perf_file.Program(f"{cap}/symbols/{ID.hex()}.elf", ["own_function"], 0, ID)
    program.path = "/nowhere/program"
    head = perf_file.PerfFile(chains=False, flags=perf_file.BUILD_ID)
    head.thread(10, 10, "some")
    head.map(10, program, build_id=ID)
    head.write(f"{cap}/data")
    for stream in range(2):
        part = perf_file.PerfFile(chains=False)
        for n in range(3):
            part.sample(10, 10, 1000 + 100 * stream + n, [program.at("own_function", 4)])
        with open(f"{cap}/data.{stream}", "wb") as f:
            f.write(b"".join(part.records))
    with open(f"{cap}/tstream.json", "w") as f:
        f.write("{}\n")
    return cap


def make_link(cap, part):
    """The same file, behind a link out of the capture."""
    away = tap.path("away")
    shutil.rmtree(away, ignore_errors=True)
    os.mkdir(away)
    os.rename(f"{cap}/{part}", f"{away}/file")
    os.symlink(f"{away}/file", f"{cap}/{part}")


def run(*command, **more):
    return tap.run(tap.TSTREAM, *command, timeout=60, **more)


def nr_lines(cap, **more):
    got = run("script", "-i", cap, **more)
    return got.out.count("\n"), got


def check_whole():
    cap = lay("whole")
    os.symlink(cap, tap.path("linked"))
    os.symlink("whole", tap.path("relative"))
    for path in (cap, tap.path("linked"), tap.path("relative"), tap.path("linked/"), tap.path("linked/data")):
        nr, got = nr_lines(path)
        tap.ok(nr == 6 and got.out.count("own_function") == 6 and got.status == 0 and not got.err,
               f"{path[len(tap.scratch) + 1:]} is read, with its own symbols", got.out + got.err)


def said(got, cap, part):
    return len(re.findall(rf"{re.escape(cap)}/{re.escape(part)}\b.*{LINK}", got.err + got.out)) == 1


def check_part(part, **more):
    cap = lay("cap")
    make_link(cap, part)
    how = " without openat2()" if more else ""
    nr, got = nr_lines(cap, **more)
    tap.ok(got.status == 1 and said(got, cap, part), f"script names {part} as a link{how}", f"{got.status}\n{got.err}")
    tap.equal(nr, 3 if part.startswith("data.") else 6, f"and reads the rest of the capture{how}")
    tap.equal(got.out.count("own_function"), 0 if part.startswith("symbols") else nr, f"with symbols that are no link{how}")
    if more:
        return
    for command in (["report"], ["report", "--stats"], ["report", "-D"], ["check"], ["archive"], ["compact", "-o", tap.path("none")]):
        got = run(*command, *([cap] if command[0] in ("archive", "compact") else ["-i", cap]))
        tap.ok(got.status == 1 and said(got, cap, part), f"so does {' '.join(command)}", f"{got.status}\n{got.out[-500:]}{got.err}")
    for number, command in enumerate((["merge", "-o", "OUT"], ["check", "--repair=OUT"])):
        out = tap.path(f"out-{part.replace('/', '-')}-{number}")
        got = run(*[word.replace("OUT", out) for word in command], cap)
        nr, read = nr_lines(out)
        tap.ok(got.status == 1 and said(got, cap, part) and nr == (3 if part.startswith("data.") else 6) and read.status == 0,
               f"so does {command[0]}, and what it makes is sound", f"{got.status}, {nr} lines\n{got.out}{got.err}{read.err}")


def check_symbol_file(**more):
    """As any other file that is missing: there are other places to look at."""
    cap, part = lay("cap"), f"symbols/{ID.hex()}.elf"
    make_link(cap, part)
    got = run("report", "--explain-symbols", "-i", cap, **more)
    tap.ok(got.status == 0 and f"{cap}/{part} for its symbols: {LINK}" in got.out and "1 symbols from" not in got.out,
           f"a link in the folder of symbols is not read{' without openat2()' if more else ''}", got.out + got.err)


def check_json():
    cap = lay("cap")
    make_link(cap, "data.1")
    got = run("report", "--json", "-i", cap)
    tap.equal(json.loads(got.out)["capture"]["damaged"]["links"], ["data.1"], "report --json lists it")


def check_data():
    cap = lay("cap")
    make_link(cap, "data")
    for command in (["report", "-i", cap], ["script", "-i", cap], ["check", "-i", cap], ["archive", cap], ["merge", "-o", tap.path("none"), cap],
                    ["compact", "-o", tap.path("none"), cap]):
        got = run(*command)
        tap.ok(got.status == 1 and f"cannot open {cap}/data: {LINK}" in got.err and "own_function" not in got.out,
               f"{command[0]} refuses a capture whose data is a link", f"{got.status}\n{got.err}")


def check_no_file():
    """Streams that are no files are none, and are not opened."""
    cap = lay("cap")
    os.mkfifo(f"{cap}/data.2")
    os.mkdir(f"{cap}/data.3")
    nr, got = nr_lines(cap)
    tap.ok(nr == 6 and got.status == 0, "a FIFO is no stream", got.err)
    if not shutil.which("strace"):
        return tap.skip("and is not opened", "strace is not installed")
    trace = tap.path("trace")
    got = tap.run("strace", "-f", "-qq", "-o", trace, "-e", "trace=open,openat,openat2", tap.TSTREAM, "script", "-i", cap)
    if "PTRACE" in got.err or "Operation not permitted" in got.err:
        return tap.skip("and is not opened", "nothing can be traced here")
    with open(trace, errors="replace") as f:
        calls = [line for line in f if "data.2" in line]
    return tap.ok(calls and all("O_PATH" in line for line in calls), "and is not opened", calls)


def without_openat2(code):
    """In the child: openat2() fails with this code, as on Linux 5.5, or in some containers."""
    filters = b"".join(struct.pack("<HBBI", *words) for words in (
        (0x20, 0, 0, 0), (0x15, 0, 1, SYS_OPENAT2), (0x06, 0, 0, 0x50000 | code), (0x06, 0, 0, 0x7fff0000)))
    buffer = ctypes.create_string_buffer(filters)
    program = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", 4, ctypes.addressof(buffer)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(SET_SECCOMP, SECCOMP_FILTER, program):
        raise OSError(ctypes.get_errno(), "seccomp")


check_whole()
for each in PARTS:
    check_part(each)
check_symbol_file()
check_json()
check_data()
check_no_file()
for refusal in (errno.ENOSYS, errno.EPERM):
    for each in ("data.1", "symbols"):
        check_part(each, preexec_fn=lambda: without_openat2(refusal))
    check_symbol_file(preexec_fn=lambda: without_openat2(refusal))
tap.done()
