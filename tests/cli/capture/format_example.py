#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/format.md is true: its example decodes by its own tables to what it says, the program lays
out the same bytes, and whole streams decode by the same tables."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import damage
import stream_doc as doc
import tap
from xxh3 import xxh3_64


def read(path):
    with open(path, "rb") as f:
        return f.read()


def said_value(values, word):
    """`name value` of the document's decoding, checked against what was decoded."""
    name, value = word.rsplit(" ", 1)
    if value == "bytes":
        name, value = "size", name
    names = {"ring": "number", "flags": "word"}
    got = values.get(name, values.get(names.get(name, ""), "absent"))
    return got == (doc.ALL_BITS if value == "none" else int(value)), f"{name}: {got}"


def check_said(at, name, values):
    says = {int(c[0], 16): c for c in doc.rows("Example") if c[0].startswith("0x")}
    if at not in says:
        return tap.ok(False, f"the document names the record at {at:#x}")
    _, said_name, text = says[at]
    wrong = "" if name == said_name.replace("sample", "type 9") else f"it is {name}"
    for part in text.split("; "):
        entry = part.startswith("entry: ")
        for word in part.removeprefix("entry: ").split(", "):
            good, got = said_value(values["entries"][0] if entry else values, word)
            wrong += "" if good else f" {got}"
    tap.ok(not wrong, f"{at:#06x} is what the document says", wrong)


def check_tables():
    tables = [doc.HEAD | doc.CHUNK, doc.HEAD | doc.INDEX, doc.ENTRY, doc.HEAD | doc.FOOTER]
    for table, name in zip(tables, ["chunk header", "index record", "index entry", "footer"]):
        at = 0
        for offset, size in sorted(table.values()):
            if offset != at:
                break
            at += size
        tap.ok(at == max(o + s for o, s in table.values()), f"the table of the {name} has no gap")


def check_example():
    shown = doc.example()
    records = list(doc.walk(shown))
    for at, name, values in records:
        check_said(at, name, values)
    tap.equal(len(records), sum(1 for c in doc.rows("Example") if c[0].startswith("0x")),
              "the document names every record of the example")
    chunk = records[0][2]
    tap.equal(xxh3_64(doc.payload(shown, 0, chunk)), chunk["payload_checksum"],
              "the payload of the example has the checksum of its header")
    where, _ = damage.lay("example")
    tap.ok(read(os.path.join(where, "data.0")) == shown, "tstream lays out the bytes of the example")


def index_chain(data):
    """Entries of all index records, found as a reader does: from the footer back."""
    last = doc.decode(data, len(data) - doc.FOOTER["raw_bytes"][0] - 8, doc.FOOTER)
    at, found = last["index_offset"], []
    while at != doc.ALL_BITS:
        head = doc.decode(data, at, doc.HEAD)
        index, entries = doc.entries_of(data, at, head)
        found = entries + found
        at = index["prev_offset"]
    return last, found


def same(entry, at, chunk):
    names = {"ring": "number", "flags": "word", "header_bytes": "size"}
    return entry["offset"] == at and all(value == chunk[names.get(name, name)]
                                         for name, value in entry.items() if name != "offset")


def check_stream(path, title):
    data = read(path)
    chunks = [(at, values) for at, name, values in doc.walk(data) if name == "chunk header"]
    strangers = {name for _, name, _ in doc.walk(data)} - {"type 9", "type 81", *doc.MAGIC.values()}
    tap.equal(strangers, set(), f"{title}: has only records that the document allows")
    tap.equal([c["seq"] for _, c in chunks], list(range(len(chunks))), f"{title}: numbers its chunks")
    tap.ok(all(xxh3_64(doc.payload(data, at, c)) == c["payload_checksum"] for at, c in chunks[::7]),
           f"{title}: payloads have the checksums of their headers")
    footer, entries = index_chain(data)
    tap.ok(len(entries) == len(chunks) and all(same(e, *c) for e, c in zip(entries, chunks)),
           f"{title}: the index names every chunk as its header does")
    tap.equal((footer["nr_chunks"], footer["nr_records"], footer["raw_bytes"]),
              (len(chunks), sum(c["nr_records"] for _, c in chunks),
               sum(c["raw_bytes"] for _, c in chunks)), f"{title}: the footer sums it up")
    return footer["nr_records"]


check_tables()
check_example()
for kind in ("plain", "compressed"):
    where, laid = damage.lay(kind)
    found = sum(check_stream(os.path.join(where, f"data.{n}"), f"{kind} data.{n}") for n in (0, 1))
    tap.equal(found, laid, f"{kind}: has all records that were laid")
tap.done()
