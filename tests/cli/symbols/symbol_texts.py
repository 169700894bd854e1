#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of symbols that are text, the kernel's in a capture, --kallsyms and maps of JIT compilers, are as untrusted as all others:
what is no file, has no end, is too large, has endless lines or cannot be read is told, in bounded time and memory, and ^C ends it."""
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import perf_file  # noqa: E402
import tap  # noqa: E402

ID, TEXT_AT = bytes(range(20)), 0xffffffff80001000
GOOD = b"ffffffff80001000 T own_fn\nffffffff80002000 T end\n"
LIMIT_S, MIB = 60, 1 << 20
PID = 4100000  # no process has it
MAP = f"perf-{PID}.map"
cap = tap.path("cap")
kallsyms, jit_map, given = f"{cap}/symbols/{ID.hex()}.kallsyms", f"{cap}/symbols/{MAP}", tap.path("given")


def lay():
    """Samples in the kernel, and in code without a file."""
    made = perf_file.PerfFile(chains=False, flags=perf_file.BUILD_ID)
    made.thread(PID, PID, "some")
    made.map_kernel(0xffffffff80000000, 0x10000000, 0xffffffff80000000, ID)
    jit = perf_file.Program(tap.path("unused"), ["unused"])
    jit.path = "//anon"
    made.map(PID, jit)
    made.sample(PID, PID, 1000, [TEXT_AT + 2], misc=perf_file.MISC_KERNEL)
    made.sample(PID, PID, 1001, [jit.start + 2])
    os.makedirs(f"{cap}/symbols")
    made.write(f"{cap}/data")
    return jit.start


def start(*options):
    return subprocess.Popen([tap.TSTREAM, "report", "--explain-symbols", "-i", cap, *options], stdin=subprocess.DEVNULL,
                            stdout=open(tap.path("out"), "wb"), stderr=subprocess.STDOUT,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


def end(process, limit_s=LIMIT_S):
    """Its status, output, seconds and most memory in MiB; it is killed when its time is over."""
    begun = time.monotonic()
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid or time.monotonic() - begun > limit_s:
            break
        time.sleep(0.01)
    took = time.monotonic() - begun
    if not pid:
        process.kill()
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    with open(tap.path("out"), errors="replace") as f:
        return process.returncode, f.read(), took, usage.ru_maxrss / 1024


def put(path, *pieces, length=None):
    remove(path)
    with open(path, "wb") as f:
        for piece in pieces:
            f.write(piece)
        if length:
            f.truncate(length)


def put_once(path, name, pieces):
    """The same as put(path, *pieces()), for what is large and is put in several places: written once, by that name."""
    if not os.path.exists(tap.path(name)):
        put(tap.path(name), *pieces())
    remove(path)
    os.link(tap.path(name), path)


def remove(path):
    if os.path.lexists(path):
        os.unlink(path)


def expect(what, sentence, most_mib, *options, limit_s=LIMIT_S, wanted=0):
    status, out, took, mib = end(start(*options), limit_s)
    tap.ok(status == wanted and re.search(sentence, out), f"{what}: it is told, or left out", f"{status} after {took:.1f} s\n{out[:3000]}")
    tap.ok(mib < most_mib, f"{what}: takes less than {most_mib} MiB", f"{mib:.0f} MiB")
    return out


def places():
    """Each file of text, with what has it read, a good content, and the name that this gives."""
    yield "kernel symbols of the capture", kallsyms, (), GOOD, "own_fn"
    yield "--kallsyms", given, ("--kallsyms", given), GOOD, "own_fn"
    yield "a map of a JIT compiler", jit_map, (), b"%x 1000 jit_fn\n" % JIT, "jit_fn"


def many_symbols(word):
    """2 million lines, each with an address of its own."""
    lines = b"".join(b"@%03x %b f\n" % (i, word) for i in range(4096))
    return (lines.replace(b"@", b"%x" % i) for i in range(1, 489))


def check_place(what, path, options, good, name):
    def is_named():
        return bool(re.search(rf"\b{name}\b", tap.run(tap.TSTREAM, "report", "-s", "sym", "-i", cap, *options, timeout=LIMIT_S).out))

    put(path, good)
    tap.ok(is_named(), f"{what}: a good file is read")
    remove(path)
    os.mkfifo(path)
    expect(f"{what}, a FIFO", "no regular file", 100, *options, limit_s=10)
    remove(path)
    if os.geteuid() == 0:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5))
        expect(f"{what}, /dev/zero", "no regular file", 100, *options, limit_s=10)
    else:
        tap.skip(f"{what}, /dev/zero", "only root makes a device")
    try:
        put(path, good, length=256 << 30)
        expect(f"{what}, 256 GiB of holes", f"cannot read {re.escape(path)}: it has more than 1 GiB", 100, *options, limit_s=10)
    except OSError as why:
        tap.skip(f"{what}, 256 GiB of holes", why)
    put(path, good, length=1 << 29)
    expect(f"{what}, 512 MiB of holes", r"[12] symbols from ", 100, *options, "--mem-limit=64M")
    put_once(path, f"line {name}", lambda: [b"f" * (100 * MIB), b"\n", good])
    tap.ok(is_named(), f"{what}: a line of 100 MiB is left out")
    expect(f"{what}, a line of 100 MiB", r"[12] symbols from ", 100, *options, "--mem-limit=64M")
    word = b"10" if name == "jit_fn" else b"T"
    put_once(path, f"symbols {word}", lambda: many_symbols(word))
    out = expect(f"{what}, 2 million symbols", "its symbols need more memory than is left", 200, *options, "--mem-limit=32M", wanted=1)
    tap.ok(re.search("^tstream: cannot read all symbols of .*: they need more memory than is left$", out, re.M),
           f"{what}, 2 million symbols: the last sentence says that names are missing", out[-1000:])
    remove(path)


def check_interrupted(what, path, options):
    """Lines without a symbol take time and no memory."""
    put_once(path, "lines", lambda: [b"\n" * MIB] * 1000)
    process = start(*options)
    time.sleep(0.5)
    was_there = process.poll() is None
    process.send_signal(signal.SIGINT)
    status, out, took, _ = end(process, 20)
    tap.ok(was_there and took < 1, f"{what}: ^C ends it within a second", f"{was_there}, {status} after {took:.2f} s\n{out}")
    remove(path)


def check_error(what, path, options, good):
    """The disk fails behind the first MiB."""
    put(path, good, *[b"%x T f%d\n" % (TEXT_AT + 4096 * i, i) for i in range(2, 120000)])
    if not shutil.which("strace"):
        return tap.skip(f"{what}: a read error", "strace is not installed")
    got = tap.run("strace", "-f", "-qq", "-o", "/dev/null", "-P", path, "-e", "trace=read", "-e", "inject=read:error=EIO:when=2+",
                  tap.TSTREAM, "report", "--explain-symbols", "-i", cap, *options, timeout=LIMIT_S)
    if "PTRACE" in got.err or "Operation not permitted" in got.err:
        return tap.skip(f"{what}: a read error", "nothing can be traced here")
    remove(path)
    is_told = f"cannot read {path}: Input/output error" in got.out and "cannot read all symbols of" in got.err
    return tap.ok(got.status == 1 and is_told, f"{what}: a read error behind the first MiB is told", f"{got.status}\n{got.out}{got.err}")


JIT = lay()
for place in places():
    check_place(*place)
    check_interrupted(*place[:3])
    check_error(*place[:4])
tap.done()
