# SPDX-License-Identifier: Apache-2.0
"""Captures whose form is sound and a few of whose numbers or texts are not: sizes, counts, offsets, times, ids, flags, names.

    crafted.make(number, folder)    makes the capture of that number; returns its path and what is wrong with it
    crafted.KINDS                   the kinds, which take turns
    crafted.COMMANDS                what reads it; IN is the capture, OUT what a command makes
    crafted.put_through(number)     puts a capture through all of them, or through those that are named, and says what is wrong: a signal, a sanitizer's report, more than
                                    10 s of CPU time or 512 MiB, no sentence where the status is not 0

A capture is made twice. The first time counts the numbers and texts in it; of these the seed chooses one to four, which the second
time replaces by such that arithmetic or trust may break on.
"""
import json
import os
import random
import resource
import struct
import subprocess

import dialect as d
import firefox_file
import growing
import pprof_file
import tap
import xxh3

BASE, KERNEL_BASE = 0x400000, 0xffffffff81000000
STACK, REGS = 0x7ffd00000000, 0xff0fff
NR_REGS = bin(REGS).count("1")
BUILD_ID = bytes(range(1, 21))
IN_HEAD, IN_BODY = 1, 6  # how often one is chosen
SECONDS_MAX, BYTES_MAX, TEXT_MAX = 10, 512 << 20, 1 << 26
REPORTS = ("Sanitizer", "runtime error:")
KINDS = {}


def kind(function):
    KINDS[function.__name__] = function
    return function


class Values:
    """Every number and text of a capture goes through this. `wrong`: the places of those that become something else."""

    def __init__(self, seed, wrong=()):
        self.random, self.other, self.wrong, self.weights, self.told = random.Random(seed), random.Random(seed + 1), wrong, [], []

    def _is_wrong(self, weight):
        self.weights.append(weight)
        return len(self.weights) - 1 in self.wrong

    def number(self, value, bits=64, weight=IN_BODY):
        if self._is_wrong(weight):
            was, value = value, next(odd for odd in iter(lambda: self._odd(value, bits) & (1 << bits) - 1, None) if odd != value)
            self.told.append(f"number {len(self.weights) - 1}: {was:#x} is {value & (1 << bits) - 1:#x}")
        return value & (1 << bits) - 1

    def text(self, text, weight=IN_BODY):
        if self._is_wrong(weight):
            was, text = text, self.other.choice((
                b"", b"\0", b"\0\0\0", b"x" * len(text), b"x" * 4095 + b"\0", b"x" * 40000 + b"\0", b"\x1b]0;x\7\r\n\t\0", b"\xff\xfe\xc0\x80\0",
                b"%s%n%d\0", b"../../../etc/passwd\0", b"/proc/self/mem\0", b"[\0", b"//anon\0", b"[kernel.kallsyms]_text\0", b"/\0",
                text[:-1] + b" (deleted)\0", text * 3))
            self.told.append(f"text {len(self.weights) - 1}: {was[:40]!r} is {text[:40]!r} of {len(text)} bytes")
        return text

    def _odd(self, value, bits):
        top, n = 1 << bits, self.other
        return n.choice((
            0, 1, 7, 8, 9, 0xff, 0x7fff, 0xfff8, 0xffff, 0x10000, top - 1, top - 8, top // 2, top // 2 - 1, top // 2 + 1, top // 8, top // 8 + 1,
            top // 16 + 1, top // 24 + 1, top // 3, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, (1 << 63) - 1, top - value, ~value,
            value + 1, value - 1, value + 8, value - 8, 2 * value, value // 2, value ^ 1 << n.randrange(bits), value + (1 << n.randrange(bits)),
            n.getrandbits(bits)))

    def pack(self, form, *values, weight=IN_BODY):
        """As struct.pack, of numbers."""
        bits = {"B": 8, "H": 16, "I": 32, "Q": 64}
        return b"".join(struct.pack("<" + letter, self.number(value, bits[letter], weight)) for letter, value in zip(form, values, strict=True))

    def padded(self, text):
        text = self.text(text.encode() + b"\0")
        return text + bytes(-len(text) % 8)

    def chance(self, of):
        return self.random.randrange(of) == 0


# --- records ---

