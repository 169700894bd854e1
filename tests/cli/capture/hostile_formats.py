#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A capture brings the formats of its tracepoints with it; what they say of payloads need not be so. Nothing outside a payload is
read, and no column is as wide as a format claims."""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import dialect  # noqa: E402
import tap  # noqa: E402

ID, PAGE = 42, 4096
TYPE_TRACEPOINT, FEATURE_TRACING_DATA = 2, 1
HEAD = f"""name: odd
ID: {ID}
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

"""
PAYLOAD = struct.pack("<HHII", ID, 0, 500, 8) + b"hi\0\0"
MOST_TEXT = 100_000


class Tracepoint(dialect.Event):
    def attr(self):
        return struct.pack("<I", TYPE_TRACEPOINT) + super().attr()[4:]


def tracing_data(text):
    data = bytes([23, 8, 68]) + b"tracing0.6\0" + bytes([0, 8]) + struct.pack("<I", PAGE)
    data += b"header_page\0" + struct.pack("<Q", 0) + b"header_event\0" + struct.pack("<Q", 0)
    data += struct.pack("<II", 0, 1) + b"sched\0" + struct.pack("<IQ", 1, len(text)) + text + struct.pack("<IIQ", 0, 0, 0)
    return data + bytes(-len(data) % 8)


def make(name, fields, printed):
    event = Tracepoint(dialect.USUAL | dialect.RAW, config=ID, name="sched:odd")
    features = dialect.usual_features([event])
    features[FEATURE_TRACING_DATA] = tracing_data(f"{HEAD}{fields}\nprint fmt: {printed}\n".encode())
    raw = PAYLOAD + bytes(-(len(PAYLOAD) + 4) % 8)
    records = event.comm() + event.mmap()
    for i in range(3):
        records += event.sample(0x401000, 1000000 + i * 1000, raw=struct.pack("<I", len(raw)) + raw)
    with open(tap.path(name), "wb") as f:
        f.write(dialect.file([event], records, features))
    return tap.path(name)


for name, field, printed, wanted in (
        ("sound", "field:__data_loc char[] s;\toffset:8;\tsize:4;", '"s=%d", REC->common_pid', "s=500"),
        ("a field far behind", "field:unsigned long s;\toffset:1879048192;\tsize:8;", '"s=%lx", REC->s', None),
        ("a text of a gigabyte", "field:char s[1000000000];\toffset:8;\tsize:1000000000;", '"s=%s", REC->s', None),
        ("a wide column", "field:char s[100000000];\toffset:8;\tsize:100000000;", '"x"', None),
        ("a width of the sample", "field:int s;\toffset:11;\tsize:4;", '"s=%*d", REC->s, REC->s', "s="),
        ("a division by a constant", "field:int s;\toffset:4;\tsize:4;", '"s=%d", REC->s / 5', "s=100"),
        ("a division by 0", "field:int s;\toffset:4;\tsize:4;", '"s=%d", 5 / 0', None),
        ("a division by what is 0", "field:short s;\toffset:2;\tsize:2;", '"s=%d", 5 % REC->s', None),
        ("a text without an end", "field:char s[8];\toffset:8;\tsize:8;", '"s=%s", REC->s', "s="),
        ("a place behind the payload", "field:__data_loc char[] s;\toffset:12;\tsize:4;", '"s=%s", __get_str(s)', None)):
    capture = make(name.replace(" ", "-"), f"\t{field}\tsigned:0;\n", printed)
    for command in (["script"], ["report", "-s", "trace"], ["report", "-s", "trace", "--raw-trace"], ["report", "-s", "trace", "--json"],
                    ["report", "-s", "s"], ["script", "-F", "comm,trace"]):
        result = tap.run(tap.TSTREAM, *command, "-i", capture)
        tap.ok(result.status in (0, 2) and len(result.out) < MOST_TEXT, f"{name}: {' '.join(command)}",
               f"{result.status} {len(result.out)} {result.err}")
        if wanted and command == ["script"]:
            tap.equal(result.out.count(wanted), 3, f"{name}: is printed")
tap.done()
