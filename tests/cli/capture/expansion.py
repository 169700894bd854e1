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

PROGRAM = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/deep_calls")


def deflated(plain, zeros):
    """As zlib.compress() of both, where a MiB of zeros is compressed once: `zeros` is a number of MiB."""
    raw = zlib.compressobj(9, zlib.DEFLATED, -15)
    begin = raw.compress(plain) + raw.flush(zlib.Z_FULL_FLUSH)
    one = raw.compress(bytes(MB)) + raw.flush(zlib.Z_FULL_FLUSH)
    sum_of_all = zlib.adler32(plain)
    low, high = sum_of_all & 0xffff, sum_of_all >> 16
    return b"\x78\xda" + begin + one * zeros + raw.flush() + struct.pack(">HH", (high + zeros * MB * low) % 65521, low)


def packed(plain, zeros, is_old=False):
    """The bytes of a compressed section of these bytes and so many MiB of zeros; is_old: as .zdebug_* of old compilers."""
    size = len(plain) + zeros * MB
    head = b"ZLIB" + struct.pack(">Q", size) if is_old else struct.pack("<IIQQ", 1, 0, size, 1)
    return head + deflated(plain, zeros)


def grown(image, section, zeros):
    """An ELF file with one section of DWARF compressed, which yields its bytes and so many MiB of zeros behind them."""
    at, = struct.unpack_from("<Q", image, 40)
    entry, nr, names = struct.unpack_from("<3H", image, 58)
    headers = [at + i * entry for i in range(nr)]
    text_at, text_size = struct.unpack_from("<QQ", image, headers[names] + 24)
    out, is_old, name = bytearray(image), section.startswith(".z"), section.replace(".z", ".").encode() + b"\0"
    header = next(h for h in headers if image.startswith(name, text_at + struct.unpack_from("<I", image, h)[0]))
    flags, _, begin, length = struct.unpack_from("<4Q", image, header + 8)
    data = packed(image[begin:begin + length], zeros, is_old)
    struct.pack_into("<Q", out, header + 8, flags if is_old else flags | 0x800)
    struct.pack_into("<QQ", out, header + 24, len(out), len(data))
    out += data
    if is_old:
        struct.pack_into("<I", out, header, text_size)
        struct.pack_into("<QQ", out, headers[names] + 24, len(out), text_size + len(section) + 1)
        out += image[text_at:text_at + text_size] + section.encode() + b"\0"
    return bytes(out)


def explained(name, image):
    """A capture of this module, and why it has no lines."""
    where = tap.path(name)
    crafted.unwound(crafted.Values(1), where, image, is_file=True)
    return where, tap.run(tap.TSTREAM, "report", "--explain-symbols", "-i", where).out


def printed(where, *words):
    """The report, without the name of the module. Names of one length give one width of columns."""
    return tap.run(tap.TSTREAM, "report", *words, "-i", where).out.replace(os.path.basename(where), "module")


with open(PROGRAM, "rb") as program:
    program = program.read()
for section in (".debug_info", ".zdebug_line"):
    where, told = explained("modest", grown(program, section, 1))
    tap.ok("source lines from" in told and "deep_calls.c:" in printed(where, "-s", "srcline"), f"{section} that yields 1 MiB more: its lines are read", told)
    growing.remove(where + ".object")
    where, told = explained(section, grown(program, section, 600))
    is_cheap(f"{section} that yields 600 MiB more", where, ("lines",))
    tap.ok("cannot read source lines: compressed sections would grow too large" in told, f"{section}: --explain-symbols says why it is refused", told)
    growing.remove(where + ".object")


def of_frames(name, section):
    """A module whose only information for unwinding is this .debug_frame, and without lines."""
    empty = (1, 0, 0, bytes(8), 0, 0)
    more = {".debug_frame": section, ".eh_frame": (1, 2, 0x8000, bytes(8), 0, 0), ".debug_line": empty}
    return explained(name, crafted.module(crafted.Values(1), more=more))


frames = crafted.frames(crafted.Values(1), True)
wanted, modest, absent = (of_frames(name, section)[0] for name, section in (
    ("wanted", (1, 0, 0, frames, 0, 0)), ("modest", (1, 0x800, 0, packed(frames, 1), 0, 0)), ("absent", (1, 0, 0, bytes(8), 0, 0))))
where, told = of_frames("frames", (1, 0x800, 0, packed(frames, 600), 0, 0))
is_cheap(".debug_frame that yields 600 MiB more", where, ("callers", "libdw", "lines"))
tap.ok("compressed sections would grow too large" in told, ".debug_frame: --explain-symbols says why it is refused", told)
for words in (("-g",), ("-g", "--unwind", "libdw")):
    tap.ok(printed(modest, *words) == printed(wanted, *words) != printed(absent, *words), f"{' '.join(words)}: .debug_frame that yields 1 MiB more is used",
           printed(modest, *words))
tap.equal(printed(where, "-g"), printed(absent, "-g"), ".debug_frame that yields 600 MiB more is as none")
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


FRAME_MOST = 61440  # bytes of the records in one frame (docs/format.md)


