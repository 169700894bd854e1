#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whatever path a capture names for a module, only regular files are opened: no FIFO, device or socket, nothing that the kernel
makes, and nothing is mounted; links, and files on tmpfs, are read as ever."""
import ctypes
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import types

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import perf_file  # noqa: E402
import tap  # noqa: E402

FUNCTION = "only_function"
FULL = (1, 7)  # /dev/full
LIMIT_S = 20
NEW_MOUNTS, REC_PRIVATE, DETACH = 0x20000, 0x4000 | 0x40000, 2
NO_FILE, MADE, UNASKED = "not a regular file", "the kernel makes what is in it", "the automounter is not asked"


def make_program(path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    perf_file.Program(path, [FUNCTION], perf_file.TEXT, bytes(range(20)))
    return path


def capture_of(name, paths):
    """One process that runs code of all of them."""
    made, cap = perf_file.PerfFile(), tap.path(name)
    made.thread(10, 10, "some")
    for i, path in enumerate(paths):
        program = types.SimpleNamespace(path=path, start=0x10000000 * (i + 1))
        made.map(10, program)
        made.sample(10, 10, 1000 + i, [program.start + perf_file.TEXT + 0x10])
    made.write(cap)
    return cap


def report(cap, *options, **more):
    return tap.run(tap.TSTREAM, "report", "--explain-symbols", *options, "-i", cap, timeout=LIMIT_S, **more)


def said_of(text, path):
    """What --explain-symbols tells of a module."""
    found = re.search(rf"^ +\d+ +\d+  {re.escape(path)}\n((?: {{24}}.*\n)*)", text, re.M)
    return found[1] if found else ""


def opened(trace, paths):
    """Calls that opened one of them: not only to look at it."""
    calls, begun = [], {}
    with open(trace, errors="replace") as f:
        for line in f:
            thread = line.split(" ", 1)[0]
            if line.endswith(" <unfinished ...>\n"):
                begun[thread] = line
                continue
            if " resumed>" in line:
                line = begun.pop(thread, "") + line
            target = re.search(r"= \d+<(.*?)>", line)
            named = target and target[1] in paths or any(f'"{path}"' in line for path in paths)
            if named and "O_PATH" not in line:
                calls.append(line)
    return calls


def traced(cap, paths, *options, **more):
    """The report, and what it opened of the paths; None: nothing can be traced here."""
    trace = tap.path("trace")
    if not shutil.which("strace"):
        return report(cap, *options, **more), None
    got = tap.run("strace", "-f", "-qq", "-y", "-o", trace, "-e", "trace=open,openat,openat2", tap.TSTREAM, "report", "--explain-symbols",
                  *options, "-i", cap, timeout=LIMIT_S, **more)
    if "PTRACE" in got.err or "Operation not permitted" in got.err:
        return report(cap, *options, **more), None
    return got, opened(trace, paths)


def check_refused(cap, cases, what, *options):
    """cases: path and reason."""
    got, calls = traced(cap, [path for path, _ in cases], *options)
    tap.ok(got.status == 0, f"{what}: the report ends, and well", f"status {got.status}\n{got.err}")
    for path, reason in cases:
        tap.ok(reason in said_of(got.out, path), f"{what}: {os.path.basename(path)}: {reason}", said_of(got.out, path) or got.out + got.err)
    if calls is None:
        tap.skip(f"{what}: none was opened", "nothing can be traced here")
    else:
        tap.equal(calls, [], f"{what}: none was opened")


# --- what is no file ---

def make_special():
    """FIFOs, a device, a socket, and links to them."""
    os.mkfifo(tap.path("fifo"))
    os.mkfifo(tap.path("jit-10.dump"))
    os.symlink(tap.path("fifo"), tap.path("to-fifo"))
    os.symlink("to-fifo", tap.path("to-link"))
    os.symlink("round", tap.path("round"))
    sock = socket.socket(socket.AF_UNIX)
    sock.bind(tap.path("socket"))
    paths = [tap.path(name) for name in ("fifo", "to-fifo", "to-link", "socket")]
    if os.geteuid() == 0:
        os.mknod(tap.path("full"), stat.S_IFCHR | 0o666, os.makedev(*FULL))
        os.symlink("full", tap.path("to-full"))
        paths += [tap.path("full"), tap.path("to-full")]
    else:
        tap.skip("a device", "only root makes one")
    return [(path, NO_FILE) for path in paths] + [(tap.path("round"), "symbolic links"), ("/dev/full", NO_FILE)]


def check_special():
    cases = make_special()
    writer = threading.Thread(target=lambda: os.close(os.open(tap.path("fifo"), os.O_WRONLY)), daemon=True)
    writer.start()
    check_refused(capture_of("special", [path for path, _ in cases] + [tap.path("jit-10.dump")]), cases, "what is no file")
    tap.ok(writer.is_alive(), "who waits for a reader of the FIFO still does")
    os.close(os.open(tap.path("fifo"), os.O_RDONLY | os.O_NONBLOCK))
    writer.join()


def check_made():
    """Those below /proc are regular files, and so is what /proc/self/exe leads to."""
    os.symlink("/proc/self/environ", tap.path("to-proc"))
    cases = [(path, MADE) for path in ("/proc/self/environ", "/proc/1/environ", "/proc/self/exe", "/proc/1/root/bin/sh", "/proc/self/root/bin/sh",
                                       "/sys/kernel/notes", "/sys/power/state", "/proc/self/cwd/fifo", tap.path("to-proc"))]
    check_refused(capture_of("made", [path for path, _ in cases]), cases, "what the kernel makes")


def check_debug_link():
    """A file of the program's own that it names."""
    if not shutil.which("objcopy"):
        return tap.skip("a debug file that is a FIFO", "objcopy is not installed")
    program = make_program(tap.path("stripped"))
    with open(tap.path("linked.debug"), "w"):
        pass
    made = tap.run("objcopy", "--strip-all", f"--add-gnu-debuglink={tap.path('linked.debug')}", program)
    if made.status:
        return tap.skip("a debug file that is a FIFO", made.err)
    os.unlink(tap.path("linked.debug"))
    os.mkfifo(tap.path("linked.debug"))
    got, calls = traced(capture_of("debug-link", [program]), [tap.path("linked.debug")])
    return tap.ok(got.status == 0 and not calls and f"{tap.path('linked.debug')}: {NO_FILE}" in got.out, "nor is a debug file that is a FIFO",
                  f"{calls}\n{got.out}{got.err}")


