# SPDX-License-Identifier: Apache-2.0
"""perf.data files of other versions of perf, made by code: every sample_type, attrs of any size, pipes, compressed records.

Layouts: tools/perf/Documentation/perf.data-file-format.txt and include/uapi/linux/perf_event.h of the kernel tree. Everything is
little-endian unless `order` says ">".
"""
import ctypes
import struct

IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID, RAW, BRANCH_STACK, REGS_USER, STACK_USER, WEIGHT, DATA_SRC, \
    IDENTIFIER, TRANSACTION, REGS_INTR, PHYS_ADDR, AUX, CGROUP, DATA_PAGE_SIZE, CODE_PAGE_SIZE, WEIGHT_STRUCT = (1 << n for n in range(25))
USUAL = IDENTIFIER | IP | TID | TIME | CPU | PERIOD
FORMAT_ENABLED, FORMAT_RUNNING, FORMAT_ID, FORMAT_GROUP, FORMAT_LOST = (1 << n for n in range(5))
BRANCH_HW_INDEX, BRANCH_COUNTERS = 1 << 17, 1 << 19
FLAG_FREQ, FLAG_SAMPLE_ID_ALL, FLAG_DEFER = 1 << 10, 1 << 18, 1 << 38
MMAP, COMM, SAMPLE, MMAP2, AUX_OUTPUT_HW_ID, CALLCHAIN_DEFERRED = 1, 3, 9, 10, 21, 22
ATTR, TRACING_DATA, BUILD_ID, ROUND, AUXTRACE_INFO, AUXTRACE, EVENT_UPDATE, FEATURE, COMPRESSED, INIT, COMPRESSED2, BPF_METADATA = \
    64, 66, 67, 68, 70, 71, 78, 80, 81, 82, 83, 84
HOSTNAME, NRCPUS, EVENT_DESC, FEAT_COMPRESSED = 3, 7, 12, 27