def frame_of_a_long_record():
    record = struct.pack("<IHH", d.SAMPLE, 2, FRAME_MOST) + growing.usual.sample(growing.BASE, 1500, 1)[8:]
    frame = d.ZSTD_BEGIN + d.raw_block(record) + struct.pack("<I", FRAME_MOST - len(record) << 3 | 3)[:3] + b"\0"
    rest = -len(frame) % 8
    frame += struct.pack("<II", 0x184d2a50, rest) + bytes(rest) if rest else b""
    return struct.pack("<IHH", d.COMPRESSED, 0, 8 + len(frame)) + frame


def chunk(nr, flags=1):
    payload = frame_of_a_long_record() * nr
    rest = struct.pack("<10QIHH", 0, len(payload), FRAME_MOST * nr, nr, 1500, 1500, 1500, 1500, 0, xxh3.xxh3_64(payload), 0, 0, 0)
    return growing.sealed("chunk", 64 + len(rest), flags, 0, 0, rest) + payload, payload


sound, damaged = tap.path("sound"), tap.path("damaged")
growing.directory(sound, growing.comm("a", 1500, 1500, 0), [chunk(200)[0]])
growing.directory(damaged, growing.comm("a", 1500, 1500, 0), [chunk(4000)[0]])
told = tap.run(tap.TSTREAM, "report", "--stats", "-i", sound)
tap.ok(told.status == 0 and "SAMPLE events:        200" in told.out, "a chunk that yields 11 MiB is read", told.out + told.err)
is_cheap("a chunk that yields 234 MiB", damaged, ("rows", "script", "dump"))
told = tap.run(tap.TSTREAM, "check", damaged)
tap.ok(told.status == 1 and "its size when plain is impossible" in told.out, "check names it", told.out)

# --- chunks that are set aside ---

for turns in (1, 3, 50):
    path = tap.path(f"turns{turns}")
    growing.far_chunks(2000, path, lambda i, turns=turns: sorted(1000 + i + 1000 * (k % turns) for k in range(150)))
    told = tap.run(tap.TSTREAM, "script", "-F", "time", "--ns", "-i", path)
    times = [round(float(line.rstrip(": ")) * 1e9) for line in told.out.splitlines()]
    wanted = sorted(1000 + i + 1000 * (k % turns) for i in range(10) for k in range(150))
    tap.ok(times == wanted, f"chunks that go on {turns} times by turns: each sample once, in order", f"{len(times)}, {len(wanted)}: {told.out[:200]}{told.err}")

# --- records that perf compressed ---

event, stacks = d.Event(d.USUAL | d.STACK_USER), [bytes([i]) * 65000 for i in range(250)]
records = event.comm() + event.mmap() + b"".join(event.sample(growing.BASE + i, 1000 + 3 * i % 1000, 500, stack=event.u64(65000) + stacks[i % 250] + event.u64(65000))
                                                 for i in range(1000))
texts = []
for name, data, features in (("plain", records, {}), ("packed", d.deflated(records, 60000), {d.FEAT_COMPRESSED: d.compressed_feature()})):
    with open(tap.path(name), "wb") as f:
        f.write(d.file([event], data, {**d.usual_features([event]), **features}))
    kernels = "sed -n '/PERF_RECORD_COMM/,$ { /0x/! p }'"  # records, without their offsets
    texts.append(tap.run("sh", "-c", f"{tap.TSTREAM} report -D -i {tap.path(name)} | {kernels} | md5sum; {tap.TSTREAM} script -i {tap.path(name)}").out)
tap.ok(texts[0] == texts[1] and len(texts[0]) > 1000, "records that are held packed are those of a plain file", f"{texts[0][:300]}\n{texts[1][:300]}")
told = tap.run(tap.TSTREAM, "report", "-i", tap.path("packed"))
tap.ok(told.status == 0 and "expand" not in told.err, "65 MB of dumps that shrink by 500 are not refused", told.err)

event, chain = d.Event(d.USUAL | d.CALLCHAIN), [growing.BASE + 16 * i for i in range(110)]
with open(tap.path("chains"), "wb") as f:
    samples = b"".join(event.sample(growing.BASE, 10 ** 6 * i + i * i % 301, 500, chain=chain) for i in range(150000))
    f.write(d.file([event], d.deflated(event.comm() + samples, 200000), {**d.usual_features([event]), d.FEAT_COMPRESSED: d.compressed_feature()}))
told = tap.run(tap.TSTREAM, "report", "--stats", "-i", tap.path("chains"))
tap.ok(told.status == 0 and "150000" in told.out, f"{len(samples) >> 20} MB of one long call chain in {os.path.getsize(tap.path('chains')) >> 10} KB are read",
       told.err + told.out)

# --- an index that says plain of a chunk that is compressed ---

data, payload = chunk(3)
entry = struct.pack("<7Q3IBBH", 0, len(payload), 3 * 65528, 3, 1500, 1500, 0, 0, 0, 0, 0, 0, 152)
body = growing.index(len(data), [entry])
growing.directory(tap.path("index"), growing.comm("a", 1500, 1500, 0), [data + body + growing.footer(len(data) + len(body), len(data), 1, 3, 3 * 65528)])
told = tap.run(tap.TSTREAM, "check", tap.path("index"))
tap.ok(told.status == 1 and "the chunk header does not say what the index says" in told.out, "check names an index that says plain of a compressed chunk", told.out)
tap.done()