class Maker:
    """Records of one event, the form of which the seed chooses."""

    def __init__(self, v, sample_type=None, read_format=0, flags=d.FLAG_SAMPLE_ID_ALL, what=1, config=0, id=77, stack=0, branches=0):
        usual = d.USUAL | (v.chance(2) and d.CALLCHAIN)
        self.v, self.sample_type, self.read_format, self.flags, self.what, self.config, self.id = v, sample_type or usual, read_format, flags, what, config, id
        self.stack, self.branches, self.clock, self.time = stack, branches, 0, 1000

    def attr(self, size=128):
        v = self.v
        return v.pack("IIQQQQQIIQQQQIiQIHHIIQQ".replace("i", "I"), self.what, size, self.config, 1, self.sample_type, self.read_format, self.flags,
                      0, 0, 0, 0, self.branches, REGS, self.stack, self.clock, REGS, 0, 0, 0, 0, 0, 0, 0)[:size].ljust(size, b"\0")

    def ids(self):
        return self.v.pack("Q", self.id)

    def tick(self):
        self.time += 1
        return self.time

    def record(self, what, body, misc=0, trailer=b""):
        body += bytes(-len(body) % 8) + trailer
        return self.v.pack("IHH", what, misc, min(8 + len(body), 0xffff), weight=IN_HEAD) + body

    def trailer(self, pid=1, time=None):
        time, v = self.tick() if time is None else time, self.v
        parts = ((d.TID, "II", (pid, pid)), (d.TIME, "Q", (time,)), (d.ID, "Q", (self.id,)), (d.STREAM_ID, "Q", (0,)), (d.CPU, "II", (0, 0)),
                 (d.IDENTIFIER, "Q", (self.id,)))
        return b"".join(v.pack(form, *values, weight=IN_HEAD) for bit, form, values in parts if self.sample_type & bit)

    def kernel(self, what, form, *values, rest=b"", misc=0, pid=1):
        return self.record(what, self.v.pack(form, *values) + rest, misc, self.trailer(pid))

    def comm(self, name="task", pid=1, tid=None, misc=0):
        return self.kernel(d.COMM, "II", pid, tid or pid, rest=self.v.padded(name), misc=misc, pid=pid)

    def mapped(self, path, start=BASE, length=0x100000, offset=0, pid=1, misc=2, build_id=None, prot=5):
        file = self.v.pack("BBH", 20, 0, 0) + build_id if build_id else self.v.pack("IIQQ", 8, 1, 99, 1)
        body = self.v.pack("IIQQQ", pid, pid, start, length, offset) + file + self.v.pack("II", prot, 2) + self.v.padded(path)
        return self.record(d.MMAP2, body, misc | (1 << 14 if build_id else 0), self.trailer(pid))

    def kernel_map(self):
        return self.mapped("[kernel.kallsyms]_text", KERNEL_BASE, 1 << 24, KERNEL_BASE, 2 ** 32 - 1, 1)

    def fork(self, child, parent, thread=None, what=growing.FORK):
        return self.kernel(what, "IIIIQ", child, parent, thread or child, parent, self.time, pid=parent)

    def read_values(self):
        v, r = self.v, self.read_format
        times = [5] * bin(r & 3).count("1")
        one = [self.time] + [self.id] * bool(r & d.FORMAT_ID) + [0] * bool(r & d.FORMAT_LOST)
        if r & d.FORMAT_GROUP:
            return v.pack("Q" * (1 + len(times) + 2 * len(one)), 2, *times, *one, *one)
        return v.pack("Q" * (1 + len(times) + len(one) - 1), self.time, *times, *one[1:])

    def registers(self, ip, sp):
        values = [0x1000 + i for i in range(NR_REGS)]
        values[6:9] = sp + 64, sp, ip  # BP, SP, IP
        return self.v.pack("Q", 2) + self.v.pack("Q" * NR_REGS, *values)

    def dumped_stack(self, ip, nr):
        data = b"".join(self.v.pack("Q", (ip + 16, STACK + 64, 0, BASE + 0x1010)[i % 4], weight=IN_HEAD) for i in range(nr))
        return self.v.pack("Q", len(data)) + data + self.v.pack("Q", len(data))

    def branch_stack(self, ip, nr=3):
        v = self.v
        out = v.pack("Q", nr) + (v.pack("Q", 0) if self.branches & d.BRANCH_HW_INDEX else b"")
        out += b"".join(v.pack("QQQ", ip + i, ip + 64 + i, 1 << i) for i in range(nr))
        return out + (v.pack("Q" * nr, *range(nr)) if self.branches & d.BRANCH_COUNTERS else b"")

    def chain(self, ip, user=None):
        ips = [2 ** 64 - 128, KERNEL_BASE + 16, 2 ** 64 - 512, ip, ip + 32] if user is None else user
        return self.v.pack("Q", len(ips)) + b"".join(self.v.pack("Q", i, weight=IN_HEAD) for i in ips)

    def sample(self, ip=BASE + 0x1000, pid=1, misc=2, raw=None, user=None, time=None):
        v, t = self.v, self.sample_type
        raw = v.pack("QH", 5, 6) if raw is None else raw
        raw += bytes(-(len(raw) + 4) % 8)
        fields = (
            (d.IDENTIFIER, lambda: v.pack("Q", self.id, weight=IN_HEAD)), (d.IP, lambda: v.pack("Q", ip)), (d.TID, lambda: v.pack("II", pid, pid)),
            (d.TIME, lambda: v.pack("Q", self.tick() if time is None else time)), (d.ADDR, lambda: v.pack("Q", ip + 5)),
            (d.ID, lambda: v.pack("Q", self.id, weight=IN_HEAD)), (d.STREAM_ID, lambda: v.pack("Q", 0)), (d.CPU, lambda: v.pack("II", 0, 0)),
            (d.PERIOD, lambda: v.pack("Q", 3)), (d.READ, self.read_values), (d.CALLCHAIN, lambda: self.chain(ip, user)),
            (d.RAW, lambda: v.pack("I", len(raw)) + raw), (d.BRANCH_STACK, lambda: self.branch_stack(ip)),
            (d.REGS_USER, lambda: self.registers(ip, STACK)), (d.STACK_USER, lambda: self.dumped_stack(ip, 32)),
            (d.WEIGHT | d.WEIGHT_STRUCT, lambda: v.pack("Q", 4)), (d.DATA_SRC, lambda: v.pack("Q", 0x68100142)),
            (d.TRANSACTION, lambda: v.pack("Q", 3)), (d.REGS_INTR, lambda: self.registers(ip, STACK)), (d.PHYS_ADDR, lambda: v.pack("Q", 4096)),
            (d.CGROUP, lambda: v.pack("Q", 1)), (d.DATA_PAGE_SIZE, lambda: v.pack("Q", 4096)), (d.CODE_PAGE_SIZE, lambda: v.pack("Q", 4096)),
            (d.AUX, lambda: v.pack("Q", 8) + bytes(8)))
        return self.record(d.SAMPLE, b"".join(field() for bit, field in fields if t & bit), misc)


# --- files ---

