#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is gone of a capture that ended cleanly is named, with status 1, and the rest is printed; what was lost while
recording is said; and a capture that was killed, or without tstream.json, or with any nonsense in it, is sound."""
import json
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

if not tap.can_record_all():
    tap.skip_all("recording all CPUs needs root")

tap.read_few_kernel_symbols()
whole = tap.path("whole")
LOOP = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"
on_each_cpu = "".join(f"taskset -c {cpu} sh -c '{LOOP}' & " for cpu in tap.online_cpus()[:2]) + "wait"
made = tap.run(tap.TSTREAM, "record", "-a", "--threads=cpu", "-e", "cpu-clock", "-F", "997", "-o", whole, "--", "sh", "-c",
               on_each_cpu)
if made.status:
    sys.exit(made.err)
with open(os.path.join(whole, "tstream.json")) as f:
    note = json.load(f)
sizes = {w["stream"]: w["stream_bytes"] for w in note["writers"]}


def copy(change):
    where = tap.path("cap")
    shutil.rmtree(where, ignore_errors=True)
    shutil.copytree(whole, where)
    change(where)
    return where


def rewrite(where, **fields):
    with open(os.path.join(where, "tstream.json"), "w") as out:
        json.dump(dict(note, **fields), out)


def cut(where, n):
    os.truncate(os.path.join(where, "data.0"), n)


def write_note(where, text):
    with open(os.path.join(where, "tstream.json"), "w") as out:
        out.write(text)


def check(sentence, change, status, err):
    where = copy(change)
    for command in ("report", "script"):
        got = tap.run(tap.TSTREAM, command, "-i", where)
        wanted = "".join(f"tstream: warning: {line.replace('CAP', where)}\n" for line in err)
        tap.equal((got.status, tap.without_names(got.err)), (status, wanted), f"{command}: {sentence}")
        tap.ok(("# Overhead" if command == "report" else "cpu-clock") in got.out, f"{command}: {sentence}: the rest is printed", got.out)


tap.equal(sizes, {n: os.path.getsize(os.path.join(whole, n)) for n in sizes}, "tstream.json has the sizes of the streams")
half = sizes["data.0"] // 2 + 3
check("a whole capture is sound", lambda w: None, 0, [])
if len(sizes) > 1:
    check("a missing stream is named", lambda w: os.remove(os.path.join(w, "data.0")), 1,
          [f"data.0 of CAP is missing: {sizes['data.0']} bytes of the recording are lost"])
cut_text = f"data.0 of CAP is cut short: {sizes['data.0'] - half} of its {sizes['data.0']} bytes are missing"
got = tap.run(tap.TSTREAM, "report", "-i", copy(lambda w: cut(w, half)))
tap.ok(got.status == 1 and f"tstream: warning: {cut_text.replace('CAP', tap.path('cap'))}\n" in got.err,
       "a stream cut short is named", f"{got.status} {got.err}")


def lose_end(where):
    with open(os.path.join(where, "data.0"), "r+b") as f:
        f.seek(-96, 2)
        end = f.read(96)
        f.seek(-96, 2)
        f.write(end[:8] + b"\x89TS pad\n" + bytes(80))


check("a footer that is gone is named", lose_end, 1,
      ["data.0 of CAP does not end as it was recorded: its footer is missing"])


def killed(where):
    rewrite(where, state="recording")
    lose_end(where)


check("a killed capture is sound", killed, 0, [])
check("a capture without tstream.json is sound", lambda w: os.remove(os.path.join(w, "tstream.json")), 0, [])
for text in ("", "{", "[" * 100000, '{"state":"complete","writers":[{"stream":"../../etc/passwd"}]}', "\0" * 5000000):
    check(f"nonsense in tstream.json ({text[:10]!r}) is ignored", lambda w: write_note(w, text), 0, [])


def pipe(where):
    os.remove(os.path.join(where, "tstream.json"))
    os.mkfifo(os.path.join(where, "tstream.json"))


check("a pipe in the place of tstream.json is ignored", pipe, 0, [])


def lost(ring_full, disk, compression=0):
    causes = {"ring_full": ring_full, "compression": compression, "disk": disk}
    return lambda w: rewrite(w, ledger=dict(note["ledger"], lost=causes))


check("records that found their ring full are said", lost(5, 0), 0,
      ["5 records were lost while recording: their ring was full"])
check("records lost by the disk are said", lost(0, 3), 0,
      ["3 records were lost while recording: the disk was too slow, or failed"])
check("records lost to compression are said", lost(0, 0, 4), 0,
      ["4 records were lost while recording: their ring filled up while others were compressed"])
check("three causes are said", lost(5, 3, 4), 0,
      ["12 records were lost while recording: 5 found their ring full, 4 because of compression, 3 because of the disk"])
check("both causes are said", lost(5, 3), 0,
      ["8 records were lost while recording: 5 found their ring full, 3 because of the disk"])
tap.done()
