# SPDX-License-Identifier: Apache-2.0
"""A perf.data file with samples of one's own, and a program that they were taken in.

    program = perf_file.Program(path, ["main", "work"])     functions of 256 bytes each
    made = perf_file.PerfFile()
    made.thread(10, 11, "name")
    made.map(10, program)
    made.sample(10, 11, time_ns, [program.at("work", 4), program.at("main", 20)], period=3, cpu=0)
    made.lost(7, time_ns)
    made.map_kernel(start, size, text, build_id)            _text was there; samples: made.sample(..., misc=perf_file.MISC_KERNEL)
    made.write(path)

Nothing depends on the machine: two files of the same calls are the same.
"""
import struct

BASE = 0x10000000  # where programs are mapped, one after the other
SPAN = 0x100000
FUNCTION = 0x100
TEXT = 0x1000  # offset and address of the first function
CONTEXT_USER, CONTEXT_KERNEL = 2 ** 64 - 512, 2 ** 64 - 128
IP, TID, TIME, CALLCHAIN, CPU, PERIOD, RAW, IDENTIFIER = 1, 2, 4, 1 << 5, 1 << 7, 1 << 8, 1 << 10, 1 << 16
EXCLUDE_KERNEL, SAMPLE_ID_ALL, EXCLUDE_GUEST, BUILD_ID = 1 << 5, 1 << 18, 1 << 20, 1 << 34
MISC_USER, MISC_KERNEL, MISC_BUILD_ID = 2, 1, 1 << 14
KERNEL_PID = 2 ** 32 - 1
FIRST_ID = 501
CLOCKS = (1, 0), (1, 1), (1, 3)  # type and config: cpu-clock, task-clock, context-switches
TRACING_DATA, EVENT_DESC, GROUP_DESC = 1, 12, 17
ATTR_BYTES = 112


def _section(name, kind, flags, offset, size, link=0, entry=0, base=0):
    address = base + offset if flags else 0
    return struct.pack("<IIQQQQIIQQ", name, kind, flags, address, offset, size, link, 1, 16, entry)


class Program:
    """An ELF file that has nothing but a table of symbols, for where samples are; linked for a base, with a build-id if it is
    given one, and a symbol where the functions begin if that has a name."""

    _next = 0

    def __init__(self, path, functions, base=0, build_id=b"", begin=""):
        self.path, self.functions = path, functions
        self.start = BASE + Program._next * SPAN
        Program._next += 1
        text_bytes = FUNCTION * len(functions)
        names, symbols = bytearray(1), bytearray(24)  # which grow in place
        for i, name in enumerate(functions):
            symbols += struct.pack("<IBBHQQ", len(names), 0x12, 0, 1, base + TEXT + i * FUNCTION, FUNCTION)
            names += name.encode() + b"\0"
        if begin:
            symbols += struct.pack("<IBBHQQ", len(names), 0x10, 0, 1, base + TEXT, 0)
            names += begin.encode() + b"\0"
        note = struct.pack("<III4s", 4, len(build_id), 3, b"GNU") + build_id if build_id else b""
        names += bytes(-len(names) % 8)
        titles = b"\0.text\0.symtab\0.strtab\0.shstrtab\0.note\0"
        at = TEXT + text_bytes
        sections = [bytes(64), _section(1, 1, 6, TEXT, text_bytes, base=base), _section(7, 2, 0, at, len(symbols), 3, 24)]
        sections.append(_section(15, 3, 0, at + len(symbols), len(names)))
        sections.append(_section(23, 3, 0, at + len(symbols) + len(names), len(titles)))
        titles += bytes(-len(titles) % 8)
        sections.append(_section(33, 7, 0, at + len(symbols) + len(names) + len(titles), len(note)))
        body = bytes(text_bytes) + symbols + names + titles + note
        body += bytes(-len(body) % 8)
        head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, base + TEXT, 64, TEXT + len(body), 0, 64, 56, 1,
                                                         64, len(sections), 4)
        head += struct.pack("<IIQQQQQQ", 1, 5, 0, base, base, TEXT + text_bytes, TEXT + text_bytes, 0x1000)
        with open(path, "wb") as f:
            f.write(head + bytes(TEXT - len(head)) + body + b"".join(sections))

    def at(self, function, offset=0):
        return self.start + TEXT + self.functions.index(function) * FUNCTION + offset


def without_symbols(program):
    """The bytes of such a file, its table of symbols gone."""
    at = struct.unpack_from("<Q", program, 40)[0] + 2 * 64 + 4
    return program[:at] + struct.pack("<I", 1) + program[at + 4:]