def string(v, text):
    data = text.encode() + b"\0"
    data = data.ljust((len(data) + 63) // 64 * 64, b"\0")
    return v.pack("I", len(data)) + v.text(data)


def strings(v, *texts):
    return v.pack("I", len(texts)) + b"".join(string(v, text) for text in texts)


def description(v, makers):
    out = v.pack("II", len(makers), 128)
    return out + b"".join(m.attr() + v.pack("I", 1) + string(v, f"event{i}") + m.ids() for i, m in enumerate(makers))


def features_of(v, makers):
    return {d.HOSTNAME: string(v, "host"), d.NRCPUS: v.pack("II", 4, 4), d.EVENT_DESC: description(v, makers)}


def bitmap(v, nr=64):
    return v.pack("QQ", nr, 3)


def build_id_record(v, path, build_id=BUILD_ID, pid=2 ** 32 - 1, misc=2, what=0):
    body = v.pack("I", pid) + build_id + v.pack("BBH", 20, 0, 0) + v.padded(path)
    return v.pack("IHH", what, misc | 1 << 15, 8 + len(body) & 0xffff) + body


def all_features(v, makers):
    """Every feature that perf knows, of the form that it writes."""
    two = strings(v, "0-1", "2-3")
    made = {
        growing.BUILD_IDS: build_id_record(v, "[kernel.kallsyms]", misc=1) + build_id_record(v, "/none/a"), 4: string(v, "6.1.0"), 5: string(v, "6.1"),
        6: string(v, "x86_64"), 8: string(v, "cpu"), 9: string(v, "AuthenticAMD,26,2,1"), 10: v.pack("Q", 24684092),
        growing.CMDLINE: strings(v, "/usr/bin/perf", "record", "-a"), 13: two + two + v.pack("IIIIIIII", 0, 0, 1, 0, 2, 1, 3, 1) + two + v.pack("IIII", 0, 0, 0, 0),
        14: v.pack("I", 2) + b"".join(v.pack("IQQ", i, 1 << 20, 1 << 19) + string(v, "0-3") for i in range(2)), 15: b"",
        growing.PMU: v.pack("I", 2) + b"".join(v.pack("I", 4 + i) + string(v, f"pmu{i}") for i in range(2)),
        growing.GROUP_DESC: v.pack("I", 1) + string(v, "{anon_group}") + v.pack("II", 0, len(makers)), 18: v.pack("QQQ", 1, 424, 64),
        20: v.pack("II", 1, 1) + v.pack("IIII", 1, 64, 64, 8) + string(v, "Data") + string(v, "32K") + string(v, "0-1"), 21: v.pack("QQ", 1000, 2000),
        22: v.pack("QQQ", 1, 1 << 27, 1) + v.pack("Q", 0) + bitmap(v), 23: v.pack("Q", 1),
        25: v.pack("I", 1) + v.pack("IIQ", 232, 16, 1) + v.pack("IIQQ", 1, 7, 0, 0) + bytes(208) + bytes(16), 26: v.pack("I", 1) + v.pack("II", 5, 16) + bytes(16),
        28: v.pack("I", 1) + string(v, "branches") + string(v, "16"), 29: v.pack("IIQQ", 1, 1, 1 << 60, 1000), 30: v.pack("I", 1) + string(v, "cpu_core") + string(v, "0-3"),
        31: v.pack("I", 1) + v.pack("I", 1) + string(v, "branches") + string(v, "16") + string(v, "cpu"),
        32: v.pack("II", 17, 1) + v.pack("II", 0, 1) + v.pack("I", 0) + string(v, "MC") + string(v, "3") + string(v, "0-1"), 33: v.pack("II", 62, 0), 34: v.pack("I", 64)}
    return {**features_of(v, makers), **made}


def file(v, makers, records, features=None, size=104):
    """A perf.data file. The places of its parts are numbers, too."""
    features = features_of(v, makers) if features is None else features
    ids, at = b"".join(m.ids() for m in makers), size
    entries = b""
    for m in makers:
        entries += m.attr() + v.pack("QQ", at, 8)
        at += 8
    data_at = size + len(ids) + len(entries)
    words = [sum(1 << bit for bit in features) >> 64 * n & (1 << 64) - 1 for n in range(4)]
    head = v.text(b"PERFILE2", IN_HEAD)[:8].ljust(8, b"\0") + v.pack("QQQQQQQQ", size, 144, size + len(ids), len(entries), data_at, len(records), 0, 0)
    head = (head + v.pack("QQQQ", *words))[:size]
    table, payloads, at = b"", b"", data_at + len(records) + 16 * len(features)
    for bit in sorted(features):
        table += v.pack("QQ", at + len(payloads), len(features[bit]), weight=IN_HEAD)
        payloads += features[bit]
    return head + ids + entries + records + table + payloads


def pipe(v, makers, records, features):
    out = b"PERFILE2" + v.pack("Q", 16)
    out += b"".join(m.record(d.ATTR, m.attr() + m.ids()) for m in makers)
    out += b"".join(makers[0].record(d.FEATURE, v.pack("Q", bit) + data) for bit, data in sorted(features.items()))
    return out + makers[0].record(d.FEATURE, v.pack("Q", 35)) + records


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def capture(function):
    """A kind whose records a generator yields, and whose events it may give first, as a list: a file, a pipe, or a directory."""
    def make(v, path):
        parts = list(function(v))
        makers = parts.pop(0) if isinstance(parts[0], list) else [Maker(v)]
        shapes(v, path, makers, b"".join(parts))
    make.__name__ = function.__name__
    return kind(make)


def shapes(v, path, makers, records):
    shape = v.random.choice(("file", "pipe", "file", "compressed", "directory", "of perf"))
    if shape == "file":
        write(path, file(v, makers, records))
    elif shape == "pipe":
        write(path, pipe(v, makers, records, features_of(v, makers)))
    elif shape == "compressed":
        write(path, file(v, makers, squeezed(v, records), {**features_of(v, makers), d.FEAT_COMPRESSED: v.pack("IIIII", 0, 1, 1, 1, 528384)}))
    else:
        directory(v, path, makers, b"", [records if shape == "of perf" else stream(v, [records])])


def squeezed(v, records):
    return d.compressed(records, v.random.choice((d.COMPRESSED, d.COMPRESSED2)), v.random.choice((1000, 64, 5000)))


# --- directories of ours ---

def sealed(v, magic, size, word, number, offset, rest):
    """A header of ours with its checksum, whatever it says."""
    head = v.pack("IHH", 65, 0, size, weight=IN_HEAD) + growing.MAGIC[magic] + v.pack("HHI", 1, 0, word) + bytes(8) + b"u" * 16 + v.pack("IIQ", 0, number, offset) + rest
    head = head.ljust(size, b"\0")
    return head[:24] + struct.pack("<Q", xxh3.xxh3_64(head)) + head[32:]


def frame(data):
    """A frame of zstd that is complete, and its length a multiple of 8."""
    data = d.ZSTD_BEGIN + struct.pack("<I", len(data) << 3 | 1)[:3] + data
    room = -len(data) % 8
    return data + (struct.pack("<II", 0x184d2a50, room) + bytes(room) if room else b"")


def packed(v, records):
    frames = (frame(records[at:at + 700]) for at in range(0, len(records), 700))
    return b"".join(v.pack("IHH", d.COMPRESSED, 0, 8 + len(data), weight=IN_HEAD) + data for data in frames)


def nr_of(records):
    at = nr = 0
    while at + 8 <= len(records):
        at += struct.unpack_from("<H", records, at + 6)[0] or len(records)
        nr += 1
    return nr


def chunk(v, offset, records, sequence, times=(1000, 2000), kind=0, ring=0):
    is_packed, nr = v.chance(3), nr_of(records)
    payload = packed(v, records) if is_packed else records
    rest = v.pack("QQQQQQQQQQ", sequence, len(payload), len(records), nr, *times, *times, 0, xxh3.xxh3_64(payload)) + v.pack("IHH", 0, kind, 0)
    return sealed(v, "chunk", 64 + len(rest), is_packed, ring, offset, rest) + payload, len(payload), len(records), nr


def entry(v, offset, payload, raw, nr, times, kind, ring, flags):
    return v.pack("QQQQQQQIIIBBH", offset, payload, raw, nr, *times, 0, ring, 0, flags, kind, 0, 152)


def stream(v, parts, kind=0, ring=0):
    out, entries, before, records = b"", [], growing.NONE, 0
    for i, part in enumerate(parts):
        data, payload, raw, nr = chunk(v, len(out), part, i, kind=kind, ring=ring)
        entries.append(entry(v, len(out), payload, raw, nr, (1000, 2000), kind, ring, raw != payload))
        out, records = out + data, records + nr
    step = v.random.choice((1, 2, 9))
    for first in range(0, len(entries), step):
        some = entries[first:first + step]
        body = v.pack("QQ", before, first) + b"".join(some)
        before, out = len(out), out + sealed(v, "index", 80 + 72 * len(some), 72, len(some), len(out), body)
    return out + sealed(v, "end", 96, 0, 0, len(out), v.pack("QQQQ", before, len(parts), records, sum(map(len, parts))))


def note(v, streams):
    """tstream.json; its numbers may be of any size, and what holds a list may hold something else."""
    def n(value):
        got = v.number(value)
        return got if got == value else v.other.choice((got, -got, float(got), got * 10 ** 300, str(got), None, [got], {"a": got}, True))
    whole = {
        "version": n(1), "state": v.text(b"complete").decode("latin-1"), "flush_ns": n(1000000), "self": {"samples": n(5)},
        "writers": [{"stream": v.text(b"data.%d" % i).decode("latin-1"), "stream_bytes": n(len(data))} for i, data in enumerate(streams)],
        "ledger": {"counted_by_kernel": True, "lost_at_unknown_time": n(3), "lost": {"ring_full": n(7), "compression": n(1), "disk": n(2)}},
        "absences": [{"cpu": n(1), "cause": "offline", "from_s": n(0), "to_s": n(1)}], "gaps": [{"from_s": n(1), "to_s": n(2)}],
        "rings": [{"number": n(i), "cpu": n(i), "kind": "samples", "records": n(100), "lost": n(7), "lost_disk": n(1), "lost_at_unknown_time": n(2),
                   "times": {"start_s": n(0), "step_s": n(1), "kept": [n(1), n(2), n(3)], "ring_full": [n(0), n(7), n(0)]}} for i in range(2)]}
    text = json.dumps(whole, allow_nan=True).encode()
    return v.text(text, IN_HEAD)


def directory(v, path, makers, records, streams, features=None, has_note=False, symbols=None):
    os.makedirs(path)
    features = {**features_of(v, makers), **(features or {}), 24: v.pack("Q", 1)}
    write(path + "/data", file(v, makers, records, features))
    for i, data in enumerate(streams):
        write(f"{path}/data.{i}", data)
    if has_note:
        write(path + "/tstream.json", note(v, streams))
    if symbols:
        os.makedirs(path + "/symbols")
    for name, data in (symbols or {}).items():
        write(f"{path}/symbols/{name}", data)


# --- kinds: records ---

@capture
def tasks(v):
    m = Maker(v)
    yield [m]
    yield m.comm("a") + m.mapped("/none/a") + m.fork(2, 1) + m.sample(pid=2) + m.comm("b", 2, misc=1 << 13) + m.mapped("/none/b", pid=2)
    yield m.fork(2, 2, 3) + m.sample(pid=2) + m.fork(3, 2, what=growing.EXIT) + m.fork(2, 1, what=growing.EXIT) + m.fork(2, 1) + m.sample(pid=2)
    yield m.kernel(growing.NAMESPACES, "IIQ", 2, 2, 7, rest=v.pack("Q" * 14, *range(14))) + m.sample(BASE + 0x2000)


@capture
def maps(v):
    m = Maker(v)
    yield [m]
    yield m.comm() + m.kernel_map() + b"".join(m.mapped(f"/none/{i % 3}", BASE + i * 0x8000, 0x10000, i * 4096) for i in range(6))
    yield m.kernel(d.MMAP, "IIQQQ", 1, 1, BASE, 4096, 0, rest=v.padded("/none/old"), misc=2) + m.mapped("/none/i", BASE, build_id=BUILD_ID) + m.mapped("//anon", BASE + 4096, 4096)
    yield b"".join(m.sample(BASE + i * 0x4000) for i in range(12)) + m.sample(KERNEL_BASE + 9, misc=1)


@capture
def side_band(v):
    m = Maker(v, d.USUAL | d.CGROUP)
    yield [m]
    yield m.comm() + m.kernel(growing.LOST, "QQ", 77, 5) + m.kernel(growing.LOST_SAMPLES, "Q", 5) + m.kernel(growing.THROTTLE, "QQQ", 5, 77, 77)
    yield m.kernel(growing.SWITCH_CPU, "II", 1, 1, misc=1 << 13) + m.record(14, b"", 1 << 13, m.trailer()) + m.kernel(growing.READ, "IIQ", 1, 1, 5)
    yield m.kernel(growing.KSYMBOL, "QIHH", KERNEL_BASE + 64, 64, 1, 0, rest=v.padded("bpf_prog_1")) + m.kernel(growing.BPF, "HHIQ", 1, 0, 7, 9)
    yield m.kernel(growing.CGROUP, "Q", 1, rest=v.padded("/a")) + m.kernel(growing.POKE, "QHH", KERNEL_BASE, 5, 5, rest=bytes(12)) + m.sample() + m.sample(KERNEL_BASE + 70, misc=1)
    yield m.kernel(growing.KSYMBOL, "QIHH", KERNEL_BASE + 64, 64, 1, 1, rest=v.padded("bpf_prog_1")) + m.sample(KERNEL_BASE + 70, misc=1)
    yield m.kernel(growing.ITRACE, "II", 1, 1) + m.kernel(growing.AUX, "QQQ", 0, 16, 1) + m.kernel(21, "Q", 5) + m.sample()


@capture
def all_fields(v):
    t = d.USUAL | d.ADDR | d.READ | d.CALLCHAIN | d.ID | d.STREAM_ID | d.RAW | d.BRANCH_STACK | d.REGS_USER | d.STACK_USER | d.WEIGHT | d.DATA_SRC | d.TRANSACTION
    t |= d.REGS_INTR | d.PHYS_ADDR | d.CGROUP | d.DATA_PAGE_SIZE | d.CODE_PAGE_SIZE | d.AUX
    m = Maker(v, t, d.FORMAT_ENABLED | d.FORMAT_ID | d.FORMAT_LOST, stack=256, branches=d.BRANCH_HW_INDEX | d.BRANCH_COUNTERS)
    yield [m]
    yield m.comm() + m.mapped("/none/a") + b"".join(m.sample() for _ in range(4))


@capture
def some_fields(v):
    t = d.IP | d.TID | d.TIME | v.random.getrandbits(25) & ~(d.STACK_USER | d.REGS_USER | d.IDENTIFIER)
    m = Maker(v, t, v.random.getrandbits(5), stack=256, branches=v.random.choice((0, d.BRANCH_HW_INDEX, d.BRANCH_COUNTERS)))
    yield [m]
    yield m.comm() + m.mapped("/none/a") + b"".join(m.sample(BASE + 64 * i) for i in range(8))


@capture
def groups(v):
    r = d.FORMAT_GROUP | d.FORMAT_ID | v.random.choice((0, d.FORMAT_LOST | d.FORMAT_ENABLED | d.FORMAT_RUNNING))
    leader = Maker(v, d.USUAL | d.READ, r)
    yield [leader, Maker(v, d.USUAL | d.READ, r, config=1, id=78)]
    yield leader.comm() + leader.mapped("/none/a") + b"".join(leader.sample() for _ in range(9))


@capture
def chains(v):
    m = Maker(v, d.USUAL | d.CALLCHAIN)
    yield [m]
    yield m.comm() + m.mapped("/none/a") + m.kernel_map()
    for i in range(6):
        yield m.sample(user=[2 ** 64 - 512, BASE + i, 2 ** 64 - 128, KERNEL_BASE, 2 ** 64 - 512][:i] + [BASE + 8 * k for k in range(i * 30)])


@capture
def deferred(v):
    m = Maker(v, d.USUAL | d.CALLCHAIN, flags=d.FLAG_SAMPLE_ID_ALL | d.FLAG_DEFER)
    yield [m]
    yield m.comm() + m.mapped("/none/a") + b"".join(m.sample(user=[2 ** 64 - 128, KERNEL_BASE, 2 ** 64 - 640, i]) for i in range(4))
    yield b"".join(m.kernel(d.CALLCHAIN_DEFERRED, "QQ", i, 3, rest=v.pack("QQQ", 2 ** 64 - 512, BASE, BASE + 9)) for i in (1, 0, 2, 2, 9))


@capture
def times(v):
    m = Maker(v)
    yield [m]
    odd = (0, 1, 2 ** 63, 2 ** 64 - 1, 2 ** 64 - 2, 10 ** 18, 5)
    yield m.comm() + b"".join(m.sample(time=v.random.choice(odd)) for _ in range(12)) + m.record(d.ROUND, b"") + m.sample(time=3)


@capture
def records_of_tools(v):
    m = Maker(v)
    yield [m]
    yield m.record(69, v.pack("Q", 2) + b"".join(v.pack("QQQQ", 77, 0, i, 1) for i in range(2)) + v.pack("QQQQ", 1, 0, 1, 0))
    yield m.record(73, v.pack("Q", 1) + v.pack("Q", 1) + v.text(b"task\0".ljust(16, b"\0"))) + m.record(74, v.pack("HHHHI", 0, 2, 0, 1, 0))
    yield m.record(74, v.pack("HHII", 1, 1, 8, 0) + v.pack("Q", 3)) + m.record(74, v.pack("HBBHH", 2, 0, 0, 0, 3))
    yield m.record(75, v.pack("QQQ", 1, 0, 1)) + m.record(76, v.pack("QIIQQQ", 77, 0, 0, 5, 6, 7)) + m.record(77, v.pack("QQ", 0, 1))
    yield m.record(d.EVENT_UPDATE, v.pack("QQ", 0, 77) + v.padded("ms")) + m.record(d.EVENT_UPDATE, v.pack("QQQ", 1, 77, 0x3ff0000000000000))
    yield m.record(d.EVENT_UPDATE, v.pack("QQ", 2, 77) + v.padded("name")) + m.record(d.EVENT_UPDATE, v.pack("QQHHHH", 3, 77, 0, 1, 0, 0))
    yield m.record(79, v.pack("QQQQQQ", 10, 1000, 5, 0, 0, 0)) + m.record(d.INIT, b"") + m.record(d.BUILD_ID, v.pack("I", 1) + BUILD_ID + v.pack("BBH", 20, 0, 0) + v.padded("/none/a"))
    yield m.record(d.BPF_METADATA, v.text(b"prog\0".ljust(256, b"\0")) + v.pack("Q", 1) + v.text(b"key\0".ljust(64, b"\0")) + v.text(b"value\0".ljust(256, b"\0")))
    yield m.record(85, v.pack("QIIQ", 5, 0, 1, 0)) + m.record(86, v.pack("QIIQ", 5, 0, 1, 0)) + m.comm() + m.mapped("/none/a") + m.sample()


@capture
def auxtrace(v):
    m = Maker(v)
    yield [m]
    yield m.record(d.AUXTRACE_INFO, v.pack("IIQQ", 1, 0, 0, 0)) + m.comm()
    for i in range(3):
        yield m.record(d.AUXTRACE, v.pack("QQQIIII", 64, 64 * i, 0, 0, 1, 0, 0)) + bytes(64) + m.kernel(growing.AUX, "QQQ", 64 * i, 64, 0) + m.sample()
    yield m.record(72, v.pack("IIIIIIQQ", 1, 2, 0, 1, 1, 1, BASE, 5) + v.text(b"error\0".ljust(64, b"\0")) + v.pack("II", 0, 0)) + m.sample()


# --- kinds: files ---

@kind
def headers(v, path):
    makers = [Maker(v, config=i, id=77 + i) for i in range(v.random.randrange(1, 5))]
    m = makers[0]
    write(path, file(v, makers, m.comm() + m.mapped("/none/a") + b"".join(k.sample() for k in makers), size=v.random.choice((104, 104, 72))))


@kind
def features(v, path):
    m = Maker(v)
    made = all_features(v, [m])
    records = m.comm() + m.kernel_map() + m.mapped("/none/a") + m.sample() + m.sample(KERNEL_BASE + 5, misc=1)
    write(path, file(v, [m], records, made) if v.chance(2) else pipe(v, [m], records, made))


@kind
def compressed(v, path):
    m = Maker(v)
    records, raw = b"".join(m.sample() for _ in range(30)), d.ZSTD_BEGIN
    pieces = [records[at:at + 700] for at in range(0, len(records), 700)]
    out = m.comm()
    for piece in pieces:
        data, raw = raw + v.pack("I", len(piece) << 3)[:3] + piece, b""
        if v.chance(2):
            out += m.record(d.COMPRESSED2, v.pack("Q", len(data)) + data)
        else:
            out += v.pack("IHH", d.COMPRESSED, 0, 8 + len(data), weight=IN_HEAD) + data
    write(path, file(v, [m], out, {**features_of(v, [m]), d.FEAT_COMPRESSED: v.pack("IIIII", 0, 1, 1, 1, 528384)}))


@kind
def streams_of_ours(v, path):
    m = Maker(v)
    side = m.comm() + m.mapped("/none/a") + m.fork(2, 1)
    parts = [b"".join(m.sample(BASE + i, 1 + i % 2) for i in range(8)) for _ in range(4)]
    streams = [stream(v, [side], 1, 1), stream(v, parts)]
    directory(v, path, [m], m.comm("b"), streams, has_note=v.chance(2))


@kind
def notes_of_ours(v, path):
    m = Maker(v)
    directory(v, path, [m], m.comm(), [stream(v, [m.sample() + m.kernel(growing.LOST, "QQ", 77, 3) + m.sample()])], has_note=True)


# --- kinds: tracepoints ---

def trace_file(v, formats, symbols=b"", prints=b"", names=b""):
    out = v.text(b"\x17\x08\x44tracing", IN_HEAD) + v.text(b"0.6\0", IN_HEAD) + v.pack("BBI", 0, 8, 4096)
    for name in (b"header_page\0", b"header_event\0"):
        out += v.text(name) + v.pack("Q", 4) + b"text"
    out += v.pack("I", 1) + v.pack("Q", len(formats[0])) + formats[0]
    out += v.pack("I", 1) + v.text(b"sys\0") + v.pack("I", len(formats)) + b"".join(v.pack("Q", len(f)) + f for f in formats)
    return out + v.pack("I", len(symbols)) + symbols + v.pack("I", len(prints)) + prints + v.pack("Q", len(names)) + names


def trace_format(v):
    printed = v.random.choice((
        '"n=%d s=%s", REC->n, __get_str(s)', '"%s", __print_flags(REC->n, "|", {1, "A"}, {2, "B"})', '"%s", __print_symbolic(REC->n, {1, "A"}, {5, "B"})',
        '"%s", __print_hex(__get_dynamic_array(s), __get_dynamic_array_len(s))', '"%s", __print_array(__get_dynamic_array(s), 4, 1)',
        '"%p %pM %pI4", REC->n, REC->a, REC->a', '"%*d %.*s", REC->n, 5, REC->n, REC->a', '"%lx", (unsigned long)REC->n << 3 ? REC->n / 3 : -REC->n',
        '"%s", __get_rel_str(r)', '"%s", REC->a'))
    n = v.number
    text = f"name: e\nID: {n(1)}\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\tfield:int common_pid;\toffset:4;\tsize:{n(4)};\tsigned:1;\n\n"
    text += f"\tfield:int n;\toffset:{n(8)};\tsize:{n(4)};\tsigned:1;\n\tfield:__data_loc char[] s;\toffset:{n(12)};\tsize:{n(4)};\tsigned:0;\n"
    text += f"\tfield:char a[{n(8)}];\toffset:{n(16)};\tsize:{n(8)};\tsigned:0;\n\tfield:__rel_loc char[] r;\toffset:{n(24)};\tsize:{n(4)};\tsigned:0;\n"
    return v.text((text + f"\nprint fmt: {printed}\n").encode())


@kind
def tracepoints(v, path):
    m = Maker(v, d.USUAL | d.RAW, what=2, config=1)
    traced = trace_file(v, [trace_format(v)], v.text(b"ffffffff81000000 t name\n"), v.text(b'0xffffffff81000000 : "text %d"\n'), v.text(b"1 task\n"))
    raw = [v.pack("HHIIIQII", 1, 0, 1, 5, 4 << 16 | 32, 0x6162636465666768, 4 << 16 | 4, 0) + b"abc\0" for _ in range(4)]
    records = m.comm() + b"".join(m.sample(raw=r) for r in raw)
    made = {**features_of(v, [m]), growing.TRACING: traced}
    if v.chance(4):
        traced += bytes(-len(traced) % 8)
        del made[growing.TRACING]
        records = m.record(d.TRACING_DATA, v.pack("II", len(traced), 0)) + traced + records
        write(path, pipe(v, [m], records, made))
    else:
        write(path, file(v, [m], records, made))


# --- kinds: symbols ---

def section(v, name, what, flags, address, offset, size, link=0, info=0, entry=0):
    return v.pack("IIQQQQIIQQ", name, what, flags, address, offset, size, link, info, 8, entry)


def frames(v, is_debug):
    """Call frame information of two functions of 4 KiB."""
    def record(body):
        body += bytes(-len(body) % 8 + 4)
        return v.pack("I", len(body)) + body
    cie = v.pack("I", 2 ** 32 - 1 if is_debug else 0) + v.pack("B", 1) + (b"\0" if is_debug else v.text(b"zR\0")) + v.pack("BBB", 1, 0x78, 16)
    cie += (b"" if is_debug else v.pack("BB", 1, 3)) + v.pack("BBBBB", 12, 7, 8, 0x90, 1)
    out = record(cie)
    for i in range(2):
        program = v.pack("BBBBBB", 0x41, 14, 16, 0x86, 2, 10) + v.pack("BBBBBBB", 0x44, 13, 6, 11, 4, 1, 0) + v.pack("BBBBBB", 15, 3, 0x77, 8, 6, 0)
        where = v.pack("QQ", 0x1000 * (1 + i), 0x1000) if is_debug else v.pack("IIB", 0x1000 * (1 + i), 0x1000, 0)
        out += record(v.pack("I", 0 if is_debug else len(out) + 4) + where + program)
    return out + bytes(4)


def frame_header(v, at, frames_at):
    out = v.pack("BBBB", 1, 0x1b, 3, 0x3b) + v.pack("I", frames_at - at - 4) + v.pack("I", 2)
    return out + v.pack("IIII", 0x1000 - at, 0x8010 - at, 0x2000 - at, 0x8030 - at)


def module(v, build_id=BUILD_ID, more=None):
    """An ELF file: two functions, tables of symbols, unwinding, notes, a link to a debug file, sections that say they are compressed, and
    `more` by name: type, flags, address, bytes, linked section, bytes of an entry."""
    names, symbols = b"\0main\0work\0_ZN1a1bEv\0", b""
    for i, name in enumerate((0, 1, 6, 11)):
        symbols += v.pack("IBBHQQ", name, 0x12 if i else 0, 0, 1, 0x1000 * i, 0x1000)
    notes = v.pack("III", 4, 20, 3) + b"GNU\0" + build_id
    packed = v.pack("IIQQ", v.random.choice((1, 2)), 0, 64, 1) + d.ZSTD_BEGIN + v.pack("I", 64 << 3 | 1)[:3] + bytes(64)
    contents = {
        ".text": (1, 6, 0x1000, bytes(64), 0, 0), ".symtab": (2, 0, 0, symbols, 3, 24), ".strtab": (3, 0, 0, v.text(names), 0, 0),
        ".dynsym": (11, 2, 0x300, symbols, 3, 24), ".plt": (1, 6, 0x7000, bytes(64), 0, 16), ".rela.plt": (4, 2, 0x400, v.pack("QQQ", 0, 1 << 32 | 7, 0), 4, 24),
        ".note.gnu.build-id": (7, 2, 0x200, notes, 0, 0), ".eh_frame": (1, 2, 0x8000, frames(v, False), 0, 0),
        ".eh_frame_hdr": (1, 2, 0x9000, frame_header(v, 0x9000, 0x8000), 0, 0), ".debug_frame": (1, v.random.choice((0, 0, 0x800)), 0, frames(v, True), 0, 0),
        ".gnu_debuglink": (1, 0, 0, v.text(b"a.debug\0") + v.pack("I", 5), 0, 0), ".gnu_debugaltlink": (1, 0, 0, v.text(b"/none/a.dwz\0") + build_id, 0, 0),
        ".debug_line": (1, 0x800, 0, packed, 0, 0), ".debug_info": (1, 0, 0, v.pack("IHBBIQ", 20, 5, 1, 8, 0, 0) + bytes(8), 0, 0),
        ".debug_abbrev": (1, 0, 0, v.pack("BBBBBB", 1, 0x11, 0, 0, 0, 0), 0, 0), ".gnu_debugdata": (1, 0, 0, b"\xfd7zXZ\0" + v.pack("QQ", 4, 5), 0, 0)}
    contents.update(more or {})
    text, at, table = b"\0", 64 + 3 * 56, [section(v, 0, 0, 0, 0, 0, 0)]
    body = b""
    for name, (what, flags, address, data, link, size) in contents.items():
        table.append(section(v, len(text), what, flags, address, at + len(body), len(data), link, 0, size))
        text += name.encode() + b"\0"
        body += data + bytes(-len(data) % 8)
    table.append(section(v, 0, 3, 0, 0, at + len(body), len(text)))
    body += text + bytes(-len(text) % 8)
    head = b"\x7fELF" + v.pack("BBB", 2, 1, 1) + bytes(9)
    head += v.pack("HHIQQQIHHHHHH", 3, 62, 1, 0x1000, 64, at + len(body), 0, 64, 56, 3, 64, len(table), len(table) - 1)
    segments = v.pack("IIQQQQQQ", 1, 5, 0, 0, 0, 0xa000, 0xa000, 4096) + v.pack("IIQQQQQQ", 4, 4, at, 0x200, 0, len(notes), len(notes), 4)
    segments += v.pack("IIQQQQQQ", 0x6474e550, 4, at, 0x9000, 0, 64, 64, 4)
    return head + segments + body + b"".join(table)


def patched(v, data):
    """A real ELF file, with the same bytes but for what the headers of its sections and segments say."""
    out = bytearray(data)
    places = [(16, "H"), (24, "Q"), (32, "Q"), (40, "Q"), (54, "H"), (56, "H"), (58, "H"), (60, "H"), (62, "H")]
    for count, at, size, form in ((56, 32, 56, "IIQQQQQQ"), (60, 40, 64, "IIQQQQIIQQ")):
        nr, begin = struct.unpack_from("<H", data, count)[0], struct.unpack_from("<Q", data, at)[0]
        for i in range(nr):
            where = begin + i * size
            for letter in form:
                places.append((where, letter))
                where += struct.calcsize(letter)
    for at, letter in places:
        if at + 8 <= len(out):
            struct.pack_into("<" + letter, out, at, v.number(struct.unpack_from("<" + letter, data, at)[0], 8 * struct.calcsize(letter)))
    return bytes(out)


def unwound(v, path, data, is_file=False):
    m = Maker(v, d.USUAL | d.CALLCHAIN | d.REGS_USER | d.STACK_USER, stack=256)
    object_path = path + ".object"
    write(object_path, data)
    records = m.comm() + m.mapped(object_path, BASE, 0xa000) + b"".join(m.sample(BASE + 0x1000 + 0x400 * i) for i in range(6))
    symbols = {BUILD_ID.hex() + ".elf": data, BUILD_ID.hex() + ".debug": data}
    if not is_file and v.chance(2):
        records = m.comm() + m.mapped("/none/a", BASE, 0xa000, build_id=BUILD_ID) + b"".join(m.sample(BASE + 0x1000 + 0x400 * i) for i in range(6))
        directory(v, path, [m], b"", [records], symbols=symbols)
    else:
        write(path, file(v, [m], records))


@kind
def modules(v, path):
    unwound(v, path, module(v))


@kind
def real_modules(v, path):
    name = v.random.choice(("deep_calls", "inlined_calls", "landing_pads"))
    with open(os.path.join(os.environ.get("abs_builddir", "."), "tests/programs", name), "rb") as f:
        unwound(v, path, patched(v, f.read()))


@kind
def stacks(v, path):
    """Sound code, odd registers and stacks."""
    silent = Values(5)
    unwound(v, path, module(silent))


def jit_records(v):
    def record(what, body, time):
        return v.pack("IIQ", what, 16 + len(body), time) + body
    for i in range(5):
        lines = v.pack("QQ", BASE + 256 * i, 2) + b"".join(v.pack("QII", BASE + 256 * i + k, 10 + k, 0) + v.text(b"a.c\0" if k == 0 else b"\xff\0") for k in range(2))
        rules = frames(v, False)
        yield record(2, lines, i) + record(4, v.pack("QQQ", len(rules) + 20, 20, len(rules) + 20) + rules + frame_header(v, 0, 0)[:20], i)
        yield record(0, v.pack("IIQQQQ", 1, 1, BASE + 256 * i, BASE + 256 * i, 64, i) + v.text(b"jitted%d\0" % i) + bytes(64), i)
    yield record(1, v.pack("IIQQQQQ", 1, 1, BASE + 256, BASE, BASE + 4096, 64, 1), 1500) + record(3, b"", 2000) + record(9, bytes(8), 2001)


@kind
def jitdumps(v, path):
    m = Maker(v, d.USUAL | d.CALLCHAIN | d.REGS_USER | d.STACK_USER, flags=d.FLAG_SAMPLE_ID_ALL | 1 << 25, stack=256)
    m.clock = 1
    dump = v.pack("IIIIIIQQ", 0x4A695444, 1, 40, 62, 0, 1, 0, 0) + b"".join(jit_records(v))
    records = m.comm() + m.mapped("/x/jit-1.dump", BASE - 4096, 4096) + m.mapped("//anon", BASE, 0x10000)
    samples = b"".join(m.sample(BASE + 256 * i + 1) for i in range(5)) + m.fork(2, 1) + m.sample(BASE + 1, 2) + m.sample(BASE + 4097)
    directory(v, path, [m], records, [samples], symbols={"jit-1.dump": dump})


def lines(v, rows):
    """Text of hexadecimal numbers and a name each."""
    return b"".join(b"%x %x " % (v.number(a), v.number(b)) + v.text(name) + b"\n" for a, b, name in rows)


@kind
def perf_maps(v, path):
    m = Maker(v)
    text = lines(v, [(BASE + 64 * i, 64, b"jitted %d" % i) for i in range(12)])
    records = m.comm() + m.mapped("//anon", BASE, 4096) + b"".join(m.sample(BASE + 64 * i + 5) for i in range(12))
    directory(v, path, [m], b"", [records], symbols={"perf-1.map": text})


@kind
def kernel_symbols(v, path):
    m = Maker(v, d.USUAL | d.CALLCHAIN)
    rows = [(KERNEL_BASE + 64 * i, b"T " + (b"name%d" % i if i else b"_text") + (b"\t[module]" if i > 6 else b"")) for i in range(12)]
    text = b"".join(b"%x " % v.number(a) + v.text(rest) + b"\n" for a, rest in rows)
    made = {growing.BUILD_IDS: build_id_record(v, "[kernel.kallsyms]", misc=1)}
    records = m.kernel_map() + b"".join(m.sample(KERNEL_BASE + 64 * i + 5, misc=1) for i in range(12))
    directory(v, path, [m], records, [], made, symbols={BUILD_ID.hex() + ".kallsyms": text})


@kind
def copied_code(v, path):
    m = Maker(v)
    object_path = path + ".object"
    write(object_path, module(Values(5)))
    records = m.comm() + m.mapped(object_path, BASE, 0x4000) + m.mapped("//anon", BASE + 0x1000, 0x1000) + m.sample(BASE + 0x1010)
    records += m.mapped("//anon", BASE + 0x1800, 0x2000) + m.sample(BASE + 0x1810) + m.mapped("/memfd:x (deleted)", BASE, 0x2000) + m.sample() + m.sample(BASE + 0x1010)
    write(path, file(v, [m], records))


# --- making ---

def spoiled(v, path):
    """Sometimes a file is cut as well."""
    if v.other.randrange(12) or not os.path.isfile(path):
        return
    size = os.path.getsize(path)
    os.truncate(path, v.other.randrange(size + 1))
    v.told.append(f"cut to {os.path.getsize(path)} of {size} bytes")


def make(number, folder):
    names = list(KINDS)
    name = names[number % len(names)]
    counted, path = Values(number), os.path.join(folder, f"{name}.{number}")
    KINDS[name](counted, path)
    clean(path)
    choice = random.Random(number)
    nr = choice.choice((1, 1, 2, 3, 4))
    v = Values(number, set(choice.choices(range(len(counted.weights)), counted.weights, k=nr)))
    KINDS[name](v, path)
    spoiled(v, path)
    return path, "; ".join(v.told)


def clean(path):
    for suffix in ("", ".object", ".text", ".error", ".repaired"):
        growing.remove(path + suffix)


COMMANDS = {
    "report": "report -j 3 -i IN", "callers": "report -j 1 -g -s comm,pid,tid,dso,sym,srcline,cpu -i IN", "graph": "report -j 1 -g fractal,0.1,callee,address -G -i IN",
    "lines": "report -j 1 --inline -s dso,sym,srcfile -g caller -i IN", "places": "report -j 1 -s socket,node,time,event,host --time-quantum 1us -i IN",
    "cgroups": "report -j 1 -s cgroup,comm,srcline -i IN", "fields": "report -j 1 -s trace --raw-trace -i IN",
    "nested": "report -j 1 --hierarchy --group -s comm,dso,sym -n --show-total-period -i IN", "json": "report -j 1 --json -g -i IN", "little": "report -j 1 --mem-limit=16M -g -i IN",
    "dump": "report -j 1 -D -i IN", "stats": "report -j 1 --stats -i IN", "tasks": "report -j 1 --tasks -i IN", "maps": "report -j 1 --mmaps -i IN", "loss": "report -j 1 --loss -i IN",
    "loss in JSON": "report -j 1 --loss --json -i IN", "header": "report -j 1 --header-only -i IN", "symbols": "report -j 1 --explain-symbols -i IN", "libdw": "report -j 1 --unwind both -g -i IN",
    "script": "script --header -F +srcline,+addr,+period -i IN", "events": "script --ns --show-task-events --show-mmap-events --show-switch-events "
    "--show-namespace-events --show-cgroup-events --show-lost-events --show-bpf-events --inline -i IN", "selected": "script --time 10%-90% --tid 1 -C 0 --reltime -i IN",
    "check": "check IN", "findings": "check --json IN", "repair": "check -j 1 -q --repair=OUT IN", "merge": "merge -j 1 -o OUT IN", "single": "merge --single -o OUT IN", "copy": "export --format=perf.data -o OUT IN",
    "compact": "compact -j 1 -o OUT IN", "archive": "archive -j 1 --lines IN",
    "folded": "export --format=folded --inline --annotate -j 1 -o OUT IN", "svg": "report -j 1 --svg=OUT -i IN"}
if firefox_file.is_built():
    COMMANDS["firefox"] = "export --format=firefox --inline -j 1 -o OUT IN"
    COMMANDS["speedscope"] = "export --format=speedscope --inline -j 1 -o OUT IN"
    COMMANDS["chrome"] = "export --format=chrome --inline -j 1 -o OUT IN"
if pprof_file.is_built():
    COMMANDS["pprof"] = "export --format=pprof --inline -j 1 -o OUT IN"


# --- what commands do with them ---

def limit(pid):
    """Of a process that runs: with a preexec_fn its start would be a fork() of this one, which takes longer than the command."""
    resource.prlimit(pid, resource.RLIMIT_CPU, (SECONDS_MAX, SECONDS_MAX))
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (TEXT_MAX, TEXT_MAX))