# --- what is read as ever ---

def is_named(cap, path, *options):
    return "1 symbols from .symtab" in said_of(report(cap, *options).out, path)


def check_links():
    make_program(tap.path("real/usr/lib/object.so.1"))
    os.symlink("usr/lib", tap.path("real/lib64"))
    os.symlink("object.so.1", tap.path("real/usr/lib/object.so"))
    os.symlink(tap.path("real/usr"), tap.path("absolute"))
    for name in ("real/usr/lib/object.so.1", "real/lib64/object.so", "absolute/lib/object.so", "real/usr/../lib64/./object.so",
                 "absolute/../lib64//object.so"):
        tap.ok(is_named(capture_of("links", [tap.path(name)]), tap.path(name)), f"{name} has its symbols")
    os.symlink(tap.path("real"), tap.path("symfs"))
    tap.ok(is_named(capture_of("below", ["/lib64/object.so"]), "/lib64/object.so", "--symfs", tap.path("symfs")), "so has one below --symfs")
    chain = tap.path("real/usr/lib/object.so.1")
    for i in range(41):
        os.symlink(chain, tap.path(f"chain{i}"))
        chain = tap.path(f"chain{i}")
    tap.ok(is_named(capture_of("forty", [tap.path("chain39")]), tap.path("chain39")), "40 links are followed")
    tap.ok(not is_named(capture_of("more", [chain]), chain), "and not one more")


