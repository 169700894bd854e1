#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is compressed in a small capture or module yields no more than in a sound one, and is refused in a sentence otherwise."""
import os
import struct
import sys
import zlib

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import crafted  # noqa: E402
import dialect as d  # noqa: E402
import growing  # noqa: E402
import tap  # noqa: E402
import xxh3  # noqa: E402

MB = 1 << 20
MOST = 256 * MB
COMMANDS = {"rows": ["report", "-j", "1", "-i"], "callers": ["report", "-g", "-j", "1", "-i"], "lines": ["report", "-s", "srcline", "-j", "1", "-i"],
            "libdw": ["report", "--unwind", "libdw", "-g", "-j", "1", "-i"], "script": ["script", "-i"], "dump": ["report", "-D", "-j", "1", "-i"]}


def is_cheap(sentence, path, commands):
    for name in commands:
        growing.COMMANDS[name] = [*COMMANDS[name], "IN"]
        cost = growing.cost(name, path)
        tap.ok(not cost.is_killed and cost.bytes <= MOST, f"{sentence}: {name} takes at most {MOST // MB} MiB", f"{cost.bytes // MB} MiB, {cost.seconds:.1f} s")


# --- sections of a module ---

zeros = zlib.compress(bytes(600 * MB), 9)
for section, head, flags, commands in ((".debug_frame", struct.pack("<IIQQ", 1, 0, 600 * MB, 1), 0x800, ("callers", "libdw", "lines")),
                                       (".debug_info", struct.pack("<IIQQ", 1, 0, 600 * MB, 1), 0x800, ("lines",)),
                                       (".zdebug_line", b"ZLIB" + struct.pack(">Q", 600 * MB), 0, ("lines",))):
    where = tap.path(section)
    crafted.unwound(crafted.Values(1), where, crafted.module(crafted.Values(1), more={section: (1, flags, 0, head + zeros, 0, 0)}), is_file=True)
    is_cheap(f"{section} that yields 600 MiB", where, commands)
    told = tap.run(tap.TSTREAM, "report", "--explain-symbols", "-i", where).out
    tap.ok("cannot read source lines: compressed sections would grow too large" in told, f"{section}: --explain-symbols says why", told)
    growing.remove(where + ".object")

where = tap.path("large")
large = struct.pack("<IIQQ", 1, 0, 1536 * MB, 1) + bytes(16 * MB)
sections = {".debug_more": (1, 0x800, 0, large, 0, 0), ".debug_frame": (1, 0, 0, bytes(8), 0, 0), ".debug_line": (1, 0, 0, bytes(8), 0, 0)}
crafted.unwound(crafted.Values(1), where, crafted.module(crafted.Values(1), more=sections), is_file=True)
told = tap.run(tap.TSTREAM, "report", "--explain-symbols", "-i", where).out
tap.ok("large.object" in told and "grow too large" not in told, "16 MiB that yield 1.5 GiB, as in debug builds of large programs, are not refused", told)
growing.remove(where + ".object")

# --- holes of a module ---


def stretch(path, size):
    """Gives the names of symbols so many bytes behind the end: a hole."""
    with open(path, "r+b") as file:
        image = bytearray(file.read())
        at, = struct.unpack_from("<Q", image, 40)
        entry, nr, names = struct.unpack_from("<3H", image, 58)
        for header in (at + i * entry for i in range(nr) if i != names):
            if struct.unpack_from("<I", image, header + 4)[0] == 3:
                struct.pack_into("<QQ", image, header + 24, len(image), size)
        file.seek(0)
        file.write(image)
        file.truncate(len(image) + size)


where = tap.path("holes")
crafted.unwound(crafted.Values(1), where, crafted.module(crafted.Values(1)), is_file=True)
stretch(where + ".object", 2 << 30)
is_cheap("a module of 2 GiB of holes", where, ("rows", "callers", "lines"))
told = tap.run(tap.TSTREAM, "report", "--explain-symbols", "-i", where).out
tap.ok("nearly all of it is holes" in told, "--explain-symbols says why", told)
growing.remove(where + ".object")

# --- chunks ---


def frame_of_a_long_record():
    record = struct.pack("<IHH", d.SAMPLE, 2, 65528) + growing.usual.sample(growing.BASE, 1500, 1)[8:]
    frame = d.ZSTD_BEGIN + d.raw_block(record) + struct.pack("<I", 65528 - len(record) << 3 | 3)[:3] + b"\0"
    rest = -len(frame) % 8
    frame += struct.pack("<II", 0x184d2a50, rest) + bytes(rest) if rest else b""
    return struct.pack("<IHH", d.COMPRESSED, 0, 8 + len(frame)) + frame


def chunk(nr, flags=1):
    payload = frame_of_a_long_record() * nr
    rest = struct.pack("<10QIHH", 0, len(payload), 65528 * nr, nr, 1500, 1500, 1500, 1500, 0, xxh3.xxh3_64(payload), 0, 0, 0)
    return growing.sealed("chunk", 64 + len(rest), flags, 0, 0, rest) + payload, payload


sound, damaged = tap.path("sound"), tap.path("damaged")
growing.directory(sound, growing.comm("a", 1500, 1500, 0), [chunk(200)[0]])
growing.directory(damaged, growing.comm("a", 1500, 1500, 0), [chunk(4000)[0]])
told = tap.run(tap.TSTREAM, "report", "--stats", "-i", sound)
tap.ok(told.status == 0 and "SAMPLE events:        200" in told.out, "a chunk that yields 12 MiB is read", told.out + told.err)
is_cheap("a chunk that yields 249 MiB", damaged, ("rows", "script", "dump"))
told = tap.run(tap.TSTREAM, "check", damaged)
tap.ok(told.status == 1 and "its size when plain is impossible" in told.out, "check names it", told.out)

# --- an index that says plain of a chunk that is compressed ---

data, payload = chunk(3)
entry = struct.pack("<7Q3IBBH", 0, len(payload), 3 * 65528, 3, 1500, 1500, 0, 0, 0, 0, 0, 0, 152)
body = growing.index(len(data), [entry])
growing.directory(tap.path("index"), growing.comm("a", 1500, 1500, 0), [data + body + growing.footer(len(data) + len(body), len(data), 1, 3, 3 * 65528)])
told = tap.run(tap.TSTREAM, "check", tap.path("index"))
tap.ok(told.status == 1 and "the chunk header does not say what the index says" in told.out, "check names an index that says plain of a compressed chunk", told.out)
tap.done()
