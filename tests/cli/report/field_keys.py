#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A field of a tracepoint as a sort key is the value of the field: texts with blanks, names that begin other names, arrays,
flags by their names, negative numbers. Without memory for the format it is an error, not another text.

perf looks for the name of the field among the words of the whole text, so it cuts texts at blanks and takes other fields for the
one it was asked for. For fields of which it does not, it is asked, too.
"""
import os
import re
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402
import tracepoints  # noqa: E402

FAILING = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/failing_call.so")
STEP = 7  # each such call of malloc() fails
FIELDS = [("char comm[16]", 8, 16, 0), ("__data_loc char[] path", 24, 4, 0), ("__rel_loc char[] rest", 28, 4, 0), ("int state", 32, 4, 1),
          ("int state_before", 36, 4, 1), ("unsigned int dev", 40, 4, 0), ("unsigned int flags", 44, 4, 0), ("s64 delta", 48, 8, 1),
          ("u8 kind", 56, 1, 0), ("u8 mac[6]", 57, 6, 0), ("__data_loc u8[] data", 64, 4, 0), ("void * at", 72, 8, 0),
          ("unsigned short comm_len", 80, 2, 0)]
PRINT = ('"%s state_before=%d flags_of=%d comm=%s path=%s dev %u,%u state=%d flags=%s%s, kind:%s mac=%pM at=%p len=%u delta=%lld rest=%s '
         'data=%s", REC->comm, REC->state_before, REC->kind, REC->comm, __get_str(path), REC->dev >> 20, REC->dev & 1048575, '
         'REC->state, __print_flags(REC->flags & 3, " | ", { 1, "ONE" }, { 2, "TWO" }), REC->flags & 4 ? "+" : "", '
         '__print_symbolic(REC->kind, { 0, "none" }, { 1, "some kind" }), REC->mac, REC->at, REC->comm_len, REC->delta, '
         '__get_rel_str(rest), __print_hex(__get_dynamic_array(data), __get_dynamic_array_len(data))')
SAMPLES = [{"comm": b"Plex One", "path": b"/tmp/x a.sh\0", "rest": b"state=99 comm=none\0", "state": -1, "state_before": 5,
            "dev": 8 << 20 | 1, "flags": 7, "delta": -5, "kind": 1, "mac": bytes(range(1, 7)), "data": b"\1\xff", "at": 0x1234,
            "comm_len": 8},
           {"comm": b"a state=7", "path": b"/tmp/x b.sh\0", "rest": b"\0", "state": 2, "state_before": -1, "dev": 1, "flags": 2,
            "delta": 1 << 40, "kind": 0, "mac": b"\xff" * 6, "data": b"\2", "at": 0x5678, "comm_len": 9}]
# what is shown of each sample: as a key, and with /raw; then whether perf shows the same
TABLE = [("comm", ["Plex One", "a state=7"], None, False), ("path", ["/tmp/x a.sh", "/tmp/x b.sh"], None, False),
         ("rest", ["state=99 comm=none", ""], None, False), ("state", ["-1", "2"], None, False),
         ("state_before", ["5", "-1"], None, True), ("dev", ["8,1", "0,1"], ["8388609", "1"], False),
         ("flags", ["ONE | TWO+", "TWO"], ["7", "2"], False), ("kind", ["some kind", "none"], ["1", "0"], False),
         ("mac", ["01:02:03:04:05:06", "ff:ff:ff:ff:ff:ff"], ["ARRAY[01, 02, 03, 04, 05, 06]", "ARRAY[ff, ff, ff, ff, ff, ff]"], True),
         ("at", ["0x1234", "0x5678"], None, True), ("delta", ["-5", str(1 << 40)], None, True), ("comm_len", ["8", "9"], None, True),
         ("data", ["01 ff", "02"], ["ARRAY[01, ff]", "ARRAY[02]"], False), ("common_pid", ["10", "11"], None, True)]


def values_of(sample, number):
    packed = {"state": "i", "state_before": "i", "dev": "I", "flags": "I", "delta": "q", "kind": "B", "at": "Q", "comm_len": "H"}
    values = {name: struct.pack("<" + packed[name], value) if name in packed else value for name, value in sample.items()}
    return {**values, "common_pid": struct.pack("<i", 10 + number)}


def make(path):
    """Sample number n is there n + 1 times. A second event has a field of the same name; one is too short for its fields."""
    number = 7
    events = [tracepoints.Event("made", tracepoints.format_of("texts", number, FIELDS, PRINT)),
              tracepoints.Event("made", tracepoints.format_of("other", number + 1, [("int state", 8, 4, 1)], '"state-of=%d", REC->state'))]
    made = tracepoints.TraceFile(events)
    for i, sample in enumerate(SAMPLES):
        for _ in range(i + 1):
            made.trace(0, events[0].payload(values_of(sample, i)), 100)
    made.trace(1, events[1].payload({"state": struct.pack("<i", -3)}), 200)
    made.write(path)


def rows_of(tool, capture, keys):
    """Numbers of samples with the values of the keys."""
    text = tap.run(tool, "report", "--stdio", "-n", "-i", capture, "-t", "@", "-s", keys).out
    found = (line.split("@") for line in text.splitlines() if re.match(r" *\d+\.\d\d% ?@", line))
    return sorted((int(row[1]), *(value.strip() for value in row[2:])) for row in found if len(row) > 2)


def check_both_forms():
    """A field and its raw form are two keys: one text may stand for several numbers. perf tells such rows apart, too, but has one
    column for both forms."""
    capture = tap.path("forms")
    event = tracepoints.Event("made", tracepoints.format_of("forms", 7, [("int kind", 8, 4, 1)], '"kind=%d", REC->kind & 3'))
    made = tracepoints.TraceFile([event])
    for kind in (1, 2, 2, 6, 6, 6):
        made.trace(0, event.payload({"kind": struct.pack("<i", kind)}), 100)
    made.write(capture)
    wanted = [(1, "1", "1"), (2, "2", "2"), (3, "2", "6")]
    tap.equal(rows_of(tap.TSTREAM, capture, "kind,kind/raw"), wanted, "a field and its raw form are two columns")
    tap.equal(rows_of(tap.TSTREAM, capture, "forms.kind/raw,forms.kind"), [(nr, raw, text) for nr, text, raw in wanted],
              "in the order in which they are named")
    tap.equal(rows_of(tap.TSTREAM, capture, "kind/raw,kind/raw"), [row[::2] for row in wanted], "each form is one column")
    if tap.PERF:
        tap.equal(rows_of(tap.PERF, capture, "kind,kind/raw"), [row[:2] for row in wanted], "perf has the same rows")


def check_made(capture):
    for field, shown, raw, is_perfs in TABLE:
        for key, values in ((f"made:texts.{field}", shown), (f"made:texts.{field}/raw", raw or shown)):
            wanted = list(enumerate(values, 1))
            tap.equal(rows_of(tap.TSTREAM, capture, key), wanted, f"values of {key}")
            if tap.PERF and (is_perfs or "/raw" in key) and "ARRAY" not in values[0]:  # perf cuts these
                tap.equal(rows_of(tap.PERF, capture, key), wanted, f"perf shows the same of {key}")
    tap.equal(rows_of(tap.TSTREAM, capture, "other.state"), [(1, "-3")], "a word that only begins with the name is another")
    report = tap.run(tap.TSTREAM, "report", "--json", "-i", capture, "-s", "made:texts.path", "-g", "none")
    tap.ok("/tmp/x a.sh" in report.out and not report.status, "--json has it whole", report.out[:500] + report.err)


def check_recorded():
    capture = tap.path("recorded")
    names = ["Plex One", "a prev_pid=7", "b next_pid=0"]
    script = "; ".join(f"printf '{name}' >/proc/$$/comm; sleep 0.01" for name in names)
    made = tap.run(tap.TSTREAM, "record", "-q", "-a", "-e", "sched:sched_switch", "-o", capture, "--", "sh", "-c", script)
    if not tap.ok(made.status == 0, "names with blanks are recorded", made.err):
        return
    for key in ("next_comm", "prev_comm", "next_pid", "prev_prio"):
        tap.equal(rows_of(tap.TSTREAM, capture, key), rows_of(tap.TSTREAM, capture, f"{key}/raw"), f"{key} of this kernel is its value")
    tap.ok(set(names) <= {row[1] for row in rows_of(tap.TSTREAM, capture, "next_comm")}, "names are whole")


def without_memory(words, at):
    """(status, output, calls of malloc()) of a command whose call number `at` of malloc() fails."""
    count = tap.path(f"count{at}")
    env = dict(os.environ, LD_PRELOAD=FAILING, FAIL_KIND="malloc", FAIL_AT=str(at), FAIL_COUNT=count)
    got = subprocess.run([tap.TSTREAM, *words], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    nr = 0
    if os.path.exists(count):
        with open(count, encoding="ascii") as f:
            nr = int(f.read())
        os.remove(count)
    return got.returncode, got.stdout, nr


def check_without_memory(*words):
    """libtraceevent itself crashes over some calls (docs/decisions/0164-faults-of-the-machine.md)."""
    _, whole, nr = without_memory(words, 0)
    ats = range(1, nr + 1, STEP)
    runs = tap.at_once([lambda at=at: without_memory(words, at) for at in ats])
    wrong = [at for at, (status, out, _) in zip(ats, runs) if status == 0 and out != whole]
    tap.ok(nr and not wrong, f"{words[0]}: if a call of malloc() fails, it fails or has the whole result", f"calls {wrong}")


check_both_forms()
made_capture = tap.path("made")
make(made_capture)
check_made(made_capture)
if os.environ.get("SANITIZED") or os.environ.get("TSAN_BUILD"):
    tap.skip("fields without memory", "the sanitizer has malloc() for itself")
else:
    check_without_memory("report", "-j", "1", "--stdio", "-s", "texts.flags,texts.kind", "-i", made_capture)
    check_without_memory("script", "-i", made_capture)
if tap.can_record_all() and tap.has_tracepoints():
    check_recorded()
else:
    tap.skip("fields of recorded tracepoints", "recording the whole machine needs root")
tap.done()
