#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damaged captures, ours and perf's: whatever is flipped, zeroed or cut off, no command crashes, hangs or fails without a
sentence; what is sound is read, and check --repair makes a capture of it that perf reads alike.

DAMAGE_STEPS (1) says at how many places each file is damaged in each way."""
import json
import os
import re
import shutil
import struct
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import damage  # noqa: E402
import perf_file  # noqa: E402
import stream_doc  # noqa: E402
import tap  # noqa: E402
import xxh3  # noqa: E402

SAMPLE_BYTES = 56  # of lay_capture
STEPS = int(os.environ.get("DAMAGE_STEPS", "1"))
scene = tap.path("scene")


def nr_samples(capture):
    """(status, samples) of tstream script"""
    got = tap.run(tap.TSTREAM, "script", "-i", capture)
    return got.status, got.out.count("\n")


def dumped_alike(sentence, whole, where):
    """report -D has the records of tools behind the damage, too."""
    lines = [re.findall(r"^.* PERF_RECORD_(?:EVENT_TYPE|FINISHED_ROUND)$", tap.run(tap.TSTREAM, "report", "-D", "-i", capture).out, re.M)
             for capture in (whole, where)]
    tap.ok(lines[0] and lines[0] == lines[1], f"{sentence}: report -D goes on behind it", f"{len(lines[0])} {len(lines[1])}")


def sweep(name, capture):
    wrong = [f"{what}: {text}" for what, text in damage.sweep(capture, scene, STEPS) if text]
    tap.ok(not wrong, f"{name}: damaged anywhere, it is read, or refused in a sentence; what is repaired is sound", "\n".join(wrong[:5]))


def repaired(sentence, capture, wanted):
    """The repaired capture has `wanted` samples for both tools, and tstream prints of it what it prints of the damaged one."""
    made = tap.run(tap.TSTREAM, "check", "-q", "--repair", capture)
    new = capture + ".repaired"
    again = tap.run(tap.TSTREAM, "check", new)
    tap.ok(again.status == 0 and f"{new}: sound\n" in again.out, f"{sentence}: what is repaired is sound", made.err + again.out)
    tap.equal(nr_samples(new), (0, wanted), f"{sentence}: it has the sound samples")
    same = [tap.run(tap.TSTREAM, "script", "-i", where).out for where in (capture, new)]
    tap.ok(same[0] == same[1], f"{sentence}: and is printed as the damaged one")
    if tap.PERF:
        tap.equal(tap.perf_script_lines(new), wanted, f"{sentence}: and perf reads it")


# --- ours, laid by hand ---

def said_once(sentence, where, offset, nr_bytes, reason, left, nr):
    """Both commands load the chunk more than once and say one sentence; `left` of its `nr` records look sound."""
    looks = f", but {left} of its {nr} records look sound" if left else ""
    doubts = f"tstream: warning: {left} records of damaged chunks of {where} were read all the same: any of them may be wrong\n"
    wanted = (f"tstream: warning: {where}/data.1 is damaged at offset {offset} ({nr_bytes} bytes left out): {reason}{looks}\n"
              f"{doubts if left else ''}  hint: 'tstream check {where}' lists every place\n")
    for command in ("report", "script"):
        tap.equal(tap.run(tap.TSTREAM, command, "-i", where).err, wanted, f"{sentence}: {command} names it once")


def told_later(sentence, where, nr_bytes, doubtful):
    """Captures that are made of a damaged one keep the numbers, and check says them."""
    merged, again = tap.path("merged"), tap.path("merged-again")
    tap.run(tap.TSTREAM, "check", "-q", "--repair", where)
    tap.run(tap.TSTREAM, "merge", "-o", merged, where)
    tap.run(tap.TSTREAM, "merge", "-o", again, merged)
    told = json.loads(tap.run(tap.TSTREAM, "report", "--json", "-i", where).out)["capture"]["damaged"]
    tap.equal((told["nr_places"], told["doubtful_records"]), (1, doubtful), f"{sentence}: the report tells of them")
    wanted = f"it was made of a damaged capture: 1 place, {nr_bytes} bytes left out, {doubtful} records that may be wrong\n"
    for made in (where + ".repaired", merged, again):
        got = tap.run(tap.TSTREAM, "check", made)
        tap.ok(got.status == 0 and wanted in got.out, f"{sentence}: {os.path.basename(made)} does not hide it", got.out)
        tap.ok("# Damaged: 1 place before" in tap.run(tap.TSTREAM, "report", "-i", made).out, f"{sentence}: nor does its report")
        shutil.rmtree(made)


def own(kind):
    whole = damage.lay(kind)[0]
    _, total = nr_samples(whole)
    with open(os.path.join(whole, "data.1"), "rb") as f:
        stream = f.read()
    chunks = [(at, head) for at, name, head in stream_doc.walk(stream) if name == "chunk header"]
    at, head = chunks[len(chunks) // 2]
    nr, disk_bytes = head["nr_records"], head["size"] + head["payload_bytes"]
    size = stream.index(struct.pack("=H", SAMPLE_BYTES if kind == "plain" else head["payload_bytes"]), at + head["size"])
    where = damage.copy(whole, scene)
    path = os.path.join(where, "data.1")
    damage.flip(path, size + 1)
    # the records of a compressed chunk of this size are in one frame
    left, missing = (nr - 1, SAMPLE_BYTES) if kind == "plain" else (0, disk_bytes)
    tap.equal(nr_samples(where), (1, total - nr + left), f"{kind}: a wrong size costs its own record")
    said_once(kind, where, at, missing, "its checksum does not match", left, nr)
    dumped_alike(f"{kind}, a damaged chunk", whole, where)
    damage.flip(path, at + 20)
    tap.equal(nr_samples(where), (1, total - nr + left), f"{kind}, its header, too: it costs no more")
    said_once(f"{kind}, its header, too", where, at, missing, "its header is not the one that the index names", left, nr)
    repaired(f"{kind}, its header, too", where, total - nr + left)
    damage.flip(path, at + 20)
    repaired(f"{kind}, a damaged chunk", where, total - nr + left)
    shutil.rmtree(where + ".repaired")
    told_later(f"{kind}, a damaged chunk", where, missing, left)
    where = damage.copy(whole, scene)
    os.truncate(os.path.join(where, "data.1"), at + head["size"] // 2)
    before = sum(h["nr_records"] for a, h in chunks if a < at)
    left = total - sum(h["nr_records"] for _, h in chunks) + before
    repaired(f"{kind}, cut within a chunk header", where, left)


def covered():
    """Samples of a complete capture that became covers"""
    whole = tap.path("plain")
    _, total = nr_samples(whole)
    for sentence, part in (("a cover in a complete capture", 2), ("a cover near its end", 100)):
        where = damage.copy(whole, scene)
        path = os.path.join(where, "data.1")
        with open(path, "rb") as f:
            stream = f.read()
        chunks = [(at, head) for at, name, head in stream_doc.walk(stream) if name == "chunk header"]
        at, head = chunks[len(chunks) - len(chunks) // part]
        nr = head["nr_records"]
        damage.write(path, at + head["size"] + nr // 2 * SAMPLE_BYTES, struct.pack("=IH", 65, 0x5453))
        tap.equal(nr_samples(where), (1, total - 1), f"{sentence}: it costs its own record")
        said_once(sentence, where, at, SAMPLE_BYTES, "its checksum does not match", nr - 1, nr)
        told_later(sentence, where, SAMPLE_BYTES, nr - 1)


def torn():
    """The last chunk of a killed recording, without its end: a wrong size in it is damage, and costs its own record."""
    whole = tap.path("plain")
    where = damage.copy(whole, scene)
    path = os.path.join(where, "data.1")
    with open(path, "rb") as f:
        stream = f.read()
    chunks = [(at, head) for at, name, head in stream_doc.walk(stream) if name == "chunk header"]
    at, head = next(pair for pair in chunks[len(chunks) // 2:] if pair[1]["nr_records"] > 100)
    payload, nr = at + head["size"], head["nr_records"]
    os.truncate(path, payload + 80 * SAMPLE_BYTES + 20)
    with open(os.path.join(where, "tstream.json"), "w", encoding="utf-8") as f:
        f.write("{}")
    _, total = nr_samples(where)
    tap.equal(tap.run(tap.TSTREAM, "check", where).status, 0, "a torn chunk is sound")
    for place in (10, 60):
        size = payload + place * SAMPLE_BYTES + 6
        damage.write(path, size, struct.pack("=H", 32 << 10))  # beyond the end
        tap.equal(nr_samples(where), (1, total - 1), "a torn chunk, a wrong size: it costs its own record")
        said_once("a torn chunk, a wrong size", where, at, SAMPLE_BYTES + 20,
                  "a record of it is damaged, and its recorder did not complete it", 79, nr)
        repaired("a torn chunk, a wrong size", where, total - 1)
        shutil.rmtree(where + ".repaired")
        damage.write(path, size, struct.pack("=H", SAMPLE_BYTES))


def without_an_entry(path, at, head):
    """Takes an entry out of the index record, whose checksum is right all the same."""
    with open(path, "rb") as f:
        record = bytearray(f.read()[at:at + head["size"]])
    first, each, nr = stream_doc.INDEX["first_seq"][0] + 8, head["word"], head["number"]
    del record[first + nr // 2 * each:first + (nr // 2 + 1) * each]
    record += bytes(each)
    struct.pack_into("=I", record, stream_doc.HEAD["number"][0], nr - 1)
    place = stream_doc.HEAD["checksum"][0]
    struct.pack_into("=Q", record, place, 0)
    struct.pack_into("=Q", record, place, xxh3.xxh3_64(bytes(record)))
    damage.write(path, at, record)


def indexes():
    """What an index leaves out is found by the chunk headers, and check names the index."""
    whole = tap.path("plain")
    shown = tap.run(tap.TSTREAM, "script", "-i", whole).out
    with open(os.path.join(whole, "data.1"), "rb") as f:
        found = [(at, head) for at, name, head in stream_doc.walk(f.read()) if name == "index"]
    for sentence, (at, head) in (("the first index", found[0]), ("the last index", found[-1])):
        where = damage.copy(whole, scene)
        without_an_entry(os.path.join(where, "data.1"), at, head)
        tap.ok(tap.run(tap.TSTREAM, "script", "-i", where).out == shown, f"{sentence} lacks an entry: nothing is left out")
        got = tap.run(tap.TSTREAM, "check", where)
        tap.ok(got.status == 1 and "the index" in got.out, f"{sentence} lacks an entry: check names it", got.out)


def refusals():
    whole = tap.path("plain")
    where = damage.copy(whole, scene)
    os.mkdir(where + ".repaired")
    got = tap.run(tap.TSTREAM, "check", "--repair", where)
    tap.ok(got.status == 1 and "the output exists already" in got.err and not os.listdir(where + ".repaired"), "what exists is not replaced", got.err)
    got = tap.run(tap.TSTREAM, "check", "--json", f"--repair={tap.path('other')}", where)
    tap.ok(got.status == 0 and '"repaired_records"' in got.out and os.path.isdir(tap.path("other")), "another name", got.out + got.err)
    where = damage.copy(whole, scene)
    damage.flip(os.path.join(where, "data.1"), os.path.getsize(os.path.join(where, "data.1")) // 2)
    full = tap.path("full")
    for command in (["merge", "-o", full, where], ["check", "-q", f"--repair={full}", where]):
        got = tap.run("bash", "-c", 'ulimit -f 100; exec "$@"', "bash", tap.TSTREAM, *command)
        tap.ok(got.status == 1 and "File too large" in got.err and not os.path.exists(full + ".new"), f"{command[0]} without room leaves nothing", got.err)
        got = tap.run(tap.TSTREAM, *command)
        tap.ok(os.path.isdir(full), f"{command[0]} goes on where there is room again", got.err)
        shutil.rmtree(full, True)
    where = damage.copy(whole, scene)
    damage.zero(os.path.join(where, "data"), 0)
    got = tap.run(tap.TSTREAM, "check", "-q", "--repair", where)
    tap.ok(got.status == 1 and "without its header" in got.err and not os.path.exists(where + ".repaired"),
           "without a header nothing is repaired", got.err)
    if os.geteuid() == 0:
        shutil.rmtree(scene)


# --- perf's ---

def record(name, *mode):
    where = tap.path(name)
    made = tap.run(tap.PERF, "record", "-q", "-B", "-N", "--no-bpf-event", "--sample-cpu", *mode, "-e", "cpu-clock",
                   "-F", "999", "-o", where, "--", "sh", "-c", "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done")
    return where if made.status == 0 else None


def foreign_file():
    whole = record("file")
    if not whole:
        tap.skip("perf's file", "perf cannot record here")
        return
    _, total = nr_samples(whole)
    samples = [at for at, kind, _ in damage.records(whole) if kind == damage.SAMPLE]
    tap.ok(total == len(samples) > 2, "perf's file: it has samples", f"{total} {len(samples)}")
    where = damage.copy(whole, scene)
    damage.write(where, samples[1], bytes(8))
    got = tap.run(tap.TSTREAM, "report", "--stats", "-i", where)
    tap.ok(got.status == 1 and f"{where} is damaged at offset {samples[1]} (" in got.err and got.err.count("warning: ") == 1,
           "perf's file, a record without a size: one sentence", got.err)
    tap.equal(nr_samples(where), (1, total - 1), "perf's file: it costs one sample")
    dumped_alike("perf's file, a record without a size", whole, where)
    repaired("perf's file, a record without a size", where, total - 1)
    where = damage.copy(whole, scene)
    damage.write(where, 48, bytes(8))
    os.truncate(where, samples[-1] + 12)
    got = tap.run(tap.TSTREAM, "check", where)
    tap.ok(got.status == 0 and "was killed" in got.out, "perf's file of a killed perf, torn: sound", got.out)
    repaired("perf's file of a killed perf, torn", where, total - 1)
    damage.write(where, samples[-3], b"\xff" * (samples[-1] + 12 - samples[-3]))
    got = tap.run(tap.TSTREAM, "report", "--stats", "-i", where)
    tap.ok(got.status == 1 and f"{where} is damaged at offset {samples[-3]} (" in got.err,
           "perf's file of a killed perf, its last bytes are no records: damage", f"{got.status} {got.err}")
    where = damage.copy(whole, scene)
    os.truncate(where, samples[-1] + 12)
    got = tap.run(tap.TSTREAM, "script", "-i", where)
    tap.ok(got.status == 1 and "ends before its records do" in got.err, "perf's file, cut: a sentence", got.err)
    repaired("perf's file, cut", where, total - 1)
    sweep("perf's file", whole)


def header_sections():
    """A perf.data whose header names three sections, two of them beyond the end of the file."""
    where, made = tap.path("sections"), perf_file.PerfFile(chains=False, flags=perf_file.EXCLUDE_KERNEL)
    made.thread(10, 10, "one")
    made.sample(10, 10, 1000, [0x1234])
    made.write(where)
    with open(where, "r+b") as file:
        file.seek(72)
        file.write(struct.pack("<Q", 7 << 3))  # host name, release, version
        end = file.seek(0, os.SEEK_END)
        text = struct.pack("<I", 64) + b"sound".ljust(64, b"\0")
        file.write(struct.pack("<6Q", 1 << 40, 8, 1 << 41, 8, end + 48, len(text)) + text)
    for command in (["report"], ["report", "--stats"], ["script"]):
        got = tap.run(tap.TSTREAM, *command, "-i", where)
        tap.ok(got.status == 1 and f"the header of {where} has 2 damaged sections" in got.err,
               f"{' '.join(command)} counts damaged sections of the header", f"{got.status} {got.err}")
    header = tap.run(tap.TSTREAM, "report", "--header-only", "-i", where)
    tap.ok("# perf version : sound" in header.out, "and reads the sound one", header.out)


def header_form():
    """Sections that are in the file, one without its end, one with an id that is not the event's."""
    where, made = tap.path("form"), perf_file.PerfFile(chains=False, flags=perf_file.EXCLUDE_KERNEL)
    made.thread(10, 10, "one")
    made.sample(10, 10, 1000, [0x1234])
    made.name_events(["cpu-clock"])
    described = made.features[perf_file.EVENT_DESC]
    made.features = {3: struct.pack("<I", 64) + b"x" * 64, perf_file.EVENT_DESC: described[:-8] + struct.pack("<Q", 7)}
    made.write(where)
    checked = tap.run(tap.TSTREAM, "check", where)
    tap.ok(checked.status == 1 and checked.out.count(": offset ") == 2, "check names two damaged sections", checked.out)
    for command in (["report"], ["report", "--stats"], ["script"]):
        got = tap.run(tap.TSTREAM, *command, "-i", where)
        tap.ok(got.status == 1 and f"the header of {where} has 2 damaged sections" in got.err, f"so does {' '.join(command)}",
               f"{got.status} {got.err}")
    got, merged = tap.run(tap.TSTREAM, "merge", "-o", tap.path("of-form"), where), tap.run(tap.TSTREAM, "check", tap.path("of-form"))
    tap.ok(got.status == 1 and merged.status == 0 and "of a damaged capture: 2 places" in merged.out, "what is merged of it says so",
           f"{got.status} {got.err}{merged.out}")
    got = tap.run(tap.TSTREAM, "merge", "--single", "-o", tap.path("single"), tap.path("of-form"))
    tap.ok(got.status == 1 and "was made of a damaged capture (2 places, 0 records" in got.err and os.path.exists(tap.path("single")),
           "a single file of that cannot, so merge does", f"{got.status} {got.err}")


