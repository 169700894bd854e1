#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`export --format=pprof` opened by `go tool pprof`, and decoded by protoc with the public profile.proto.

PPROF_PROTO names another place of profile.proto than that of Debian's golang-github-google-pprof-dev."""
import collections
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import perf_file  # noqa: E402
import pprof_file  # noqa: E402
import tap  # noqa: E402

PROTO = os.environ.get("PPROF_PROTO", "/usr/share/gocode/src/github.com/google/pprof/proto/profile.proto")
CALLS = [sys.executable, "-c", "import os\nfor _ in range(40000):\n os.stat('/')\n [i * i for i in range(100)]"]
EVENT = "cpu-clock:u" if os.geteuid() else "cpu-clock"
NESTED = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/inlined_calls")
os.environ.update(HOME=tap.scratch, PPROF_TMPDIR=tap.scratch, PPROF_BINARY_PATH=tap.scratch)

if not pprof_file.is_built():
    tap.skip_all("this tstream was built without protobuf-c or zlib")
if not shutil.which("go") or tap.run("go", "tool", "pprof", "-h").status not in (0, 2):
    tap.skip_all("go tool pprof is not there (package golang-go)")


def pprof(path, *words):
    return tap.run("go", "tool", "pprof", *words, path)


def export(name, *words):
    path = tap.path(name + ".pb.gz")
    return path, tap.run(tap.TSTREAM, "export", "--format=pprof", "-f", "-o", path, *words)


def rows(path, *words):
    """{function: (self, total)}, and the sum, of all samples. Functions that are inlined somewhere are marked there."""
    out = pprof(path, "-top", "-sample_index=samples", "-nodecount=100000", "-nodefraction=0", "-edgefraction=0", *words).out
    found, total = collections.Counter(), collections.Counter()
    for line in re.findall(r"^ +(\d+) +\S+% +\S+% +(\d+) +\S+%  (.*?)(?: \((?:partial-)?inline\))?$", out, re.M):
        found[line[2]] += int(line[0])
        total[line[2]] += int(line[1])
    sum_ = re.search(r"of (\d+) total", out)
    return {name: (found[name], total[name]) for name in total}, int(sum_[1]) if sum_ else None, out


def traces(path):
    """{stack from the leaf: samples}"""
    out = pprof(path, "-traces", "-sample_index=samples").out
    found = collections.Counter()
    for block in re.split(r"^-+\+-+$", out, flags=re.M)[1:]:
        lines = [line for line in block.split("\n") if line.strip()]
        comm = re.sub("^ +comm:  ", "", lines[0]) if lines else ""
        frames = re.findall(r"^ +(?:(\d+)   |   )(.*?)(?: \(inline\))?$", "\n".join(lines[1:]), re.M)
        if frames:
            found[(comm, *(name.strip() for _, name in frames))] += int(frames[0][0])
    return found


def report(*words):
    return json.loads(tap.run(tap.TSTREAM, "report", "--json", *words).out)["tables"][0]


def rows_of_report(*words):
    """{function: (samples, None)}; a function without a name is its object. Totals have no number of samples there."""
    found = collections.Counter()
    for row in report("-s", "sym,dso", *words)["rows"]:
        name, dso = row["keys"]["sym"], row["keys"]["dso"]
        found[name if not re.match("0x[0-9a-f]+$", name) else dso if dso[0] == "[" else f"[{dso}]"] += row["self"]["samples"]
    return found


def folded(*words):
    """{(command, leaf, ..., outermost): samples}, blanks joined as a table of words shows them."""
    found = collections.Counter()
    for line in tap.run(tap.TSTREAM, "export", "--format=folded", "-o", "-", *words).out.replace(" (inlined)", "").splitlines():
        stack, _, weight = line.rpartition(" ")
        comm, *frames = stack.split(";")
        found[(comm, *reversed(frames))] += int(weight)
    return found


def totals(stacks):
    found = collections.Counter()
    for (_, *frames), weight in stacks.items():
        for name in set(frames):
            found[name] += weight
    return found


def difference(a, b):
    return "\n".join(f"{key}: {a.get(key)} and {b.get(key)}" for key in {*a, *b} if a.get(key) != b.get(key))[:1500]


