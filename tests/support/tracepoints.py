# SPDX-License-Identifier: Apache-2.0
"""Samples of tracepoints in a perf.data file of one's own: of this kernel's formats or of made ones, with any payload.

    events = tracepoints.of_kernel()                            all that can be recorded
    event = tracepoints.Event("made", format_of("hello", 7, [("char name[16]", 8, 16, 0)], '"name=%s", REC->name'))
    made = tracepoints.TraceFile(events)
    made.trace(0, events[0].payload({"name": b"some text"}), time_ns)
    made.trace(1, events[1].payload(tracepoints.Content(seed, strings)), time_ns)
    made.write(path)

A payload has what the kernel would write: bytes where the format says, and behind them the bytes of dynamic fields.
"""
import glob
import os
import random
import re
import struct

import perf_file

TRACEFS = "/sys/kernel/tracing"
FIELD = re.compile(r"^\tfield:(.*?)(\w+)((?:\[[^;]*\])?);\toffset:(\d+);\tsize:(\d+);(?:\tsigned:(\d);)?$", re.M)
LENGTHS = (re.compile(r"__print_hex(?:_str)?\((?:REC->|__get_dynamic_array\()(?P<of>\w+)\)?, REC->(?P<length>\w+)\)"),
           re.compile(r"REC->(?P<length>\w+), (?:REC->\w+ \? )?__get_str\((?P<of>\w+)\)"))
KERNEL_ADDRESS = 0xffffffff81000000
PID, COMM = 10, "traced"


def _lines(fields):
    return "".join("\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n" % field for field in fields)


# perf takes the size of a long from it
HEADER_PAGE = _lines([("u64 timestamp", 0, 8, 0), ("local_t commit", 8, 8, 1), ("int overwrite", 8, 1, 1), ("char data", 16, 4080, 0)])


def format_of(name, number, fields, print_fmt):
    """fields: (declaration, offset, size, is signed), beside the common ones."""
    common = [("unsigned short common_type", 0, 2, 0), ("unsigned char common_flags", 2, 1, 0),
              ("unsigned char common_preempt_count", 3, 1, 0), ("int common_pid", 4, 4, 1)]
    return f"name: {name}\nID: {number}\nformat:\n{_lines(common)}\n{_lines(fields)}\nprint fmt: {print_fmt}\n"


class Field:
    def __init__(self, words, name, brackets, offset, size):
        self.type, self.name, self.offset, self.size = words.strip(), name, int(offset), int(size)
        self.is_dynamic = self.type.startswith(("__data_loc", "__rel_loc"))
        self.is_text = bool(re.fullmatch(r"(?:__\w+_loc )?(?:const )?char(?:\[\])?", self.type)) and bool(brackets or self.is_dynamic)
        self.is_array = bool(brackets) or self.is_dynamic
        self.is_pointer_to_text = self.type.endswith("char *") and not brackets


class Event:
    def __init__(self, system, text):
        self.text = text
        self.id = int(re.search(r"^ID: (\d+)$", text, re.M)[1])
        self.name = f"{system}:{re.match('name: (.*)', text)[1]}"
        head = text.split("print fmt:", 1)[0]
        self.fields = [Field(*found[:5]) for found in FIELD.findall(head)]
        assert len(self.fields) == head.count("field:"), text
        self.bytes = max(field.offset + field.size for field in self.fields)
        self.length_of = {found["length"]: found["of"] for form in LENGTHS[:1 + ("%.*s" in text)] for found in form.finditer(text)}

    def payload(self, values):
        """values: bytes by name, or called with a field; what is missing is 0."""
        of = values if callable(values) else lambda field: values.get(field.name, b"")
        raw, sizes = bytearray(self.bytes), {}
        for field in self.fields:
            value = struct.pack("<H", self.id) if field.name == "common_type" else of(field)
            sizes[field.name] = len(value) if field.is_dynamic else field.size
            if field.is_dynamic:
                base = field.offset + field.size if field.type.startswith("__rel") else 0
                value, raw = struct.pack("<HH", len(raw) - base, len(value)), raw + value
            raw[field.offset:field.offset + field.size] = value[:field.size].ljust(field.size, b"\0")
        for field in self.fields:
            if field.name in self.length_of:
                most = min(sizes.get(self.length_of[field.name], 0), 127)
                raw[field.offset:field.offset + field.size] = most.to_bytes(field.size, "little")
        return bytes(raw)


