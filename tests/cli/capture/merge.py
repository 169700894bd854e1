#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tstream merge: the directories of one recording become one capture, or one file, with everything in it once.

A process makes numbered calls while its recording is cut into directories. What is merged of them has each number once, in
order; tstream and perf print of it what they print of the parts one after the other. perf's captures are made by hand.
"""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_srcdir"], "tests", "support"))
import caller
import perf_file
import tap

CALLS = 300
LIMIT_S = 60
CHUNK_MAGIC, CHUNK_HEADER_BYTES = b"\x89TSchnk\n", 152  # docs/format.md
FIELDS = "comm,pid,tid,cpu,time,event,ip,sym,trace"


def merge(*arguments):
    return tap.run(tap.TSTREAM, "merge", *arguments)


def script(capture):
    return tap.run(tap.TSTREAM, "script", "-i", capture).out


def perf_script(capture):
    return tap.run("timeout", "60", tap.PERF, "script", "-i", capture, "-F", FIELDS).out


def is_sound(capture):
    return tap.run(tap.TSTREAM, "check", "-q", "-i", capture).status == 0


def merged_well(result, capture, wanted, sentence):
    """It ended well, is sound, says how many records there are, and prints this text."""
    told = re.search(r": (\d+) records(?:; \d+ duplicates were left out)?$", result.err, re.M)
    counted = re.search(r", (\d+) records, ", tap.run(tap.TSTREAM, "check", "-i", capture).out)
    tap.ok(told and counted and told[1] == counted[1], "the note counts all records", f"{told} {counted} {result.err}")
    tap.ok(result.status == 0 and is_sound(capture) and script(capture) == wanted, sentence, f"{result.status} {result.err}")


def count_of(capture):
    with open(os.path.join(capture, "tstream.json"), encoding="utf-8") as file:
        return json.load(file)


# --- numbered calls ---

def record(name, *options):
    """The directories of a recording, in their order."""
    capture = tap.path(name)
    recorder = caller.Recorder(tap.TSTREAM, capture, "-m", "1M", "--switch-output", *options)
    recorder.call(CALLS)
    end = time.monotonic() + LIMIT_S
    for nr in (1, 2, 3):
        recorder.process.send_signal(signal.SIGUSR2)
        while time.monotonic() < end and len(glob.glob(capture + ".*[0-9]")) < nr:
            recorder.call(CALLS // 3)
            time.sleep(0.01)
    recorder.end()
    recorder.join()
    return sorted(glob.glob(capture + ".*[0-9]"))


def check_recording(name, *options):
    parts = record(name, *options)
    texts = [script(part) for part in parts]
    whole = "".join(texts)
    out, one, more = tap.path(name), tap.path(name + ".data"), tap.path(name + "-more")
    merged_well(merge("-o", out, parts[2], *reversed(parts)), out, whole, f"{name}: parts are merged, whatever their order")
    calls = caller.numbers_in(whole)
    tap.ok(len(calls) > CALLS and calls == sorted(set(calls)), "each call is there once, in order")
    notes = [count_of(part)["ledger"] for part in parts]
    ledger = count_of(out)["ledger"]
    tap.ok(all(ledger[key] == sum(note[key] for note in notes) for key in ("kept", "offered")), "the accounts are added up",
           f"{ledger}\n{notes}")
    merged_well(merge("--single", "-o", one, *parts), one, whole, "one file has the same")
    maps = set(re.findall(r"PERF_RECORD_MMAP2 .* <([0-9a-f]{40})>\]: \S+ (\S+)$", tap.run(tap.TSTREAM, "report", "-D", "-i", one).out, re.M))
    if tap.PERF:
        listed = {tuple(line.split()) for line in tap.run(tap.PERF, "buildid-list", "-i", one).out.splitlines()}
        tap.ok(maps and maps <= listed, "perf buildid-list has the build-ids of all its maps", f"{maps - listed}")
    piped = tap.path(name + ".piped")
    with open(piped, "wb") as file:
        result = subprocess.run([tap.TSTREAM, "merge", "--single", "-o", "-", *parts], stdout=file, stderr=subprocess.PIPE, text=True,
                                cwd=tap.scratch)
    with open(one, "rb") as a, open(piped, "rb") as b:
        tap.ok(result.returncode == 0 and a.read() == b.read() and not os.path.exists(tap.path("-")),
               "--single -o - writes the same file to standard output", result.stderr)
    with open(os.path.join(out, "data"), "rb") as file:
        before = file.read()
    result = merge("-o", out, *parts)
    with open(os.path.join(out, "data"), "rb") as file:
        tap.ok(result.status == 0 and "has all of these records already" in result.err and file.read() == before,
               "what is there already changes nothing", result.err)
    result = merge("--single", "-o", one, parts[1])
    tap.ok(result.status == 0 and "has all of these records already" in result.err, "also of one file", result.err)
    os.mkdir(more)
    merged_well(merge("-o", more, parts[0], parts[2]), more, texts[0] + texts[2],
                "parts with a gap between them, at an empty directory")
    merged_well(merge("-o", more, *parts), more, whole, "are extended by what was in it")
    overlap = tap.path(name + "-overlap")
    shutil.rmtree(more)
    merge("-o", more, parts[0], parts[2])
    merged_well(merge("-o", overlap, out, more), overlap, whole, "captures that were merged of some of the same parts")
    loss = tap.run(tap.TSTREAM, "report", "--loss", "-i", overlap).out
    tap.ok(count_of(overlap)["ledger"]["kept"] == ledger["kept"] and "did not end" not in loss, "are counted again", loss)
    tap.ok(not glob.glob(tap.path("*.new")) and not glob.glob(tap.path("*.old")), "nothing is left beside")
    if tap.PERF:
        wanted = "".join(perf_script(part) for part in parts)
        tap.ok(wanted and perf_script(out) == wanted and perf_script(one) == wanted, "perf prints the same of both")
        ours = tap.run(tap.TSTREAM, "report", "--stdio", "-i", one).out
        rows = [line for line in ours.splitlines() if not line.startswith("#")]
        perf = tap.run("timeout", "60", tap.PERF, "report", "--stdio", "-i", one).out
        tap.equal([line for line in perf.splitlines() if not line.startswith("#")], rows, "perf reports the same rows")
    return parts


def check_damage(parts):
    """What is sound is merged, the rest is said; what would be lost with the former capture is refused."""
    broken, out = tap.path("broken"), tap.path("of-broken")
    shutil.copytree(parts[1], broken)
    stream = max(glob.glob(broken + "/data.*"), key=os.path.getsize)
    with open(stream, "r+b") as file:
        file.seek(file.read().find(CHUNK_MAGIC) - 8 + CHUNK_HEADER_BYTES)
        file.write(b"\xff" * 8)
    result = merge("-o", out, parts[0], broken)
    tap.ok(result.status == 1 and "is damaged" in result.err and is_sound(out) and
           script(out) == script(parts[0]) + script(broken), "a damaged part is merged as far as it is sound", result.err)
    result = merge("-o", broken, parts[0])
    tap.ok(result.status == 1 and "cannot extend" in result.err, "a damaged capture is not extended", result.err)
    shutil.copytree(parts[1], tap.path("other"))
    with open(tap.path("other/data"), "r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"x")
    result = merge("-o", tap.path("of-other"), tap.path("other"), parts[0])
    tap.ok(result.status == 1 and "its checksum is another" in result.err, "a changed file data is said", result.err)
    shutil.copytree(parts[1], tap.path("short"))
    os.truncate(os.path.join(tap.path("short"), os.path.basename(stream)), 4096)
    result = merge("-o", tap.path("of-short"), tap.path("short"), parts[0])
    tap.ok(result.status == 1 and "is cut short" in result.err and is_sound(tap.path("of-short")), "so is a short one",
           result.err)


# --- captures of perf ---

def foreign(name, comm, times, nr_events=1):
    made = perf_file.PerfFile(nr_events, chains=False)
    made.thread(10, 10, comm)
    for at in times:
        made.sample(10, 10, at, [0x1000])
    made.write(tap.path(name))
    return tap.path(name)


def check_foreign():
    a, b = foreign("a.data", "first", range(1000, 9000, 1000)), foreign("b.data", "second", range(9000, 20000, 1000))
    for arguments, out in ((), tap.path("pair")), (("--single",), tap.path("pair.data")):
        result = merge(*arguments, "-o", out, b, a)
        tap.ok(result.status == 0 and is_sound(out) and script(out) == script(a) + script(b),
               f"perf's files {' '.join(arguments)}: each sample has the name of its time", f"{result.err}{script(out)}")
        if tap.PERF:
            tap.equal(perf_script(out), perf_script(a) + perf_script(b), "perf finds the same names")
        result = merge(*arguments, "-o", out, b)
        tap.ok("has all of these records already" in result.err, "what is there already changes nothing", result.err)


def refused(arguments, status, *words):
    result = merge(*arguments)
    tap.ok(result.status == status and all(word in result.err for word in words), f"refused: {words[0]}",
           f"{result.status} {result.err}")


def check_refusals():
    a, other = foreign("c.data", "x", [1000]), foreign("d.data", "x", [2000], nr_events=2)
    out = tap.path("refused")
    refused(["-o", out, a, other], 1, "their events are not the same", f"'tstream report -i {a} -i {other}'")
    refused(["-o", a, a], 1, "it is a single file", "--single")
    refused(["-o", out, tap.path("nothing")], 1, "cannot open capture")
    refused(["-o", out], 2, "cannot merge: no captures were given")
    refused(["-o", "-", a], 1, "it takes no directory", "--single")
    refused([a], 2, "cannot merge without an output")
    shutil.copy(a, out + ".new")
    refused(["--single", "-o", out, out + ".new"], 1, "the output needs that name while it is made")
    os.unlink(out + ".new")
    with open(tap.path("text"), "w", encoding="utf-8") as file:
        file.write("no capture at all")
    refused(["--single", "-o", tap.path("text"), a], 1, "it is no perf.data file")
    tap.ok(not os.path.exists(out) and os.path.getsize(tap.path("text")) == 17, "and nothing is made or changed")
    full = tap.run("sh", "-c", f"ulimit -f 0; trap '' XFSZ; exec {tap.TSTREAM} merge --single -o {out} {a}")
    tap.ok(full.status == 1 and "ulimit -f" in full.err and not os.path.lexists(out), "a limit of the size of files, and its remedy", full.err)


check_foreign()
check_refusals()
if tap.can_record_all() and os.path.exists("/sys/kernel/tracing/events/" + caller.EVENT.replace(":", "/")):
    check_recording("plain", "--threads=cpu")
    check_damage(check_recording("compressed", "-z", "--threads=numa"))
else:
    tap.skip("directories of a recording", "only root may record tracepoints")
tap.done()
