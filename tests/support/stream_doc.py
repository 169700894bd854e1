# SPDX-License-Identifier: Apache-2.0
"""Decodes streams by docs/format.md alone: every offset, size and magic comes from its tables."""
import os
import re

from xxh3 import xxh3_64

ROOT = os.environ.get("abs_srcdir", ".")
ALL_BITS = (1 << 64) - 1


class Bad(Exception):
    pass


def sections():
    """heading -> lines of docs/format.md"""
    found, name = {}, ""
    with open(os.path.join(ROOT, "docs/format.md"), encoding="utf-8") as doc:
        for line in doc:
            if line.startswith("#"):
                name = line.strip("# \n")
            found.setdefault(name, []).append(line.rstrip("\n"))
    return found


DOC = sections()


def rows(heading):
    for line in DOC[heading]:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and not set(line) <= set("|-") and len(cells) >= 2:
            yield cells


def fields(heading):
    """name -> (offset, size)"""
    return {c[2]: (int(c[0]), int(c[1])) for c in rows(heading) if c[0].isdigit() and c[1]}


HEAD = fields("Common head")
CHUNK = fields("Chunk header")
INDEX = fields("Index record")
ENTRY = fields("Index entry")
FOOTER = fields("Footer")
MAGIC = {bytes.fromhex(c[1]): c[0] for c in rows("Magics") if re.match("[0-9a-f]{2} ", c[1])}


def number(data, at, size):
    return int.from_bytes(data[at:at + size], "little")


def decode(data, at, *tables):
    return {name: number(data, at + offset, size)
            for table in tables for name, (offset, size) in table.items()}


def example():
    """The bytes that the document shows, `*` being lines of zero bytes."""
    out, skipping = bytearray(), False
    for line in DOC["Example"]:
        text = line.strip()
        if text == "*":
            skipping = True
            continue
        shown = re.match(r"([0-9a-f]{8})(?:  ((?:[0-9a-f]{2} +){16})\|)?", text)
        if not shown or not line.startswith("    "):
            continue
        at = int(shown[1], 16)
        if skipping:
            out.extend(bytes(at - len(out)))
            skipping = False
        if at != len(out):
            raise Bad(f"the example has a gap at {at:#x}")
        out.extend(bytes.fromhex(shown[2] or ""))
    return bytes(out)


def check_head(data, at, head):
    if head["size"] > len(data) - at:
        raise Bad(f"record at {at}: beyond the end")
    record = bytearray(data[at:at + head["size"]])
    offset, size = HEAD["checksum"]
    record[offset:offset + size] = bytes(size)
    if xxh3_64(bytes(record)) != head["checksum"]:
        raise Bad(f"record at {at}: its checksum is wrong")
    if head["major"] != 1 or head["offset"] != at:
        raise Bad(f"record at {at}: version {head['major']}, offset {head['offset']}")


def check_size(data, at, head):
    left = len(data) - at
    if left < 8 or head["size"] < 8 or head["size"] % 8 or head["size"] > left:
        raise Bad(f"record at {at}: size {head['size']}, {left} bytes are left")


def entries_of(data, at, head):
    index = decode(data, at, INDEX)
    first = at + INDEX["first_seq"][0] + INDEX["first_seq"][1]
    return index, [decode(data, first + i * head["word"], ENTRY) for i in range(head["number"])]


def walk(data):
    """Yields (at, name, values) of every record; name is that of the magic, else `type N`."""
    at = 0
    while at < len(data):
        head = decode(data, at, HEAD)
        check_size(data, at, head)
        magic = data[at + HEAD["magic"][0]:at + HEAD["magic"][0] + 8]
        name, values = f"type {head['type']}", head
        if head["type"] == 65 and head["misc"] == 0x5453:
            name = "cover"
        elif head["type"] == 65:
            name = MAGIC.get(magic, "type 65 of nobody")
        if name in ("chunk header", "index", "footer"):
            check_head(data, at, head)
        if name == "chunk header":
            values = head | decode(data, at, CHUNK)
        elif name == "index":
            index, entries = entries_of(data, at, head)
            values = head | index | {"entries": entries}
        elif name == "footer":
            values = head | decode(data, at, FOOTER)
        yield at, name, values
        at += head["size"]


def payload(data, at, chunk):
    start = at + chunk["size"]
    return data[start:start + chunk["payload_bytes"]]