def of_kernel():
    """All events of this kernel that perf can record. perf itself makes those of ftrace, but for one."""
    events = []
    for path in sorted(glob.glob(f"{TRACEFS}/events/*/*/format")):
        system, name = path.split("/")[-3:-1]
        if system != "ftrace" or name == "function":
            with open(path) as f:
                events.append(Event(system, f.read()))
    return events


def printk_formats():
    with open(f"{TRACEFS}/printk_formats") as f:
        return f.read()


class Content:
    """What a kernel could write into a field, by chance: numbers small, large and negative, texts, addresses, arrays."""

    WORDS = "init sh kworker/0:1 a disk eth0 Plex_One x%d y=1 name".split()

    def __init__(self, seed, has_large_sizes=True):
        self.random = random.Random(seed)
        self.texts = [int(line.split()[0], 16) for line in printk_formats().splitlines()]
        self.has_large_sizes = has_large_sizes

    def _number(self, size):
        bits, chance = 8 * size, self.random
        value = chance.choice((0, 1 << chance.randrange(bits), (1 << bits) - chance.randrange(1, 40), chance.getrandbits(bits),
                               chance.randrange(16), chance.randrange(200)))
        return (value % (1 << bits)).to_bytes(size, "little")

    def _text(self):
        return f"{self.random.choice(self.WORDS)}{self.random.randrange(100)}".encode()

    def _array(self, field):
        if field.is_text:
            return self._text()[:field.size - 1]
        kinds = bytes(field.size), self.random.randbytes(field.size), b"\2\0" + self.random.randbytes(26), b"\n\0" + self.random.randbytes(26)
        return self.random.choice(kinds if field.size == 28 else kinds[:2])  # of that size are socket addresses

    def _dynamic(self, field):
        if field.is_text:
            return self._text() + b"\0"
        if "cpumask" in field.type:
            return self._number(8)
        size = {"u8": 1, "__u8": 1, "u64": 8, "long": 8}.get(re.search(r"(\w+)\[\]", field.type)[1], 4)
        return b"".join(self._number(size) for _ in range(self.random.randrange(5)))

    def __call__(self, field):
        if field.name.startswith("common_"):
            return self.random.randrange(100).to_bytes(field.size, "little")
        if field.is_dynamic:
            return self._dynamic(field)
        if field.is_array or field.size not in (1, 2, 4, 8):
            return self._array(field)
        if field.is_pointer_to_text and self.random.randrange(4):
            return self.random.choice(self.texts).to_bytes(8, "little")
        if not self.has_large_sizes and field.type in ("size_t", "ssize_t"):
            return self.random.randrange(1 << 31).to_bytes(field.size, "little")
        return self._number(field.size)


class TraceFile(perf_file.PerfFile):
    def __init__(self, events):
        super().__init__(chains=False, flags=perf_file.EXCLUDE_KERNEL)
        self.sample_type |= perf_file.RAW
        self.events = [(2, event.id) for event in events]
        self.name_events([event.name for event in events])
        self.features[perf_file.TRACING_DATA] = self._tracing_data(events)
        self.thread(PID, PID, COMM)

    @staticmethod
    def _tracing_data(events):
        def blob(text):
            return struct.pack("<Q", len(text)) + text.encode()

        systems = {}
        for event in events:
            systems.setdefault(event.name.split(":")[0], []).append(blob(event.text))
        ftrace, printk = systems.pop("ftrace", []), printk_formats() if os.access(TRACEFS, os.R_OK) else ""
        parts = [b"\x17\x08\x44tracing0.6\0", struct.pack("<BBI", 0, 8, 4096), b"header_page\0", blob(HEADER_PAGE), b"header_event\0",
                 blob("# none\n"), struct.pack("<I", len(ftrace)), *ftrace, struct.pack("<I", len(systems))]
        for system, formats in systems.items():
            parts += [system.encode() + b"\0", struct.pack("<I", len(formats)), *formats]
        said = b"".join([*parts, struct.pack("<II", 0, len(printk)), printk.encode(), blob("")])
        return said + bytes(-len(said) % 8)

    def trace(self, event, raw, time_ns):
        self.sample(PID, PID, time_ns, [KERNEL_ADDRESS], event=event, misc=perf_file.MISC_KERNEL, raw=raw)
