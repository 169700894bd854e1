#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""record --no-buildid-mmap: perf beside it ends well, and the build-ids of files are known all the same.

The kernel serves the newest listener first. So the recorder that asks for build-ids is the one that begins last
(docs/decisions/0148-build-ids-of-files.md).
"""
import glob
import os
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["abs_srcdir"], "tests", "support"))
import tap  # noqa: E402

RUNS = 3
EVENTS = ["-q", "-a", "-e", "cpu-clock", "-F", "49"]
WITHOUT = [tap.TSTREAM, "record", *EVENTS, "--no-buildid-mmap", "-o"]
EXECS = ["sh", "-c", "for i in 1 2 3 4; do /bin/true; done"]


def id_of(path):
    out = tap.run("readelf", "-n", os.path.realpath(path)).out
    return re.search(r"Build ID: ([0-9a-f]+)", out)[1]


def maps_of(capture, name):
    """The id of the map of a file with this name, by the process; "" where there is none."""
    ids = {}
    for line in tap.run(tap.TSTREAM, "report", "-D", "-i", capture).out.splitlines():
        found = re.search(r"PERF_RECORD_MMAP2 (\d+)/\d+: \[\S+ @ \S+ (?:<([0-9a-f]+)>)?.*: r-xp .*/" + name + "$", line)
        if found:
            ids[found[1]] = found[2] or ids.get(found[1], "")
    return ids


def strangers():
    """The number of recorders on this machine: one that asks for build-ids would break perf, too."""
    links = (os.path.join(folder, fd) for folder in glob.glob("/proc/[0-9]*/fd") for fd in listing(folder))
    return len({link.split("/")[2] for link in links if target(link) == "anon_inode:[perf_event]"})


def listing(folder):
    try:
        return os.listdir(folder)
    except OSError:
        return []


def target(link):
    try:
        return os.readlink(link)
    except OSError:
        return ""


def beside_perf():
    """perf begins first, so a flag of ours would get into its records."""
    capture, theirs = os.path.join(tap.scratch, "inner"), os.path.join(tap.scratch, "perf.data")
    for i in range(RUNS):
        others = strangers()
        got = subprocess.run(["perf", "record", *EVENTS, "-o", theirs, "--", *WITHOUT, capture, "--", *EXECS], capture_output=True, text=True)
        read = tap.run("perf", "report", "--stdio", "-i", theirs) if not got.returncode else None
        sentence = f"perf record beside --no-buildid-mmap ends well, and is read: {i + 1}"
        if got.returncode and others + strangers():
            tap.skip(sentence, "another recorder runs on this machine")
            continue
        tap.ok(read and read.status == 0, sentence, got.stderr)


def beside_one_that_asks():
    """The flag that another recorder leaves in our records is gone: perf reads them."""
    capture, other = os.path.join(tap.scratch, "outer"), os.path.join(tap.scratch, "asks")
    got = tap.run(*WITHOUT, capture, "--", tap.TSTREAM, "record", *EVENTS, "-o", other, "--", *EXECS)
    tap.ok(got.status == 0, "a recorder that asks runs inside of one that does not", got.err)
    for one in (capture, other):
        tap.equal(tap.run("perf", "report", "--stdio", "-i", one).status, 0, f"perf reads {os.path.basename(one)}")
        tap.equal(tap.run(tap.TSTREAM, "check", one).status, 0, f"{os.path.basename(one)} is sound")


# service: deleted before the start. mine: mapped twice, then deleted; another file takes its name, and is mapped.
STORY = """
./mine 0.1; sleep 1.2; ./mine 0.1
rm mine; cp "$1" mine; ./mine </dev/null; sleep 1.2; ./mine </dev/null
"""


def files(name, options):
    folder = os.path.join(tap.scratch, name)
    os.mkdir(folder)
    sleep, cat = os.path.realpath(shutil.which("sleep")), os.path.realpath(shutil.which("cat"))
    for copy in ("mine", "service"):
        shutil.copy(sleep, os.path.join(folder, copy))
    service = subprocess.Popen(["./service", "60"], cwd=folder)
    os.unlink(os.path.join(folder, "service"))
    got = tap.run(*WITHOUT, "out", *options, "--", "sh", "-c", STORY, "sh", cat, cwd=folder)
    service.send_signal(signal.SIGKILL)
    service.wait()
    tap.ok(got.status == 0, f"{name}: it records", got.err)
    captures = sorted(os.path.join(folder, entry) for entry in os.listdir(folder) if entry.startswith("out"))
    last = captures[-1]
    both = [one for capture in captures for one in maps_of(capture, "mine").values()]
    tap.equal(sorted(set(both)), sorted([id_of(sleep), id_of(cat)]), f"{name}: each map has the build-id of its own file")
    for capture in captures:
        tap.equal(list(maps_of(capture, r"service \(deleted\)").values()), [id_of(sleep)], f"{name}: a file deleted before the start has its id")
    listed = tap.run("perf", "buildid-list", "-i", last).out
    tap.ok(f"{id_of(cat)} {folder}/mine" in listed, f"{name}: perf buildid-list knows the newest file of that path", listed)


# One program after another has the name and, on most filesystems, the inode of the one before.
SUCCESSORS = """
for i in 1 2 3 4 5; do cp "$1" prog; ./prog 0; rm prog; cp "$2" prog; ./prog </dev/null; rm prog; done
cp "$2" prog; sleep 1.5
"""


def successors():
    folder = os.path.join(tap.scratch, "successors")
    os.mkdir(folder)
    sleep, cat = os.path.realpath(shutil.which("sleep")), os.path.realpath(shutil.which("cat"))
    got = tap.run(*WITHOUT, "out", "--", "sh", "-c", SUCCESSORS, "sh", sleep, cat, cwd=folder)
    tap.ok(got.status == 0, "successors: it records", got.err)
    ids = maps_of(os.path.join(folder, "out"), "prog")
    tap.equal(len(ids), 10, "successors: each of them was mapped")
    wrong = [one for n, one in enumerate(ids.values()) if one not in ("", id_of(cat if n % 2 else sleep))]
    tap.equal(wrong, [], "successors: none has the build-id of another")


# 600 files are mapped faster than one of them is looked at.
BURST = """
import mmap, os, sys
for i in range(600):
    with open(f"libs/l{i}.so", "rb") as file:
        mmap.mmap(file.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
"""


def burst():
    folder = os.path.join(tap.scratch, "burst")
    os.makedirs(os.path.join(folder, "libs"))
    program = os.path.realpath(shutil.which("true"))
    for i in range(600):
        shutil.copy(program, os.path.join(folder, f"libs/l{i}.so"))
    got = tap.run(*WITHOUT, "out", "--", sys.executable, "-c", BURST, cwd=folder)
    tap.ok(got.status == 0, "burst: it records", got.err)
    listed = tap.run("perf", "buildid-list", "-i", os.path.join(folder, "out")).out
    tap.equal(len(set(re.findall(r"libs/l\d+\.so", listed))), 600, "burst: each file has its build-id")


def removed_at_once():
    """Nothing but the process has the file when its map is drained."""
    folder = os.path.join(tap.scratch, "removed")
    os.mkdir(folder)
    sleep = os.path.realpath(shutil.which("sleep"))
    shutil.copy(sleep, os.path.join(folder, "mine"))
    tap.run(*WITHOUT, "out", "--", "sh", "-c", "./mine 2 & sleep 0.05; rm mine; wait", cwd=folder)
    ids = list(maps_of(os.path.join(folder, "out"), "mine").values())
    tap.equal(ids, [id_of(sleep)], "a file removed at once has its id while its process lives")


if os.geteuid():
    tap.skip_all("whole CPUs need root")
if not shutil.which("perf"):
    tap.skip_all("no perf here")
beside_perf()
beside_one_that_asks()
files("plain", [])
files("rotated", ["--switch-output=1s"])
successors()
burst()
removed_at_once()
tap.done()