class PerfFile:
    def __init__(self, nr_events=1, chains=True, groups=(), flags=0):
        """groups: of events, as (name, first, how many). flags: of all events, beside those that are always set;
        with EXCLUDE_KERNEL nobody reads the kernel's symbols, which takes longer than all the rest."""
        self.flags = flags
        self.records, self.groups = [], groups
        self.events = CLOCKS[:nr_events]
        self.features = {}  # by number: what the section says
        self.sample_type = IP | TID | TIME | CPU | PERIOD | IDENTIFIER | (CALLCHAIN if chains else 0)

    def _add(self, kind, misc, body, trailer=b""):
        self.records.append(struct.pack("<IHH", kind, misc, 8 + len(body) + len(trailer)) + body + trailer)

    @staticmethod
    def _trailer(pid, tid, time_ns):
        return struct.pack("<IIQIIQ", pid, tid, time_ns, 0, 0, FIRST_ID)

    @staticmethod
    def _name(text):
        raw = text.encode() + b"\0"
        return raw + bytes(-len(raw) % 8)

    def thread(self, pid, tid, comm, time_ns=0):
        self._add(3, 0, struct.pack("<II", pid, tid) + self._name(comm), self._trailer(pid, tid, time_ns))

    def map(self, pid, program, time_ns=0, build_id=b""):
        which = struct.pack("<BBH20s", len(build_id), 0, 0, build_id) if build_id else bytes(24)
        body = struct.pack("<IIQQQ", pid, pid, program.start, SPAN, 0) + which + struct.pack("<II", 5, 2)
        self._add(10, MISC_USER | (MISC_BUILD_ID if build_id else 0), body + self._name(program.path), self._trailer(pid, pid, time_ns))

    def map_kernel(self, start, size, text, build_id=b"", time_ns=0):
        """_text was at `text`."""
        which = struct.pack("<BBH20s", len(build_id), 0, 0, build_id) if build_id else bytes(24)
        body = struct.pack("<IIQQQ", KERNEL_PID, 0, start, size, text) + which + struct.pack("<II", 5, 2)
        self._add(10, MISC_KERNEL | (MISC_BUILD_ID if build_id else 0), body + self._name("[kernel.kallsyms]_text"),
                  self._trailer(0, 0, time_ns))

    def lost(self, nr, time_ns, event=0):
        self._add(2, 0, struct.pack("<QQ", FIRST_ID + event, nr), self._trailer(0, 0, time_ns))

    def sample(self, pid, tid, time_ns, chain, period=1, cpu=0, event=0, misc=MISC_USER, raw=b""):
        """chain: the sampled address first, then those of its callers. raw: what the event itself says, if it says something."""
        body = struct.pack("<QQIIQIIQ", FIRST_ID + event, chain[0], pid, tid, time_ns, cpu, 0, period)
        if self.sample_type & CALLCHAIN:
            context = CONTEXT_USER if misc == MISC_USER else CONTEXT_KERNEL
            body += struct.pack(f"<Q{len(chain) + 1}Q", len(chain) + 1, context, *chain)
        if self.sample_type & RAW:
            raw += bytes(-(len(raw) + 4) % 8)
            body += struct.pack("<I", len(raw)) + raw
        self._add(9, misc, body)

    def _attr(self, event):
        kind, config = self.events[event]
        return struct.pack("<IIQQQQQIIQQQQIiQIHH", kind, ATTR_BYTES, config, 1, self.sample_type, 0,
                           SAMPLE_ID_ALL | EXCLUDE_GUEST | self.flags, 0, 0, 0, 0, 0, 0, 0,
                           0, 0, 0, 0, 0)

    @staticmethod
    def _text(text):
        raw = text.encode() + b"\0"
        raw += bytes(-len(raw) % 64)
        return struct.pack("<I", len(raw)) + raw

    def name_events(self, names):
        said = struct.pack("<II", len(names), ATTR_BYTES)
        for i, name in enumerate(names):
            said += self._attr(i) + struct.pack("<I", 1) + self._text(name) + struct.pack("<Q", FIRST_ID + i)
        self.features[EVENT_DESC] = said

    def _group_desc(self):
        said = (self._text(name) + struct.pack("<II", first, nr) for name, first, nr in self.groups)
        return struct.pack("<I", len(self.groups)) + b"".join(said)

    def _features(self, at):
        """The table of features, and what they say."""
        said = [self.features[number] for number in sorted(self.features)]
        table, at = b"", at + 16 * len(said)
        for text in said:
            table += struct.pack("<QQ", at, len(text))
            at += len(text)
        return table + b"".join(said)

    def write(self, path):
        ids_at, attrs, nr = 104, b"", len(self.events)
        ids = b"".join(struct.pack("<Q", FIRST_ID + i) for i in range(nr))
        for i in range(nr):
            attrs += self._attr(i) + struct.pack("<QQ", ids_at + 8 * i, 8)
        data = b"".join(self.records)
        attrs_at = ids_at + len(ids)
        if self.groups:
            self.features[GROUP_DESC] = self._group_desc()
        features = self._features(attrs_at + len(attrs) + len(data))
        head = b"PERFILE2" + struct.pack("<12Q", 104, 128, attrs_at, len(attrs), attrs_at + len(attrs), len(data), 0, 0,
                                         sum(1 << number for number in self.features), 0, 0, 0)
        with open(path, "wb") as f:
            f.write(head + ids + attrs + data + features)
