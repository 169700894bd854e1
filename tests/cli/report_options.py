#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command line of report: where it looks for a capture, what it refuses, its exit statuses, its pager."""
import fcntl
import os
import pty
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

SPIN = [sys.executable, "-c", "import time; any(time.process_time() > 0.3 for _ in iter(int, 1))"]


def record(path, *options):
    result = tap.run(tap.TSTREAM, "record", "-q", "-e", "cpu-clock", *options, "-o", path, "--", *SPIN)
    if result.status:
        tap.skip_all(f"cannot record here: {result.err}")


def report(*options, **more):
    return tap.run(tap.TSTREAM, "report", *options, **more)


def check_refusals(capture):
    for sentence, options in [
        ("an unknown sort key", ["-s", "colour"]),
        ("no sort key", ["-s", ","]),
        ("an unknown way to draw", ["-g", "sideways"]),
        ("a percentage over 100", ["-g", "caller,101"]),
        ("a number of branches that is none", ["-g", "1,2x"]),
        ("lines of the source in call graphs", ["-g", "graph,srcline"]),
        ("branch records in call graphs", ["-g", "branch"]),
        ("a pattern that is none", ["-p", "("]),
        ("leaving out what has no parent, of which nothing is said", ["-x"]),
        ("no threads", ["-j", "0"]),
        ("the same capture again", [capture]),
        ("an unknown option", ["--no-such-option"]),
    ]:
        result = report("-i", capture, *options)
        tap.ok(result.status == 2 and not result.out and result.err, f"{sentence}: status 2, words on stderr only",
               f"{result.status} {result.out} {result.err}")


def check_inputs(capture):
    """What cannot be read: one sentence, status 1."""
    text, fifo, bare = tap.path("text"), tap.path("fifo"), tap.path("bare")
    with open(text, "w") as f:
        f.write("This is no capture.\n" * 50)
    os.mkfifo(fifo)
    os.mkdir(bare)
    open(tap.path("empty"), "w").close()
    for name in ("missing", "text", "fifo", "bare", "empty"):
        result = report("-i", tap.path(name), timeout=20)
        tap.ok(result.status == 1 and not result.out and result.err.startswith("tstream: cannot ") and
               result.err.count("\n") <= 2, f"{name}: one sentence, status 1", f"{result.status} {result.out} {result.err}")
    result = report("-g", "caller", "-i", capture)
    tap.ok(result.status == 1 and "-g" in result.err, "-g without call chains in the capture is refused", result.err)


def check_defaults(capture):
    folder = tap.path("folder")
    os.mkdir(folder)
    result = report(cwd=folder)
    tap.ok(result.status == 1 and "tstream.data" in result.err, "no capture in the folder: status 1, both names said", result.err)
    shutil.copytree(capture, os.path.join(folder, "perf.data"))
    tap.equal(report("--stats", cwd=folder).out, report("--stats", "-i", capture).out, "perf.data is read when it stands alone")
    other = tap.path("other")
    record(other, "-F", "100")
    shutil.copytree(other, os.path.join(folder, "tstream.data"))
    tap.equal(report("--stats", cwd=folder).out, report("--stats", "-i", other).out, "tstream.data comes first")


def check_forms(capture):
    plain = report("-i", capture).out
    tap.equal(report("--stdio", "-i", capture).out, plain, "--stdio changes nothing")
    tap.equal(report("-s", "comm,dso,symbol", "-i", capture).out, plain, "symbol is sym, and the keys are the default ones")
    head = report("--header-only", "-i", capture)
    tap.ok(head.status == 0 and head.out.startswith("# ========\n") and "# cmdline : " in head.out and
           "# Overhead" not in head.out, "--header-only shows the header and nothing else", head.out)
    tap.ok(report("--header", "-i", capture).out.startswith(head.out), "--header shows it first")
    rows = report("-q", "-i", capture).out
    tap.ok(rows and "#" not in rows.replace("[k] #", ""), "-q leaves comments out", rows[:300])
    dump = report("-D", "--header", "-i", capture)
    tap.ok(dump.status == 0 and dump.out.startswith("# ========\n") and "PERF_RECORD_SAMPLE" in dump.out,
           "-D --header shows the header and every record", dump.out[:300] + dump.err)


def check_header_like_perf(capture):
    if not tap.PERF:
        tap.skip("--header-only is perf's text", "perf is not installed")
        return
    perf = tap.run(tap.PERF, "report", "--header-only", "-i", capture)
    tap.equal(report("--header-only", "-i", capture).out, perf.out, "--header-only is perf's text")


def damage(capture, name):
    """A copy with one byte changed in the first chunk of its largest stream."""
    copy = tap.path(name)
    shutil.copytree(capture, copy)
    streams = [os.path.join(copy, f) for f in os.listdir(copy) if f.startswith("data.")]
    path = max(streams, key=os.path.getsize)
    with open(path, "r+b") as f:
        f.seek(1000)
        byte = f.read(1)
        f.seek(-1, os.SEEK_CUR)
        f.write(bytes([byte[0] ^ 0xff]))
    return copy, path


def check_damage(capture):
    copy, path = damage(capture, "damaged")
    for options in (["--stats"], ["--stdio"]):
        result = report(*options, "-i", copy)
        tap.ok(result.status == 1 and path in result.err and "offset" in result.err and result.out,
               f"{options[0]}: damage is named, the rest is shown, status 1", f"{result.status} {result.err}")


def check_interrupt(capture):
    """A report that nobody reads waits on its output, of which a page fits into the pipe; ^C ends it with 130."""
    p = subprocess.Popen([tap.TSTREAM, "report", "-D", "-i", capture], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         bufsize=0)
    fcntl.fcntl(p.stdout, fcntl.F_SETPIPE_SZ, 4096)
    p.stdout.read(1)
    p.send_signal(signal.SIGINT)
    try:
        status = p.wait(timeout=20)
    except subprocess.TimeoutExpired:
        p.kill()
        status = "still there"
    tap.equal(status, 130, "^C ends with status 130")
    p.stdout.close()


def on_terminal(capture, pager):
    """What a report writes to a terminal, with this $PAGER."""
    leader, follower = pty.openpty()
    p = subprocess.Popen([tap.TSTREAM, "report", "-i", capture], stdin=subprocess.DEVNULL, stdout=follower,
                         stderr=subprocess.DEVNULL, env=dict(os.environ, PAGER=pager))
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


def check_pager(capture):
    plain = report("-i", capture).out
    status, text = on_terminal(capture, "sed s/^/paged:/")
    tap.ok(status == 0 and re.fullmatch(r"(paged:.*\n)+", text), "a terminal gets the output of $PAGER", text[:300])
    tap.equal(on_terminal(capture, ""), (0, plain), "an empty $PAGER means none")
    result = report("-i", capture, env={"PAGER": "sed s/^/paged:/"})
    tap.equal(result.out, plain, "what is no terminal gets no pager")
    status, text = on_terminal(capture, "true")
    tap.equal(status, 0, "a pager that leaves at once is no failure")


def main():
    capture = tap.path("capture")
    record(capture, "-F", "4000")
    check_refusals(capture)
    check_inputs(capture)
    check_defaults(capture)
    check_forms(capture)
    check_header_like_perf(capture)
    check_damage(capture)
    check_interrupt(capture)
    check_pager(capture)
    tap.done()


main()
