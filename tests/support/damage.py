# SPDX-License-Identifier: Apache-2.0
"""Captures laid by hand, damaging captures on purpose, and walking the records of perf's files."""
import os
import shutil
import struct
import sys

import tap

LAY = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/lay_capture")
SAMPLE, COMPRESSED = 9, 81


def lay(kind, *more):
    """A capture of lay_capture, and the number that it prints."""
    where = tap.path(kind)
    shutil.rmtree(where, ignore_errors=True)
    made = tap.run(LAY, where, kind, *more)
    if made.status:
        sys.exit(f"lay_capture {kind}: status {made.status}: {made.err}")
    return where, int(made.out)


def sections(path):
    """(offset, size) of the records of a perf.data file"""
    with open(path, "rb") as f:
        f.seek(40)
        return struct.unpack("=QQ", f.read(16))


def records(path, is_stream=False):
    """(offset, type, size) of each record"""
    with open(path, "rb") as f:
        data = f.read()
    at, size = (0, len(data)) if is_stream else sections(path)
    end = at + size
    while at + 8 <= end:
        kind, _, length = struct.unpack_from("=IHH", data, at)
        if length < 8:
            return
        yield at, kind, length
        at += length


def copy(capture, to):
    for old in (to, to + ".repaired"):
        if os.path.isdir(old):
            shutil.rmtree(old)
        elif os.path.exists(old):
            os.remove(old)
    if os.path.isdir(capture):
        shutil.copytree(capture, to)
    else:
        shutil.copy(capture, to)
    return to


def write(path, at, data):
    with open(path, "r+b") as f:
        f.seek(at)
        f.write(data)


def flip(path, at):
    with open(path, "rb") as f:
        f.seek(at)
        byte = f.read(1)[0]
    write(path, at, bytes([byte ^ 1 << at % 8]))


def zero(path, at):
    write(path, at, bytes(min(64, os.path.getsize(path) - at)))


HOWS = {"flip": flip, "zero": zero, "cut": os.truncate}


def files_of(capture):
    """Paths of its files with records, "" for the capture itself"""
    if os.path.isfile(capture):
        return [""]
    return sorted(name for name in os.listdir(capture) if name == "data" or name.startswith("data."))


def complaint(capture):
    """What a reader of ours does wrong with a damaged capture: it crashes, hangs, or fails without a sentence."""
    for words in (["check"], ["report", "-i"], ["report", "-D", "-i"], ["script", "-i"]):
        got = tap.run(tap.TSTREAM, *words, capture, timeout=60)
        said = got.out if words == ["check"] and got.out else got.err
        if got.status not in (0, 1) or (got.status == 1 and not said.strip()):
            return f"{' '.join(words)}: status {got.status}, {got.err[-300:]}"
    return ""


def sweep(capture, scene, steps):
    """Damages each file of a capture in each way at `steps` places. Yields (what, complaint)."""
    for name in files_of(capture):
        size = os.path.getsize(os.path.join(capture, name) if name else capture)
        for how, damage in HOWS.items():
            for i in range(steps):
                where = copy(capture, scene)
                at = size * (2 * i + 1) // (2 * steps)
                if at < size:
                    damage(os.path.join(where, name) if name else where, at)
                wrong = complaint(where)
                tap.run(tap.TSTREAM, "check", "-q", "--repair", where, timeout=60)
                if not wrong and os.path.exists(where + ".repaired"):
                    got = tap.run(tap.TSTREAM, "check", where + ".repaired", timeout=60)
                    wrong = "" if got.status == 0 else f"repaired: status {got.status}, {got.out[:600]}"
                yield f"{how} at {at} of {name or 'it'}", wrong
