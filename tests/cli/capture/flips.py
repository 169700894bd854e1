#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One wrong bit anywhere: among the records of perf's files and in our streams it costs at most 64 KiB of samples, in a
compressed file of perf's nothing before it, and in the header no more than a sentence and status 1. Our streams and
compressed files name the loss. What is repaired or merged has what the damaged capture shows.

FLIPS (6) says how many bits of each capture are flipped, one after the other; they are drawn with fixed seeds."""
import os
import random
import re
import shutil
import statistics
import struct
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import damage  # noqa: E402
import stream_doc  # noqa: E402
import tap  # noqa: E402

FLIPS = int(os.environ.get("FLIPS", "6"))
MOST_BYTES = 64 << 10
SPIN = ("sh", "-c", "i=0; while [ $i -lt 900000 ]; do i=$((i+1)); done")
scene = tap.path("scene")


def read(path):
    with open(path, "rb") as f:
        return f.read()


def samples(capture):
    """(status, samples, standard error) of the fast table of counts"""
    got = tap.run(tap.TSTREAM, "report", "--stats", "-i", capture, timeout=60)
    found = re.search(r"^ *SAMPLE events: +(\d+)", got.out, re.M)
    return got.status, int(found.group(1)) if found else 0, got.err


def flipped(whole, name, at, bit):
    where = damage.copy(whole, scene)
    path = os.path.join(where, name) if name else where
    damage.write(path, at, bytes([read(path)[at] ^ 1 << bit]))
    return where


def bits_of(seed, spans, first=()):
    """FLIPS bits drawn from these (offset, bytes), the given ones first"""
    draw = random.Random(seed)
    yield from list(first)[:FLIPS]
    for _ in range(FLIPS - len(list(first)[:FLIPS])):
        at, size = draw.choice(spans)
        yield at + draw.randrange(size), draw.randrange(8)


def survives(sentence, whole, name, drawn, plain_bytes, is_named):
    """Each bit costs at most MOST_BYTES of the `plain_bytes` that all samples have. Where there are checksums it is named."""
    _, total, _ = samples(whole)
    mean = plain_bytes / max(total, 1)
    losses, wrong = [], []
    for at, bit in drawn:
        status, left, err = samples(flipped(whole, name, at, bit))
        losses.append(max(total - left, 0) * mean)
        is_silent = is_named and left < total and (status != 1 or "is damaged at offset" not in err)
        if losses[-1] > MOST_BYTES or status not in (0, 1) or is_silent:
            wrong.append(f"bit {bit} at {at}: status {status}, {left} of {total} samples left {err[-200:]}")
    print(f"# {sentence}: {len(losses)} flips, {total} samples, worst loss {max(losses):.0f} bytes, median {statistics.median(losses):.0f}")
    tap.ok(plain_bytes > 2 * MOST_BYTES and not wrong, f"{sentence}: no wrong bit costs more than 64 KiB of samples", "\n".join(wrong[:5]))


def shown_alike(sentence, where):
    """check --repair and merge have what script prints of the damaged capture."""
    shown = tap.run(tap.TSTREAM, "script", "-i", where).out
    tap.run(tap.TSTREAM, "check", "-q", "--repair", where)
    tap.ok(shown and shown == tap.run(tap.TSTREAM, "script", "-i", where + ".repaired").out, f"{sentence}: check --repair keeps what is shown")
    got = tap.run(tap.TSTREAM, "merge", "-o", tap.path("merged"), where)
    again = tap.run(tap.TSTREAM, "script", "-i", tap.path("merged")).out
    tap.ok(again == shown, f"{sentence}: merge keeps what is shown", got.err[-300:])


def perf_record(name, *mode):
    """A file of perf's; another recorder on the machine makes perf 6.1 abort now and then."""
    where = tap.path(name)
    for _ in range(6):
        made = tap.run(tap.PERF, "record", "-q", "-B", "-N", "--no-bpf-event", *mode, "-e", "cpu-clock", "-F", "4000", "-o", where, "--", *SPIN)
        if made.status == 0:
            return where
    return None