def environment(folder):
    """Reports of sanitizers come with the messages, and of freed memory little is kept."""
    options = ":log_path=stderr:quarantine_size_mb=8:allocator_may_return_null=1"
    return {**os.environ, "HOME": folder, **{name: os.environ.get(name, "") + options for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS")}}


def complaint(command, path):
    """What is wrong with how a command ends; empty: nothing."""
    words = [word.replace("OUT", path + ".out") if "OUT" in word else path if word == "IN" else word for word in command.split()]
    with open(path + ".text", "wb") as out, open(path + ".error", "w+b") as err:
        process = subprocess.Popen([tap.TSTREAM, *words], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   env=environment(os.path.dirname(path)))
        limit(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        said = err.read().decode(errors="replace")
    growing.remove(path + ".out")
    if any(word in said for word in REPORTS):
        return said[:3000]
    if process.returncode not in (0, 1, 2):
        return f"status {process.returncode} after {usage.ru_utime + usage.ru_stime:.1f} s: {said[-300:]}"
    if process.returncode and not said.strip() and not (command.startswith("check") and os.path.getsize(path + ".text")):
        return "fails without a sentence"
    return f"{usage.ru_maxrss >> 10} MiB" if usage.ru_maxrss << 10 > BYTES_MAX else ""


def commands_of(number, with_sanitizers):
    """Names of a fourth of the commands, those that read a capture of this number in a build with sanitizers, or of the others. Kinds
    take turns: each command reads several of them in either build."""
    return [name for i, name in enumerate(COMMANDS) if ((i + number + number // len(COMMANDS)) % 4 == 0) == with_sanitizers]


def put_through(number, names=tuple(COMMANDS)):
    path, what = make(number, tap.scratch)
    told = {name: wrong for name in names if (wrong := complaint(COMMANDS[name], path))}
    tap.ok(not told, f"crafted capture {number}", f"{what}\n" + "\n".join(f"{name}: {wrong}" for name, wrong in told.items()))
    clean(path)
