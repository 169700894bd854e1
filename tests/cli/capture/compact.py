#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tstream compact: a capture without its stack dumps reports what it did with them.

A program that calls itself is recorded by tstream and by perf. tstream prints of the compacted capture what it prints of the
original; perf reads it. What is refused, damaged or interrupted leaves nothing half made.
"""
import difflib
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

LIMIT_S = 60
CHUNK_MAGIC, CHUNK_HEADER_BYTES = b"\x89TSchnk\n", 152  # docs/format.md
WORK = "def down(n):\n    return sum(i * i for i in range(3000)) + (down(n - 1) if n else 0)\nfor _ in range(10): down(20)"
DEEP = "1000"  # more callers than a dump of 4096 bytes has; the usual limit holds otherwise for dumps
OPTIONS = ["-F", "2000", "-e", "cpu-clock", "--call-graph", "dwarf,4096"]


def record(tool, name, *options):
    """A capture whose command is a shell with a child."""
    capture = tap.path(name)
    command = ["sh", "-c", '"$0" -c "$1"; :', sys.executable, WORK]
    result = tap.run(tool, "record", *OPTIONS, *options, "-o", capture, "--", *command)
    tap.ok(result.status == 0, f"{name} is recorded", result.err)
    return capture


def compact(*arguments):
    return tap.run(tap.TSTREAM, "compact", *arguments)


def report(capture):
    """But for how long it took, which perf does not note: of its captures that is the time of what stands beside samples."""
    text = tap.run(tap.TSTREAM, "report", "--stdio", "--max-stack", DEEP, "-i", capture).out
    return re.sub(r"(# Captured: \d+ samples) in [0-9.]+ s", r"\1", text)


def script(capture):
    return tap.run(tap.TSTREAM, "script", "--max-stack", DEEP, "-i", capture).out


def bytes_of(capture):
    return sum(os.path.getsize(file) for file in glob.glob(capture + "/data*")) or os.path.getsize(capture)


def perf_samples(capture):
    """(comm, time, event) of each sample, by perf."""
    return tap.run("timeout", "60", tap.PERF, "script", "-i", capture, "-F", "comm,tid,time,event").out


# Addresses in a PLT fall into _init or not, depending on perf's search tree.
PLT = re.compile(r"^(\s+[0-9a-f]+ )(\[unknown\]|_init|\S+@plt)$", re.M)


def perf_chains(capture):
    return tap.run("timeout", "60", tap.PERF, "script", "-i", capture, "-F", "time,ip,sym").out


def same(got, wanted, sentence):
    """The same text; else the first lines that differ."""
    lines = difflib.unified_diff(wanted.splitlines(), got.splitlines(), "wanted", "got", lineterm="", n=1)
    tap.ok(wanted and got == wanted, sentence, "\n".join(list(lines)[:20]) if got != wanted else "nothing")


def check_same(name, capture):
    out = tap.path(name + "-small")
    result = compact("-o", out, capture)
    tap.ok(result.status == 0 and "stacks unwound" in result.err, f"{name} is compacted", result.err)
    tap.equal(tap.run(tap.TSTREAM, "check", "-q", "-i", out).status, 0, "and sound")
    same(script(out), script(capture), "script prints the same")
    same(report(out), report(capture), "so does report")
    return out


def check_perf(capture, out):
    if not tap.PERF:
        tap.skip("perf reads it", "there is no perf")
        return
    same(perf_samples(out), perf_samples(capture), "perf finds the same samples")
    ours = tap.run(tap.TSTREAM, "script", "-i", out, "-F", "time,ip,sym").out
    same(PLT.sub(r"\1PLT", perf_chains(out)), PLT.sub(r"\1PLT", ours), "and the same callers as tstream")


def check_refusals(capture, small):
    result = compact("-o", tap.path("again"), small)
    tap.ok(result.status == 1 and "none of its events dumps stacks" in result.err and not os.path.exists(tap.path("again")),
           "what has no dumps is refused", result.err)
    tap.equal(compact(capture).status, 2, "so is no output")
    tap.equal(compact("-o", tap.path("again")).status, 2, "and no input")
    beside = tap.path("beside")
    shutil.copytree(capture, beside + ".old")
    result = compact("-o", beside, beside + ".old")
    tap.ok(result.status == 1 and "the output needs that name" in result.err and os.path.exists(beside + ".old/data"),
           "what the making would remove is refused", result.err)
    os.rename(beside + ".old", beside)
    wanted = script(beside)
    result = compact("-o", beside, beside)
    tap.ok(result.status == 0 and script(beside) == wanted and script(beside + ".old") == wanted,
           "compacted into its own name it becomes .old", result.err)


def check_damage(capture):
    broken = tap.path("broken")
    shutil.copytree(capture, broken)
    stream = max(glob.glob(broken + "/data.*"), key=os.path.getsize)
    with open(stream, "r+b") as file:
        file.seek(file.read().find(CHUNK_MAGIC) - 8 + CHUNK_HEADER_BYTES)
        file.write(b"\xff" * 8)
    out = tap.path("of-broken")
    result = compact("-o", out, broken)
    tap.ok(result.status == 1 and "is damaged" in result.err and script(out) == script(broken),
           "a damaged capture is compacted as far as it is sound", result.err)
    with open(os.path.join(out, "tstream.json"), encoding="utf-8") as file:
        note = json.load(file)
    tap.equal(note["state"], "repaired", "and says so")
    damaged = json.loads(tap.run(tap.TSTREAM, "report", "--json", "-i", broken).out)["capture"]["damaged"]
    lost = {"places": 1, "bytes": sum(place["bytes"] for place in damaged["places"]), "doubtful_records": damaged["doubtful_records"]}
    tap.equal(note.get("damage"), lost, "with all that was lost, or may be wrong")
    again = tap.path("again")
    tap.run(tap.TSTREAM, "merge", "-o", again, out)
    for made in (out, again):
        told = tap.run(tap.TSTREAM, "check", made).out
        tap.ok(f"it was made of a damaged capture: 1 place, {lost['bytes']} bytes left out, {lost['doubtful_records']} records" in told,
               f"check tells of it in {os.path.basename(made)}", told)


def check_stopped(capture):
    """Whenever it comes, ^C leaves all of it or nothing."""
    out = tap.path("stopped")
    process = subprocess.Popen([tap.TSTREAM, "compact", "-o", out, capture], stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    time.sleep(0.002)
    process.send_signal(signal.SIGINT)
    err = process.communicate(timeout=LIMIT_S)[1]
    is_whole = os.path.exists(out) and script(out) == script(capture)
    is_none = process.returncode != 0 and not os.path.exists(out)
    tap.ok((is_whole or is_none) and not os.path.exists(out + ".new"), "^C leaves all of it or nothing",
           f"{process.returncode} {err}")


def check_full_disk(capture):
    if os.geteuid() or subprocess.run(["unshare", "-m", "true"], check=False, stderr=subprocess.DEVNULL).returncode:
        tap.skip("a full disk", "needs the right to mount")
        return
    small = tap.path("disk")
    os.mkdir(small)
    line = 'mount -t tmpfs -o size=8k none "$1" && "$0" compact -o "$1/out" "$2"; s=$?; ls -A "$1"; exit $s'
    result = tap.run("unshare", "-m", "sh", "-c", line, tap.TSTREAM, small, capture)
    tap.ok(result.status == 1 and "No space left" in result.err and not result.out, "a full disk leaves nothing",
           f"{result.status} {result.out} {result.err}")


own = record(tap.TSTREAM, "own")
compacted = check_same("own", own)
tap.ok(bytes_of(compacted) < bytes_of(own) / 10, "it is a small part of it", f"{bytes_of(own)} {bytes_of(compacted)}")
check_perf(own, compacted)
if tap.PERF:
    for name, options in (("file", ["-B", "-z"]), ("directory", ["-B", "--threads"])):
        check_same(name, record(tap.PERF, name, *options))
else:
    tap.skip("captures of perf", "there is no perf")
check_refusals(own, compacted)
check_damage(own)
check_stopped(own)
check_full_disk(own)
tap.ok(not glob.glob(tap.path("*.new")), "nothing is left beside")
tap.done()