def plain(whole):
    found = [r for r in damage.records(whole) if r[1] == damage.SAMPLE]
    draw = random.Random(5)
    sizes = [(draw.choice(found)[0] + 6 + bit // 8, bit % 8) for bit in [draw.randrange(16) for _ in range((FLIPS + 1) // 2)]]
    survives("perf's file", whole, "", bits_of(1, [damage.sections(whole)], sizes), damage.sections(whole)[1], False)
    at = found[len(found) // 2][0]
    where = flipped(whole, "", at + 7, 2)  # a size of 1 KiB more
    shown_alike("perf's file, a wrong size", where)
    # the wrong size leads to what looks like a tool's record with an odd size
    where = damage.copy(whole, scene)
    damage.write(where, at + 6, struct.pack("=H", 24))
    damage.write(where, at + 24, struct.pack("=IHH", 76, 0, 13))
    _, total, _ = samples(whole)
    status, left, _ = samples(where)
    tap.ok(status == 1 and total - left <= 2, "perf's file, a wrong size that leads off the grid of 8 bytes: two samples at most",
           f"status {status}, {left} of {total}")


def header(sentence, whole, name=""):
    """Header, attrs and ids; in our `data` the records from before the capture, too."""
    path = os.path.join(whole, name) if name else whole
    end = os.path.getsize(path) if name else damage.sections(path)[0]
    wrong = []
    for at, bit in bits_of(2, [(0, end)]):
        text = damage.complaint(flipped(whole, name, at, bit))
        wrong += [f"bit {bit} at {at}: {text}"] if text else []
    tap.ok(not wrong, f"{sentence}: a wrong bit in header or attrs is read, or refused in a sentence", "\n".join(wrong[:5]))


def compressed(whole):
    """What was compressed before the wrong bit is there, and what zstd refuses is named. perf's frames have no checksum, so
    zstd takes a few wrong bits for other records; nobody can name these. Bits that change only values of samples are not counted."""
    _, total, _ = samples(whole)
    found = [r for r in damage.records(whole) if r[1] == damage.COMPRESSED]
    wrong, nr_taken = [], 0
    for at, bit in bits_of(3, [(r[0], r[2]) for r in found]):
        where = flipped(whole, "", at, bit)
        status, left, err = samples(where)
        if left < total and not status:  # --stats decodes no sample
            got = tap.run(tap.TSTREAM, "report", "-i", where)
            status, err = got.status, got.err
        before = max(r[0] for r in found if r[0] <= at)
        cut = damage.copy(whole, scene)
        damage.write(cut, 48, bytes(8))
        os.truncate(cut, before)
        _, least, _ = samples(cut)
        is_named = left == total or (status == 1 and re.search("is damaged at offset|were left out", err))
        nr_taken += not is_named
        if left < least or (not is_named and nr_taken > 1 + FLIPS // 50):
            wrong.append(f"bit {bit} at {at}: status {status}, {left} samples left, {least} before it, {total} in all {err[-200:]}")
    print(f"# perf's file with -z: {nr_taken} wrong bits of {FLIPS} were taken for other records")
    tap.ok(total > 0 and not wrong, "perf's file with -z: nothing before a wrong bit is lost, the rest is named", "\n".join(wrong[:5]))


def heads(capture, name):
    """the chunk headers of a stream"""
    return [head for _, what, head in stream_doc.walk(read(os.path.join(capture, name))) if what == "chunk header"]


def streams(sentence, whole, seed):
    """A wrong bit in the largest stream of ours"""
    names = [n for n in os.listdir(whole) if n.startswith("data.")]
    name = max(names, key=lambda n: os.path.getsize(os.path.join(whole, n)))
    plain_bytes = sum(head["raw_bytes"] for n in names for head in heads(whole, n))
    survives(sentence, whole, name, bits_of(seed, [(0, os.path.getsize(os.path.join(whole, name)))]), plain_bytes, True)


def own():
    wholes = {}
    for kind, mode in (("one stream", ["-g", "--threads=socket"]), ("streams of --threads", ["-g", "--threads=cpu"]), ("streams of -z", ["-z"])):
        where = tap.path(f"own-{len(wholes)}")
        made = tap.run(tap.TSTREAM, "record", "-q", *mode, "-e", "cpu-clock", "-F", "4000", "-o", where, "--", *SPIN)
        if made.status:
            tap.skip("our streams", "cannot record here")
            return
        wholes[f"our {kind}"] = where
    first = next(iter(wholes.values()))
    wholes["our merged streams"] = tap.path("own-merged")
    tap.run(tap.TSTREAM, "merge", "-o", wholes["our merged streams"], first)
    for seed, (sentence, whole) in enumerate(wholes.items()):
        streams(sentence, whole, 10 + seed)
    header("ours", first, "data")
    single = tap.path("own-single")
    tap.run(tap.TSTREAM, "merge", "--single", "-o", single, first)
    survives("our single file", single, "", bits_of(20, [damage.sections(single)]), damage.sections(single)[1], False)


def event_id():
    """The id of a sample becomes that of no event: the sample is left out, and what is merged has neither a doubt nor the sample."""
    whole = tap.path("two-events")
    made = tap.run(tap.TSTREAM, "record", "-q", "-e", "cpu-clock,task-clock", "-F", "999", "-o", whole, "--", *SPIN)
    if made.status:
        tap.skip("our sample of no event", "cannot record here")
        return
    name = max((n for n in os.listdir(whole) if n.startswith("data.")), key=lambda n: os.path.getsize(os.path.join(whole, n)))
    found = [r for r in damage.records(os.path.join(whole, name), True) if r[1] == damage.SAMPLE]
    where = flipped(whole, name, found[len(found) // 2][0] + 14, 6)
    _, total, _ = samples(whole)
    status, left, err = samples(where)
    tap.ok((status, left) == (1, total - 1) and "is damaged at offset" in err, "our sample of no event is left out", f"{status} {left} of {total} {err}")
    shown_alike("our sample of no event", where)
    got = tap.run(tap.TSTREAM, "check", tap.path("merged"))
    tap.ok(got.status == 0 and ": sound" in got.out, "our sample of no event: what is merged is sound", got.out)
    shutil.rmtree(tap.path("merged"))


def foreign():
    whole = tap.PERF and perf_record("file", "-g")
    if not whole:
        tap.skip("perf's files", "perf cannot record here")
        return
    plain(whole)
    header("perf's file", whole)
    whole = perf_record("z", "-z")
    if whole:
        compressed(whole)
    else:
        tap.skip("perf's file with -z", "perf cannot record so here")


own()
event_id()
foreign()
tap.done()
