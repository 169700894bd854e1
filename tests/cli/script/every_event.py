#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""script prints of every event of this kernel what perf prints of the same record.

Most events cannot be made to happen here. So their records are made, by this kernel's formats, with contents that a kernel could
write. perf 6.1 cannot print some of them, and says so, or prints its mark for an argument that it does not know. Records that
are cut, mixed up or of random bytes are printed, too.
"""
import os
import random
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402
import tracepoints  # noqa: E402

EACH = 4  # records of an event
LINE = re.compile(r"^ *\d+\.(\d+): +(\S+): ?(.*)$")
CONTROL = re.compile(r"[\0-\x08\x0b-\x1f\x7f]")
CANNOT = "[FAILED TO PARSE]", ">c<"


def make(path, content, change=lambda raw: raw):
    """A capture of records of every event, whose times are their numbers; the events."""
    events = tracepoints.of_kernel()
    made = tracepoints.TraceFile(events)
    for number in range(EACH * len(events)):
        made.trace(number // EACH, change(events[number // EACH].payload(content)), number)
    made.write(path)
    return events


def texts_of(tool, capture):
    """The texts of the records by number; None: it did not end well."""
    result = tap.run(tool, "script", "--ns", "-F", "trace:time,event,trace", "-i", capture)
    texts, number = {}, None
    for line in result.out.split("\n"):
        found = LINE.match(line)
        if found:
            number = int(found[1])
            texts[number] = found[3]
        elif number is not None:
            texts[number] += "\n" + line
    return None if result.status else {number: text.rstrip("\n") for number, text in texts.items()}


def compare(judges, capture, events, sentence):
    """Each record as one of the judges prints it, unless none of them can."""
    ours, *theirs = (texts_of(tool, capture) for tool in (tap.TSTREAM, *judges))
    if ours is None or None in theirs:
        return tap.ok(False, sentence, f"did not end well: {'tstream' if ours is None else 'perf'}")
    wrong, cannot = {}, set()
    for number in range(EACH * len(events)):
        name, texts = events[number // EACH].name, [their.get(number, "nothing") for their in theirs]
        if all(any(mark in text for mark in CANNOT) for text in texts):
            cannot.add(name)
        elif ours.get(number) not in texts:
            wrong.setdefault(name, "\n".join([name, *(f"perf: {text}" for text in texts), f"ours: {ours.get(number)}"]))
    tap.note(f"{len(events)} events; perf cannot print {len(cannot)}: {' '.join(sorted(cannot))}")
    return tap.ok(not wrong and len(ours) == EACH * len(events), sentence,
                  "\n".join([f"{len(ours)} records; of {len(events)} events {len(wrong)} differ", *list(wrong.values())[:8]]))


def check_again(capture):
    """Each thread of script has formats parsed for itself, all at once."""
    texts = [texts_of(tap.TSTREAM, capture) for _ in range(3)]
    tap.ok(texts[0] and texts[0] == texts[1] == texts[2], "three times the same text")


def check_strange():
    """Records of every event that no kernel writes."""
    chance = random.Random(2)
    cut, mixed, whole = tap.path("cut"), tap.path("mixed"), tap.path("whole")
    lengths = []

    def shorten(raw):
        lengths.append(chance.randrange(len(raw)))
        return raw[:lengths[-1]]

    events = make(cut, tracepoints.Content(2), shorten)
    texts = texts_of(tap.TSTREAM, cut) or {}
    wrong = [f"{event.name} {length} {texts.get(number)!r}" for number, length in enumerate(lengths) for event in [events[number // EACH]]
             if (length + 4 + 7) // 8 * 8 - 4 < event.bytes and not texts.get(number, "").startswith("[TOO SHORT]")]
    tap.ok(not wrong, "a record that is too short for its fields is printed as such", "\n".join(wrong[:9]))
    tap.ok(texts and not CONTROL.search("".join(texts.values())), "without control characters")
    make(whole, tracepoints.Content(3))
    make(mixed, tracepoints.Content(3), lambda raw: struct.pack("<H", chance.choice(events).id) + raw[2:])
    texts = texts_of(tap.TSTREAM, whole)
    tap.ok(texts and texts == texts_of(tap.TSTREAM, mixed), "a record that calls itself another event is printed as what it was recorded as")
    make(mixed, tracepoints.Content(4), lambda raw: chance.randbytes(len(raw)))
    tap.ok(len(texts_of(tap.TSTREAM, mixed) or {}) == EACH * len(events), "records of random bytes are printed")


def main():
    if not tap.has_tracepoints():
        tap.skip_all("the formats of this kernel's events cannot be read")
    capture = tap.path("every")
    events = make(capture, tracepoints.Content(1, has_large_sizes=False))  # perf 6.1 takes %zu for 32 bits
    check_again(capture)
    if tap.PERF:
        compare([tap.PERF], capture, events, "every event of this kernel, as perf prints it")
    else:
        tap.skip("every event of this kernel, as perf prints it", "perf is not installed")
    check_strange()
    tap.done()


if __name__ == "__main__":
    main()