def check_rows(name, path, words):
    got, total, out = rows(path)
    wanted = rows_of_report("-i", *words)
    tap.equal(total, sum(wanted.values()), f"{name}: go tool pprof -top counts the samples of report")
    own = {key: row[0] for key, row in got.items() if row[0]}
    wanted = {key: nr for key, nr in wanted.items() if nr}
    tap.ok(own == wanted and len(own) > 1, "its rows are those of report", difference(own, wanted) + out[:500])
    stacks = folded(*words)
    tap.ok({key: row[1] for key, row in got.items()} == dict(totals(stacks)), "its totals are those of the stacks",
           difference({key: row[1] for key, row in got.items()}, totals(stacks)))
    seen = traces(path)
    tap.ok(seen == stacks and len(seen) > 1, "-traces has the folded stacks, command by command", difference(seen, stacks))


cap, nested = tap.path("cap"), tap.path("nested")
tap.run(tap.TSTREAM, "record", "-q", "-F", "999", "-g", "-e", EVENT, "-o", cap, "--", *CALLS)
tap.run(tap.TSTREAM, "record", "-q", "-F", "500", "-m", "8M", "-e", "cpu-clock:u", "--call-graph", "dwarf", "-o", nested, "--", NESTED, "3000")
path, made = export("cap", cap)
tap.equal(made.status, 0, "a capture is exported")
check_rows("a capture", path, [cap])
head = pprof(path, "-top")
tap.ok(re.search(r"^Type: cpu$", head.out, re.M) and re.search(r"^Time: ", head.out, re.M) and re.search(r"^Duration: .*Total samples = ", head.out, re.M)
       and re.search(r"^Command: ", head.out, re.M), "type, time, duration and command stand above the rows", head.out[:500])
tap.ok(not head.err, "and pprof has nothing to complain about", head.err)

path, made = export("nested", "--inline", nested)
got, _, out = rows(path)
tap.ok(" (inline)" in out, "functions that were inlined are marked", out[:1000])
tap.ok({name: row[1] for name, row in got.items()} == dict(totals(folded("--inline", nested))), "with the totals of the folded stacks",
       difference({name: row[1] for name, row in got.items()}, totals(folded("--inline", nested))))

lossy = perf_file.PerfFile(nr_events=1)
program = perf_file.Program(tap.path("prog"), ["main", "leaf"])
lossy.thread(7, 7, "task")
lossy.map(7, program)
for at in range(10):
    lossy.sample(7, 7, 10 ** 9 + at, [program.at("leaf"), program.at("main")], 100, 0, 0)
lossy.lost(12, 10 ** 9 + 100, 0)
lossy.write(tap.path("lossy"))
path, made = export("lossy", "--comm", "task", tap.path("lossy"))
head = pprof(path, "-top").out
tap.ok(re.search("^Lost: .*12 records", head, re.M) and re.search("^Selected: comm task", head, re.M) and re.search("^File: prog$", head, re.M),
       "losses, the selection and the program stand above the rows", head)
got, total, _ = rows(path)
tap.equal((got, total), ({"leaf": (10, 10), "main": (0, 10)}, 10), "the file of the program is not asked for other names")

if not shutil.which("protoc") or not os.path.exists(PROTO):
    tap.skip("protoc decodes every field", "no protoc or profile.proto (packages protobuf-compiler, golang-github-google-pprof-dev)")
else:
    text = tap.run(f"gzip -dc {tap.path('cap.pb.gz')} | protoc --decode=perftools.profiles.Profile -I {os.path.dirname(PROTO)} {PROTO}")
    tap.ok(text.status == 0 and not re.search(r"^\s*\d+:", text.out, re.M), "protoc knows every field", text.err + text.out[:300])
    samples = re.findall(r"^sample \{\n(.*?)^\}", text.out, re.M | re.S)
    values = [re.findall(r"^  value: (\d+)", sample, re.M) for sample in samples]
    table = report("-i", cap)
    tap.equal((sum(int(v[0]) for v in values), sum(int(v[1]) for v in values)), (table["samples"], table["period"]), "samples and periods are those of report")
    ids = [sorted(map(int, re.findall(rf"^{kind} {{\n  id: (\d+)", text.out, re.M))) for kind in ("location", "function", "mapping")]
    tap.ok(all(found == list(range(1, len(found) + 1)) and found for found in ids), "locations, functions and mappings are numbered from 1")
tap.done()