def check_open_to_all():
    """A link that another user left in a folder like /tmp is not followed, as the kernel would not."""
    if os.geteuid() != 0:
        return tap.skip("links of others in a folder that all may write to", "only root gives files away")
    folder = tap.path("all")
    os.mkdir(folder)
    os.chmod(folder, 0o1777)
    path = os.path.join(folder, "link")
    os.symlink(tap.path("real/usr/lib/object.so.1"), path)
    own = is_named(capture_of("own-link", [path]), path)
    os.lchown(path, 12345, 12345)
    return tap.ok(own and not is_named(capture_of("other-link", [path]), path), "links of others in a folder that all may write to are not followed")


# --- mounts ---

LIBC = ctypes.CDLL(None, use_errno=True)


def mount(source, path, kind, flags=0, data=None):
    if LIBC.mount(source.encode(), path.encode(), kind.encode(), flags, data and data.encode()):
        raise OSError(ctypes.get_errno(), f"mount {kind}")


def check_automounter(asked):
    """The folder `there` is mounted, `away` is not; on `direct` something would be mounted."""
    make_program(tap.path("auto/there/object.so"))
    there, away, direct = (tap.path(name) for name in ("auto/there/object.so", "auto/away/object.so", "direct/object.so"))
    os.symlink(tap.path("auto/away"), tap.path("to-away"))
    cap = capture_of("auto-mounted", [there, away, direct, tap.path("to-away/object.so"), tap.path("auto")])
    got, calls = traced(cap, [away, direct], start_new_session=True)  # the automounter is this process and its group
    tap.equal(calls or [], [], "nothing that is not mounted is opened")
    for path in (away, direct, tap.path("to-away/object.so")):
        tap.ok(UNASKED in said_of(got.out, path), f"{os.path.relpath(path, tap.scratch)}: {UNASKED}", got.out + got.err)
    tap.ok("1 symbols from .symtab" in said_of(got.out, there), "what is mounted there is read", got.out + got.err)
    try:
        question = os.read(asked, 4096)
    except BlockingIOError:
        question = b""
    tap.equal(question, b"", "the automounter was not asked")


def check_mounts():
    """In a world of mounts of this process's own, which are gone with it."""
    if os.geteuid() != 0 or LIBC.unshare(NEW_MOUNTS):
        return tap.skip("what is mounted", "no mounts can be made here")
    mount("none", "/", "none", REC_PRIVATE)
    for name in ("tmpfs", "auto", "direct"):
        os.mkdir(tap.path(name))
    mounted = []
    try:
        mount("none", tap.path("tmpfs"), "tmpfs")
        mounted.append(tap.path("tmpfs"))
        path = make_program(tap.path("tmpfs/object.so"))
        tap.ok(is_named(capture_of("on-tmpfs", [path]), path), "a file on tmpfs has its symbols")
        asked, end = os.pipe()
        os.set_blocking(asked, False)
        for name, kind in (("auto", "indirect"), ("direct", "direct")):
            mount("autofs", tap.path(name), "autofs", 0, f"fd={end},pgrp={os.getpgrp()},minproto=5,maxproto=5,{kind}")
            mounted.append(tap.path(name))
        os.mkdir(tap.path("auto/there"))
        mount("none", tap.path("auto/there"), "tmpfs")
        mounted.append(tap.path("auto/there"))
        check_automounter(asked)
    except OSError as why:
        tap.skip("the automounter", f"cannot be had here: {why}")
    finally:
        for path in reversed(mounted):
            LIBC.umount2(path.encode(), DETACH)
    return None


def check_without_proc():
    if LIBC.unshare(NEW_MOUNTS):
        return tap.skip("without /proc", "no mounts can be made here")
    hidden = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
    path = tap.path("real/lib64/object.so")
    got = tap.run(*hidden, tap.TSTREAM, "report", "--explain-symbols", "-i", capture_of("no-proc", [path]))
    return tap.ok("1 symbols from .symtab" in said_of(got.out, path), "files are read where no /proc is mounted", got.out + got.err)


signal.signal(signal.SIGPIPE, signal.SIG_DFL)
check_special()
check_made()
check_debug_link()
check_links()
check_open_to_all()
check_without_proc()
check_mounts()
tap.done()