class Event:
    """An attr with name and ids; `tail` are bytes of it behind those that are known."""

    def __init__(self, sample_type=USUAL, size=120, ids=(77,), name="cpu-clock", config=0, read_format=0, flags=FLAG_SAMPLE_ID_ALL,
                 branches=0, regs=0, tail=b"", order="<"):
        self.sample_type, self.size, self.ids, self.name, self.config = sample_type, size, list(ids), name, config
        self.read_format, self.flags, self.branches, self.regs, self.tail, self.order = read_format, flags, branches, regs, tail, order

    def attr(self):
        known = struct.pack(self.order + "IIQQQQQIIQQQQIiQIHHIIQQQ", 1, self.size, self.config, 1, self.sample_type, self.read_format,
                            self.flags, 0, 0, 0, 0, self.branches, self.regs, 64, 0, self.regs, 0, 0, 0, 0, 0, 0, 0, 0)
        known = (known + bytes(4096))[:self.size - len(self.tail)]
        return known + self.tail

    def trailer(self, pid=500, time=0, cpu=0):
        """The identification at the end of every record that is no sample."""
        if not self.flags & FLAG_SAMPLE_ID_ALL:
            return b""
        if self.sample_type == USUAL:
            return struct.pack(self.order + "IIQIIQ", pid, pid, time, cpu, 0, self.id())
        parts = ((TID, struct.pack(self.order + "II", pid, pid)), (TIME, self.u64(time)), (ID, self.u64(self.id())), (STREAM_ID, self.u64(0)),
                 (CPU, struct.pack(self.order + "II", cpu, 0)), (IDENTIFIER, self.u64(self.id())))
        return b"".join(data for bit, data in parts if self.sample_type & bit)

    def id(self):
        return self.ids[0] if self.ids else 0

    def u64(self, *values):
        return struct.pack(self.order + "Q" * len(values), *values)

    def record(self, kind, body, misc=0, size=None):
        return struct.pack(self.order + "IHH", kind, misc, size or 8 + len(body)) + body

    # --- records ---

    def comm(self, name="task", pid=500, time=0):
        return self.record(COMM, struct.pack(self.order + "II", pid, pid) + name.encode().ljust(16, b"\0") + self.trailer(pid, time))

    def mmap(self, path="/none/program", pid=500, start=0x400000, length=0x100000, time=0, major=0, misc=2):
        body = struct.pack(self.order + "IIQQQIIQQII", pid, pid, start, length, 0, major, 0, 0, 0, 5, 2)
        return self.record(MMAP2, body + path.encode().ljust(32, b"\0") + self.trailer(pid, time), misc)

    def sample(self, ip, time, pid=500, cpu=0, period=1, identity=None, **more):
        """`more` are fields that are more than a number, by name, as bytes."""
        t, order = self.sample_type, self.order
        identity = self.id() if identity is None else identity
        if t == USUAL and not more:  # as most are: fields that are not there cost nothing
            return struct.pack(order + "IHHQQIIQIIQ", SAMPLE, 2, 56, identity, ip, pid, pid, time, cpu, 0, period)
        numbers = {"weight": WEIGHT | WEIGHT_STRUCT, "data_src": DATA_SRC, "transaction": TRANSACTION}
        later = {"phys_addr": PHYS_ADDR, "cgroup": CGROUP, "data_page_size": DATA_PAGE_SIZE, "code_page_size": CODE_PAGE_SIZE}
        fields = [(IDENTIFIER, self.u64(identity)), (IP, self.u64(ip)), (TID, struct.pack(order + "II", pid, pid)), (TIME, self.u64(time)),
                  (ADDR, self.u64(more.get("addr", 0))), (ID, self.u64(identity)), (STREAM_ID, self.u64(0)),
                  (CPU, struct.pack(order + "II", cpu, 0)), (PERIOD, self.u64(period)), (READ, more.get("read", b"")),
                  (CALLCHAIN, self.u64(len(more.get("chain", ())), *more.get("chain", ()))), (RAW, more.get("raw", b"")),
                  (BRANCH_STACK, more.get("branches", b"")), (REGS_USER, more.get("regs", self.u64(0))),
                  (STACK_USER, more.get("stack", self.u64(0)))]
        fields += [(bit, self.u64(more.get(name, 0))) for name, bit in numbers.items()]
        fields += [(REGS_INTR, more.get("regs", self.u64(0)))]
        fields += [(bit, self.u64(more.get(name, 0))) for name, bit in later.items()]
        fields += [(AUX, more.get("aux", self.u64(0)))]
        return self.record(SAMPLE, b"".join(data for bit, data in fields if t & bit), 2)


