#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files data.* that are no streams of a capture stand in its directory. perf makes some: script --per-event-dump. Every command
leaves them alone, prints one note, and reads what it reads without them."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

LOOP = ("sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done")
COMMANDS = (["report"], ["report", "--stats"], ["report", "-D"], ["report", "--tasks"], ["script"], ["check"])
BEHIND = {"compact": ["compact", "-o", "OUT"], "merge": ["merge", "-o", "OUT"], "merge --single": ["merge", "--single", "-o", "OUT"],
          "check --repair": ["check", "--repair=OUT"]}


def run(*command):
    return tap.run(tap.TSTREAM, *command, timeout=60)


def record(name, *options):
    cap = tap.path(name)
    made = run("record", "-e", "cpu-clock:u", "--call-graph", "dwarf,512", *options, "-o", cap, "--", *LOOP)
    return cap if made.status == 0 else None


def listing(cap):
    return {name: os.stat(os.path.join(cap, name)).st_size for name in os.listdir(cap)}


def litter(cap, *more):
    """A copy of the capture with files of perf's, and others. The names of the new ones."""
    copy = cap + "-littered"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(cap, copy)
    if tap.PERF:
        tap.run(tap.PERF, "script", "--per-event-dump", "-i", copy, cwd=tap.scratch)
    strays = set(os.listdir(copy)) - set(os.listdir(cap))
    for name in more:
        if os.path.exists(f"{copy}/{name}"):
            continue
        shutil.copy(f"{cap}/data.0", f"{copy}/{name}")
        strays.add(name)
    return copy, sorted(strays)


def notes(got):
    return [line for line in (got.err + got.out).splitlines() if "left alone" in line]


def compare(what, cap, copy, strays):
    """With the same path in what they print."""
    clean = tap.path("clean")
    os.rename(cap, clean)
    os.rename(copy, cap)
    littered = [run(*command, "-i", cap) for command in COMMANDS]
    after = listing(cap)
    os.rename(cap, copy)
    os.rename(clean, cap)
    for command, got in zip(COMMANDS, littered):
        pure = run(*command, "-i", cap)
        tap.ok((got.status, got.out) == (pure.status, pure.out) and len(notes(got)) == 1 and not notes(pure),
               f"{what}: {' '.join(command)} is the same, with one note", f"{got.status} {pure.status}\n{got.err}\n{got.out[-300:]}\n{pure.out[-300:]}")
    tap.ok(set(strays) <= set(after) and after == listing(copy), f"{what}: the files stay", after)


def make_from(what, copy, strays):
    before = listing(copy)
    for name, words in BEHIND.items():
        out = tap.path("made")
        shutil.rmtree(out, ignore_errors=True)
        if os.path.isfile(out):
            os.remove(out)
        got = run(*[word.replace("OUT", out) for word in words], copy)
        nr = [run("script", "-i", path).out.count("cpu-clock") for path in (copy, out)]
        tap.ok(got.status == 0 and len(notes(got)) == 1 and nr[0] == nr[1] > 0 and listing(copy) == before and
               not (os.path.isdir(out) and set(strays) & set(os.listdir(out))), f"{what}: {name} leaves them out", f"{got.status} {got.err} {got.out} {nr}")
    got = run("archive", copy)
    tap.ok(got.status == 0 and len(notes(got)) == 1 and before.items() <= listing(copy).items(), f"{what}: so does archive", f"{got.status} {got.err}")


def check_removal(copy, cap):
    """A directory with such a file is not removed, and it is said before anything is changed."""
    names = listing(copy)
    old = cap + ".old"
    shutil.copytree(copy, old)
    got = run("record", "-e", "cpu-clock:u", "-o", cap, "--", "true")
    tap.ok(got.status == 1 and "which is not part of a capture" in got.err and listing(old) == names, "as .old it is not removed", got.err)
    shutil.rmtree(old)
    got = run("merge", "-o", copy, cap)
    tap.ok(got.status == 1 and "which is not part of a capture" in got.err and listing(copy) == names, "nor by merge", f"{got.status} {got.err}")


own = record("own", "--threads=cpu")
if not own:
    tap.skip_all("cannot record here")
copy, strays = litter(own, "data.777", "data.note.txt", "data.", "data.0.bak")
tap.ok(not tap.PERF or any("cpu-clock" in name for name in strays), "perf leaves files among the streams", strays)
compare("ours", own, copy, strays)
make_from("ours", copy, strays)
copy, strays = litter(own, "data.note.txt")
check_removal(copy, own)

nameless = tap.path("nameless")
shutil.copytree(own, nameless)
os.remove(f"{nameless}/tstream.json")
copy, strays = litter(nameless, "data.note.txt", "data.0.bak")
compare("without tstream.json", nameless, copy, strays)

if tap.PERF:
    his = tap.path("his")
    tap.run(tap.PERF, "record", "-q", "--threads", "-a", "-e", "cpu-clock", "-o", his, "--", *LOOP)
    if os.path.isdir(his):
        copy, strays = litter(his, "data.0.bak")
        compare("perf's", his, copy, strays)

lost = tap.path("lost")
shutil.copytree(own, lost)
streams = sorted(name for name in os.listdir(lost) if name.startswith("data."))
os.rename(f"{lost}/{streams[-1]}", f"{lost}/data.888")
got, nr = run("check", "-i", lost), [run("script", "-i", path).out.count("cpu-clock") for path in (own, lost)]
tap.ok(got.status == 1 and f"{streams[-1]}: offset 0: the stream is missing" in got.out and nr[0] == nr[1],
       "a note that names a missing stream is not believed: numbers decide", f"{got.out} {nr}")
tap.done()
