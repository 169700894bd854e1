#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`export --format=otlp-development` decoded by protoc with the public profiles.proto, and judged by profcheck.

OTLP_PROTO names the folder that has opentelemetry/proto/profiles/v1development/profiles.proto of github.com/open-telemetry/opentelemetry-proto
1.11.0, PROFCHECK the program of github.com/open-telemetry/sig-profiling/profcheck: no parts of this tree.
"""
import collections
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import otlp_file  # noqa: E402
import tap  # noqa: E402

PROTO, JUDGE = os.environ.get("OTLP_PROTO", ""), os.environ.get("PROFCHECK", "")
FILE = "opentelemetry/proto/profiles/v1development/profiles.proto"
CALLS = [sys.executable, "-c", "import os\nfor _ in range(40000):\n os.stat('/')\n [i * i for i in range(100)]"]
EVENT = "cpu-clock:u" if os.geteuid() else "cpu-clock"
NESTED = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/inlined_calls")


def export(name, *words):
    path = tap.path(name)
    return path, tap.run(tap.TSTREAM, "export", "--format=otlp-development", "-f", "-o", path, *words)


def check_decoded(path, cap):
    text = tap.run(f"protoc --decode=opentelemetry.proto.profiles.v1development.ProfilesData -I {PROTO} {FILE} < {path}")
    tap.ok(text.status == 0 and len(text.out) > 10000, "protoc decodes a file", text.err[:500])
    tap.ok(not re.search(r"^\s*\d+(:| \{)", text.out, re.M), "and knows every field", re.findall(r"^\s*\d+(?::| \{).*", text.out, re.M)[:5])
    samples = re.findall(r"^      samples \{\n(.*?)^      \}", text.out, re.M | re.S)
    values = [int(value) for sample in samples for value in re.findall(r"^        values: (\d+)", sample, re.M)]
    times = re.findall(r"^        timestamps_unix_nano: \d+", text.out, re.M)
    table = json.loads(tap.run(tap.TSTREAM, "report", "--json", cap).out)["tables"][0]
    tap.equal((len(times), len(values), sum(values)), (table["samples"], table["samples"], table["period"]), "samples and periods are those of report")
    tables = collections.Counter(re.findall(r"^  (\w+)_table(?: \{|:)", text.out, re.M))
    tap.ok(set(tables) == {"mapping", "location", "function", "link", "string", "attribute", "stack"}, "all tables are there", tables)


def check_judged(path):
    result = tap.run(JUDGE, "-check-dupes", "-check-orphans", "-check-sample-shapes", path)
    tap.ok(result.status == 0, f"profcheck finds no fault: {os.path.basename(path)}", result.out[:500] + result.err[:500])


if not otlp_file.is_built():
    tap.skip_all("this tstream was built without protobuf-c")
has_proto = shutil.which("protoc") and os.path.exists(os.path.join(PROTO or "/none", FILE))
if not has_proto and not shutil.which(JUDGE or "/none"):
    tap.skip_all("OTLP_PROTO and PROFCHECK name no files, or protoc is not there (package protobuf-compiler)")
cap, nested = tap.path("cap"), tap.path("nested")
tap.run(tap.TSTREAM, "record", "-q", "-F", "999", "-g", "-e", EVENT, "-o", cap, "--", *CALLS)
tap.run(tap.TSTREAM, "record", "-q", "-F", "500", "-m", "8M", "-e", "cpu-clock:u", "--call-graph", "dwarf", "-o", nested, "--", NESTED, "1000")
path, made = export("cap.otlp", cap)
inlined, made_inlined = export("nested.otlp", "--inline", nested)
tap.ok(made.status == made_inlined.status == 0, "captures are exported", made.err + made_inlined.err)
if has_proto:
    check_decoded(path, cap)
else:
    tap.skip("protoc decodes every field", "OTLP_PROTO names no folder with it, or protoc is not there (package protobuf-compiler)")
if shutil.which(JUDGE or "/none"):
    check_judged(path)
    check_judged(inlined)
else:
    tap.skip("profcheck finds no fault", "PROFCHECK names no program")
tap.done()
