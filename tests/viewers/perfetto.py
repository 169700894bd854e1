#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`export --format=perfetto` decoded by protoc with the public perfetto_trace.proto, and counted by Perfetto's trace_processor.

PERFETTO_PROTO names protos/perfetto/trace/perfetto_trace.proto of github.com/google/perfetto, TRACE_PROCESSOR its program
trace_processor_shell: no parts of this tree.
"""
import collections
import csv
import io
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import perf_file  # noqa: E402
import perfetto_file  # noqa: E402
import tap  # noqa: E402

PROTO = os.environ.get("PERFETTO_PROTO", "")
SHELL = os.environ.get("TRACE_PROCESSOR", "")
WORK = """import os, threading
def calls():
 for _ in range(20000):
  os.stat('/')
  [i * i for i in range(100)]
other = threading.Thread(target=calls)
other.start(); calls(); other.join()"""
EVENT = "cpu-clock:u" if os.geteuid() else "cpu-clock"


def export(name, *words):
    path = tap.path(name)
    return path, tap.run(tap.TSTREAM, "export", "--format=perfetto", "-f", "-o", path, *words)


def report(*words):
    return json.loads(tap.run(tap.TSTREAM, "report", "--json", "--no-children", *words).out)["tables"][0]


def lossy():
    program = perf_file.Program(tap.path("prog.so"), ["main"])
    capture = perf_file.PerfFile(chains=False)
    capture.thread(7, 7, "name")
    capture.map(7, program)
    for i in range(80):
        capture.sample(7, 7, 10 ** 9 + i * 50 * 10 ** 6, [program.at("main")], cpu=i % 3)
    capture.lost(3, 2 * 10 ** 9 + 1)
    capture.write(tap.path("lossy"))
    return tap.path("lossy")


# --- protoc: every field has a name in the public file, and the type that it has there ---

def packets(path):
    """(the packets as texts, what protoc says)"""
    text = tap.run(f"protoc --decode=perfetto.protos.Trace -I {os.path.dirname(PROTO)} {PROTO} < {path}")
    return re.findall(r"^packet \{\n(.*?)^\}", text.out, re.M | re.S), text


def values(blocks, pattern):
    return [found for block in blocks for found in re.findall(pattern, block, re.M)]


def check_decoded(cap):
    path, made = export("cap.perfetto-trace", cap)
    found, text = packets(path)
    tap.ok(made.status == text.status == 0 and len(found) > 200, "protoc decodes a trace", made.err + text.err[:500])
    tap.ok(not re.search(r"^\s*\d+(:| \{)", text.out, re.M), "and knows every field", values([text.out], r"^\s*\d+(?::| \{).*")[:5])
    samples = [packet for packet in found if re.search("^  perf_sample {", packet, re.M)]
    rows = {row["keys"]["tid"]: row["self"]["samples"] for row in report("-s", "tid", cap)["rows"]}
    tap.equal(collections.Counter(map(int, values(samples, r"^    tid: (\d+)"))), rows, "each thread has the samples of report")
    modes = set(values(samples, r"^    cpu_mode: (\w+)"))
    tap.ok("MODE_USER" in modes and ("MODE_KERNEL" in modes or os.geteuid()), "samples say their mode", modes)
    tap.ok({"KIND_NATIVE"} <= set(values(found, r"^ +kind: (\w+)")), "frames say their kind")
    tap.ok(values(found, r"^ +counter: (\w+)") == ["SW_CPU_CLOCK"] and values(found, r"^ +primary_trace_clock: (\w+)") == ["BUILTIN_CLOCK_MONOTONIC"],
           "the event and the clock are those of the recording")
    path, _ = export("lossy.perfetto-trace", lossy())
    found, _ = packets(path)
    tap.ok(values(found, r"^    kernel_records_lost: (\d+)") == ["3"] and len(values(found, r"type: TYPE_SLICE_BEGIN")) == 2,
           "losses are a sum and slices")


# --- trace_processor ---

def query(path, sql):
    with open(tap.path("sql"), "w", encoding="ascii") as f:
        f.write(sql)
    result = tap.run(SHELL, "-q", tap.path("sql"), path)
    return list(csv.reader(io.StringIO(result.out)))[1:]


def check_counted(cap):
    path, _ = export("cap.perfetto-trace", cap)
    rows = {row["keys"]["tid"]: row["self"]["samples"] for row in report("-s", "tid", cap)["rows"]}
    got = query(path, "select tid, count(*) from perf_sample join thread using (utid) where callsite_id is not null group by tid;")
    tap.equal({int(tid): int(nr) for tid, nr in got}, rows, "trace_processor has the samples of each thread of report")
    got = query(path, "select f.name, count(*) from perf_sample s join stack_profile_callsite c on s.callsite_id = c.id "
                      "join stack_profile_frame f on c.frame_id = f.id group by f.name;")
    wanted = collections.Counter()
    for line in tap.run(tap.TSTREAM, "export", "--format=folded", "-o", "-", cap).out.splitlines():
        stack, _, nr = line.rpartition(" ")
        wanted[stack.rpartition(";")[2]] += int(nr)
    tap.equal({name.replace(";", ":").rstrip(): int(nr) for name, nr in got}, wanted, "and those of each function")
    wrong = query(path, "select name, value from stats where severity in ('error', 'data_loss') and value > 0;")
    tap.ok(not wrong, "it finds no error", wrong)
    path, _ = export("lossy.perfetto-trace", lossy())
    tap.equal(query(path, "select sum(value) from stats where name = 'perf_cpu_lost_records';"), [["3"]], "it warns of losses")
    tap.equal(query(path, "select name, dur from slice where name = 'samples lost';"), [["samples lost", "1000000000"]], "and shows when they were")


if not perfetto_file.is_built():
    tap.skip_all("this tstream was built without protobuf-c")
has_proto = shutil.which("protoc") and os.path.exists(PROTO or "/none")
if not has_proto and not shutil.which(SHELL or "/none"):
    tap.skip_all("PERFETTO_PROTO and TRACE_PROCESSOR name no files, or protoc is not there (package protobuf-compiler)")
cap = tap.path("cap")
tap.run(tap.TSTREAM, "record", "-q", "-F", "1999", "-e", EVENT, "-g", "-o", cap, "--", sys.executable, "-c", WORK)
if has_proto:
    check_decoded(cap)
else:
    tap.skip("protoc decodes every field", "PERFETTO_PROTO names no file, or protoc is not there (package protobuf-compiler)")
if shutil.which(SHELL or "/none"):
    check_counted(cap)
else:
    tap.skip("trace_processor has the samples of report", "TRACE_PROCESSOR names no program")
tap.done()