def string(text):
    data = text.encode() + b"\0"
    data = data.ljust((len(data) + 63) // 64 * 64, b"\0")
    return struct.pack("<I", len(data)) + data


def description(events):
    """EVENT_DESC"""
    out = struct.pack("<II", len(events), events[0].size)
    for e in events:
        out += e.attr() + struct.pack("<I", len(e.ids)) + string(e.name) + e.u64(*e.ids)
    return out


def usual_features(events):
    return {HOSTNAME: string("host"), NRCPUS: struct.pack("<II", 4, 4), EVENT_DESC: description(events)}


def file(events, records, features=None, header_bytes=104, order="<"):
    """A perf.data file. `features` by bit; None: the usual ones."""
    features = usual_features(events) if features is None else features
    ids = b"".join(e.u64(*e.ids) for e in events)
    entries, at = b"", header_bytes
    for e in events:
        entries += e.attr() + struct.pack(order + "QQ", at, 8 * len(e.ids))
        at += 8 * len(e.ids)
    begin = header_bytes + len(ids) + len(entries)
    table = begin + len(records)
    bitmap = sum(1 << bit for bit in features)
    words = [bitmap >> 64 * n & (1 << 64) - 1 for n in range(4)]
    head = b"PERFILE2" if order == "<" else b"2ELIFREP"
    head += struct.pack(order + "14Q", header_bytes, events[0].size + 16, header_bytes + len(ids), len(entries), begin, len(records), 0, 0, *words,
                        0, 0)[:96]
    sections, payloads, at = b"", b"", table + 16 * len(features)
    for bit in sorted(features):
        sections += struct.pack(order + "QQ", at + len(payloads), len(features[bit]))
        payloads += features[bit]
    return head[:header_bytes].ljust(header_bytes, b"\0") + ids + entries + records + sections + payloads


def pipe(events, records, features=None):
    """What perf writes to a pipe."""
    features = usual_features(events) if features is None else features
    out = b"PERFILE2" + struct.pack("<Q", 16)
    for e in events:
        out += e.record(ATTR, e.attr() + e.u64(*e.ids))
    for bit in sorted(features):
        out += events[0].record(FEATURE, struct.pack("<Q", bit) + features[bit])
    return out + events[0].record(FEATURE, struct.pack("<Q", 32)) + records


# --- zstd, without compressing: one endless frame of raw blocks, as perf flushes it ---

ZSTD_BEGIN = struct.pack("<IBB", 0xfd2fb528, 0, 0x50)  # a window of 1 MiB, no content size


def raw_block(data):
    return struct.pack("<I", len(data) << 3)[:3] + data


def repeated_block(byte, times):
    """What makes a bomb: 4 bytes for up to 128 KiB."""
    return struct.pack("<I", times << 3 | 1 << 1)[:3] + bytes([byte])


def compressed(records, kind=COMPRESSED, piece=1000):
    """The records in compressed ones, `piece` bytes in each: they straddle."""
    out, head = b"", ZSTD_BEGIN
    for at in range(0, len(records), piece):
        data = head + raw_block(records[at:at + piece])
        head = b""
        if kind == COMPRESSED2:
            data = struct.pack("<Q", len(data)) + data
            data = data.ljust((len(data) + 7) // 8 * 8, b"\0")
        out += struct.pack("<IHH", kind, 0, 8 + len(data)) + data
    return out


def deflated(records, piece):
    """The same by libzstd, which shrinks them: an endless frame, flushed behind every `piece` bytes."""
    class Span(ctypes.Structure):
        _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t), ("at", ctypes.c_size_t)]
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_createCCtx.restype, zstd.ZSTD_compressStream2.restype = ctypes.c_void_p, ctypes.c_size_t
    context, out = ctypes.c_void_p(zstd.ZSTD_createCCtx()), []
    for at in range(0, len(records), piece):
        part, room = records[at:at + piece], ctypes.create_string_buffer(piece + 65536)
        given, made = Span(part, len(part), 0), Span(ctypes.cast(room, ctypes.c_char_p), len(room), 0)
        while zstd.ZSTD_compressStream2(context, ctypes.byref(made), ctypes.byref(given), 1):
            pass
        out.append(struct.pack("<IHH", COMPRESSED, 0, 8 + made.at) + room.raw[:made.at])
    zstd.ZSTD_freeCCtx(context)
    return b"".join(out)


def whole_frame(records):
    """A compressed record of a chunk of ours, which has a frame of its own."""
    zstd, room = ctypes.CDLL("libzstd.so.1"), ctypes.create_string_buffer(len(records) + 4096)
    zstd.ZSTD_compress.restype = ctypes.c_size_t
    size = zstd.ZSTD_compress(room, len(room), records, len(records), 3)
    frame = room.raw[:size]
    skipped = bytes(-len(frame) % 8)
    if skipped:
        frame = struct.pack("<II", 0x184d2a50, len(skipped)) + skipped + frame
    return struct.pack("<IHH", COMPRESSED, 0, 8 + len(frame)) + frame


def compressed_feature(mmap_len=528384):
    return struct.pack("<IIIII", 0, 1, 1, 1, mmap_len)
