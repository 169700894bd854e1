#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tstream merge of copies of one capture, of which some are damaged: whatever their order, the result is that of sound copies, as
long as each chunk is sound in one of them."""
import functools
import itertools
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import damage  # noqa: E402
import stream_doc  # noqa: E402
import tap  # noqa: E402

STREAM = "data.1"
BUSY = "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done"


def merge(*arguments):
    return tap.run(tap.TSTREAM, "merge", *arguments)


class Places:
    """Where the parts of the stream stand."""

    def __init__(self, capture):
        with open(os.path.join(capture, STREAM), "rb") as file:
            self.data = file.read()
        found = list(stream_doc.walk(self.data))
        self.chunks = [(at, head) for at, name, head in found if name == "chunk header"]
        self.indexes = [at for at, name, _ in found if name == "index"]
        self.footer = max(at for at, name, _ in found if name == "footer")

    def header(self, share):
        """The offset of the chunk at this share of all chunks."""
        return self.chunks[round(share * (len(self.chunks) - 1))][0]

    def payload(self, share):
        at, head = self.chunks[round(share * (len(self.chunks) - 1))]
        return at + head["size"]


def flipped(*offsets):
    def spoil(capture):
        for at in offsets:
            damage.flip(os.path.join(capture, STREAM), at)
    return spoil


def cut_at(at):
    return lambda capture: os.truncate(os.path.join(capture, STREAM), at)


def missing(capture):
    os.remove(os.path.join(capture, STREAM))


def sound(_):
    pass


def files(capture):
    """The contents by name."""
    if not os.path.isdir(capture):
        with open(capture, "rb") as file:
            return {"": file.read()}
    found = {}
    for name in os.listdir(capture):
        with open(os.path.join(capture, name), "rb") as file:
            found[name] = file.read()
    return found


def remove(path):
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.remove(path)


def difference(wanted, got):
    return ", ".join(sorted(name for name in wanted.keys() | got.keys() if wanted.get(name) != got.get(name)))


def is_sound(capture):
    return tap.run(tap.TSTREAM, "check", "-q", "-i", capture).status == 0


@functools.lru_cache(maxsize=None)
def merge_of_sound(capture, options):
    """What is wrong with the merge of two sound copies, and its files: these are the same for all spoiled copies of the capture."""
    out = tap.path("wanted")
    remove(out)
    result = merge(*options, "-o", out, capture, capture)
    return f"status {result.status}: {result.err}" if result.status else None if is_sound(out) else "check finds damage", files(out)


def complaint(options, parts, wanted, out):
    """What is wrong with the merge of these; None: nothing. check found no damage in the wanted files, so it finds none in the same."""
    remove(out)
    result = merge(*options, "-o", out, *parts)
    if result.status or "damaged" in result.err or "warning" in result.err:
        return f"{result.status} {result.err}"
    differs = difference(wanted, files(out))
    return f"differs: {differs}{'' if is_sound(out) else ', and check finds damage'}" if differs else None


def whole_in_any_order(sentence, capture, *spoils):
    """Copies of the capture, each spoiled in its way, are merged in each order."""
    copies = []
    for nr, spoil in enumerate(spoils):
        copies.append(damage.copy(capture, tap.path(f"copy-{nr}")))
        spoil(copies[-1])
    orders = list(itertools.permutations(copies))
    for options in ((), ("--single",)):
        wrong_wanted, wanted = merge_of_sound(capture, options)
        found = tap.at_once([functools.partial(complaint, options, parts, wanted, tap.path(f"out-{nr}")) for nr, parts in enumerate(orders)])
        wrong = [f"{[os.path.basename(part)[-1] for part in parts]}: {text}" for parts, text in zip(orders, found) if text]
        tap.ok(not wrong_wanted and not wrong, f"{os.path.basename(capture)}{' --single' if options else ''}: {sentence}",
               "\n".join([wrong_wanted or ""] + wrong))
    for copy in copies:
        shutil.rmtree(copy)


def damaged_chunks(p):
    one, other = p.payload(0.3) + 20, p.payload(0.6) + 20
    return [("a damaged chunk", [flipped(one), sound]),
            ("the first chunk", [flipped(p.payload(0) + 20), sound]),
            ("the last chunk", [flipped(p.payload(1) + 20), sound]),
            ("of three, two are damaged in different chunks", [flipped(one), flipped(other), sound]),
            ("each is damaged in another chunk", [flipped(one), flipped(other)]),
            ("cut off within a chunk", [cut_at(one), sound]),
            ("cut off, and the other has a damaged chunk before", [cut_at(other), flipped(one)]),
            ("without the stream", [missing, sound])]


def damaged_headers(p):
    header, other = p.header(0.4) + 20, p.header(0.7) + 20
    return [("of three, two are damaged in the same chunk", [flipped(p.payload(0.3) + 20), flipped(p.payload(0.3) + 28), sound]),
            ("a damaged header that the index has", [flipped(header), sound]),
            ("each has another damaged header", [flipped(header), flipped(other)]),
            ("a damaged header and no index", [flipped(header, *p.indexes), sound]),
            ("the last header and no index", [flipped(p.header(1) + 20, *p.indexes), sound]),
            ("the first header and no index", [flipped(p.header(0) + 20, *p.indexes), sound]),
            ("headers and indexes, others in each", [flipped(header, p.indexes[0]), flipped(other, p.indexes[-1])]),
            ("a damaged index", [flipped(p.indexes[-1] + 40), sound]),
            ("the magic of an index", [flipped(p.indexes[-1] + 9), sound]),
            ("a damaged footer", [flipped(p.footer + 40), sound]),
            ("cut off within a header", [cut_at(header), sound])]


def check(capture, *kinds):
    places = Places(capture)
    for kind in kinds:
        for sentence, spoils in kind(places):
            whole_in_any_order(sentence, capture, *spoils)


def check_recorded():
    """The same of a capture with tstream.json, which may be extended in place, too."""
    capture = tap.path("recorded")
    cpus = tap.online_cpus()
    if len(cpus) < 2:
        return tap.skip("copies of a recording", "there is one CPU")  # STREAM is that of the second
    made = tap.run(tap.TSTREAM, "record", "-q", "-o", capture, "-F", "5000", "--flush=50ms", "--threads=cpu", "--",
                   "taskset", "-c", str(cpus[1]), "sh", "-c", BUSY)
    if made.status or not os.path.exists(os.path.join(capture, STREAM)) or len(Places(capture).chunks) < 2:
        tap.skip("copies of a recording", "nothing, or too little, was recorded")
        return
    check(capture, damaged_chunks)
    p = Places(capture)
    for sentence, spoil in (("a damaged chunk", flipped(p.payload(0.5) + 20)), ("a missing end", cut_at(p.payload(0.5)))):
        whole, spoiled = damage.copy(capture, tap.path("copy-0")), damage.copy(capture, tap.path("copy-1"))
        spoil(spoiled)
        result = merge("-o", spoiled, whole)
        tap.ok(result.status == 0 and tap.run(tap.TSTREAM, "check", "-q", "-i", spoiled).status == 0 and
               tap.run(tap.TSTREAM, "script", "-i", spoiled).out == tap.run(tap.TSTREAM, "script", "-i", capture).out,
               f"{sentence} is made good in place", result.err)
        result = merge("-o", spoiled, whole)
        tap.ok("has all of these records already" in result.err, "and once only", result.err)


check(damage.lay("plain")[0], damaged_chunks, damaged_headers)
check(damage.lay("compressed")[0], damaged_chunks)
check_recorded()
tap.done()