def header_ids():
    """An id in the header is not that of the samples, and nothing repeats the ids."""
    where, sound, made = tap.path("ids"), tap.path("sound"), perf_file.PerfFile(2, chains=False, flags=perf_file.EXCLUDE_KERNEL)
    made.sample(10, 10, 1000, [0x1234])
    made.write(sound)
    damage.copy(sound, where)
    damage.write(where, 104, struct.pack("<Q", 7))
    for joined in ([], [sound]):
        got = tap.run(tap.TSTREAM, "report", *(word for path in (*joined, where) for word in ("-i", path)))
        tap.ok(got.status == 1 and "warning: 1 samples of" in got.err, f"report of {1 + len(joined)}: a sample of no event is a loss", f"{got.status} {got.err}")


def kinds():
    """A sample whose type is another: one whose records have another size, or none that is known."""
    where, made = tap.path("kinds"), perf_file.PerfFile(flags=perf_file.EXCLUDE_KERNEL)
    for at in (1000, 2000, 3000):
        made.sample(10, 10, at, [0x1234, 0x1334, 0x1434])
    made.write(where)
    sound = damage.copy(where, tap.path("sound"))
    at = list(damage.records(where))[1][0]
    for kind in (2, 4, 5, 7, 8, 11, 12, 13, 15):
        damage.write(where, at, bytes([kind]))
        checked, got = tap.run(tap.TSTREAM, "check", where), tap.run(tap.TSTREAM, "report", "-i", where)
        lost = tap.run(tap.TSTREAM, "report", "--loss", "-i", where).out
        tap.ok(checked.status == got.status == 1 and f"offset {at}: a record is not as long as its fields" in checked.out and
               len(re.findall("fields of a record about tasks or maps are damaged|1 samples are not as long as", got.err)) == 1 and "0 of 2 records (0.00 %)" in lost, f"a sample of type {kind} is named", checked.out + got.err + lost)
    damage.write(where, at, b"\x19")
    checked = tap.run(tap.TSTREAM, "check", where)
    tap.ok(checked.status == 0 and "1 records are of unknown events or types" in checked.out, "of a type that nobody knows: is counted", checked.out)
    for joined in ([], [sound]):
        got = tap.run(tap.TSTREAM, "report", *(word for path in (*joined, where) for word in ("-i", path)))
        tap.ok(got.status == 0 and f"1 records of {where} are of types that are unknown here" in got.err, f"report of {1 + len(joined)} counts it, too",
               f"{got.status} {got.err}")


def foreign():
    if not tap.PERF:
        tap.skip("perf's captures", "perf is not installed")
        return
    foreign_file()
    for name, mode in (("perf's file with -z", ["-z"]), ("perf's directory", ["--threads"])):
        whole = record(name.replace("'", "").replace(" ", "-"), *mode)
        if not whole:
            tap.skip(name, f"perf cannot record with {mode[0]} here")
            continue
        where = damage.copy(whole, scene)
        repaired(f"{name}, whole", where, nr_samples(whole)[1])
        sweep(name, whole)


tap.read_few_kernel_symbols()
own("plain")
own("compressed")
covered()
torn()
indexes()
sweep("example", damage.lay("example")[0])
if STEPS > 1:
    sweep("compressed", tap.path("compressed"))  # large
refusals()
header_sections()
header_form()
header_ids()
kinds()
foreign()
tap.done()
