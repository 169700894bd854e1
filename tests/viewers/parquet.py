#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`export --format=parquet` read by DuckDB and by hyparquet: rows of both are those of our own reader, sums of DuckDB those of `report`.

PARQUET_READERS names a folder with node_modules of the npm packages @duckdb/node-api (1.5.6 was tried), hyparquet (1.33) and
hyparquet-compressors (1.1): no part of this tree. They run in node.
"""
import collections
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import parquet_file  # noqa: E402
import perf_file  # noqa: E402
import tap  # noqa: E402

READERS = os.path.join(os.environ.get("PARQUET_READERS", "/none"), "node_modules")
if not shutil.which("node") or not os.path.isdir(READERS):
    tap.skip_all("PARQUET_READERS names no folder with node_modules, or there is no node")
WORK = """import os, threading
def calls():
 for _ in range(20000):
  os.stat('/')
  [i * i for i in range(100)]
other = threading.Thread(target=calls)
other.start(); calls(); other.join()"""
EVENT = "cpu-clock:u" if os.geteuid() else "cpu-clock"
UNNAMED = re.compile(r"^\[.*\]$|^0x")
DUCKDB = f"""import duckdb from '{READERS}/@duckdb/node-api/lib/index.js';
const made = await duckdb.DuckDBInstance.create(':memory:'), link = await made.connect(), found = [];
for (const query of process.argv.slice(2)) found.push((await link.runAndReadAll(query)).getRowObjectsJson());
console.log(JSON.stringify(found));
"""
HYPARQUET = f"""import {{ asyncBufferFromFile, parquetReadObjects }} from '{READERS}/hyparquet/src/node.js';
import {{ compressors }} from '{READERS}/hyparquet-compressors/src/index.js';
const rows = await parquetReadObjects({{ file: await asyncBufferFromFile(process.argv[2]), compressors }});
console.log(JSON.stringify(rows, (key, value) => typeof value === 'bigint' ? String(BigInt.asUintN(64, value)) : value));
"""


def script(name, text):
    with open(tap.path(name), "w") as f:
        f.write(text)
    return tap.path(name)


def duckdb(*queries):
    """The rows of each query."""
    result = tap.run("node", script("duckdb.mjs", DUCKDB), *queries)
    return json.loads(result.out) if result.status == 0 else tap.ok(False, "DuckDB answers", result.err) or [[] for _ in queries]


def hyparquet(path):
    result = tap.run("node", script("hyparquet.mjs", HYPARQUET), path)
    return json.loads(result.out) if result.status == 0 else tap.ok(False, "hyparquet reads it", result.err) or []


def plain(rows):
    """The rows, their numbers as texts: JSON has not all of them."""
    return [{name: [str(v) for v in value] if isinstance(value, list) else str(value) for name, value in row.items()} for row in rows]


def export(capture):
    out = tap.path("out")
    return out, tap.run(tap.TSTREAM, "export", "--format=parquet", "-f", "-o", out, capture)


def report_rows(key, *words):
    found = collections.Counter()
    for row in json.loads(tap.run(tap.TSTREAM, "report", "--json", "--no-children", "-s", key, *words).out)["tables"][0]["rows"]:
        found[str(row["keys"][key])] += row["self"]["samples"]
    return found


def counted(rows):
    return collections.Counter({str(row["key"]): int(row["n"]) for row in rows})


def check_rows(out):
    for name in ("samples", "stacks"):
        path = f"{out}/{name}.parquet"
        own = plain(parquet_file.Table(path).rows)
        tap.ok(plain(hyparquet(path)) == own and own, f"{name}: hyparquet has the rows of our own reader")
        tap.ok(plain(duckdb(f"SELECT * FROM '{path}'")[0]) == own, f"{name}: DuckDB, too")


def check_recorded():
    cap = tap.path("cap")
    tap.run(tap.TSTREAM, "record", "-q", "-F", "1999", "-e", EVENT, "-g", "-o", cap, "--", sys.executable, "-c", WORK)
    out, said = export(cap)
    tap.ok(said.status == 0, "a recording", said.err)
    check_rows(out)
    samples, stacks = f"'{out}/samples.parquet'", f"'{out}/stacks.parquet'"
    middle = sorted(row["time"] for row in parquet_file.Table(f"{out}/samples.parquet").rows)[100]
    clock_ns = int(duckdb(f"SELECT min(clock_ns) AS c FROM {samples}")[0][0]["c"])
    keys = [("comm", "comm"), ("tid", "tid"), ("cpu", "cpu")]
    answers = duckdb(*(f"SELECT {column} AS key, sum(samples) AS n FROM {samples} GROUP BY 1" for column, _ in keys),
                     f"SELECT frames[-1] AS key, sum(samples) AS n FROM {samples} JOIN {stacks} USING (stack_id) GROUP BY 1",
                     f"SELECT comm AS key, sum(samples) AS n FROM {samples} WHERE time >= {middle} GROUP BY 1",
                     f"SELECT 0 AS key, sum(period) AS n FROM {samples}")
    for (_, key), rows in zip(keys, answers):
        wanted = report_rows(key, cap)
        wanted = collections.Counter({str(int(name)) if key == "cpu" else name: nr for name, nr in wanted.items()})
        tap.equal(counted(rows), wanted, f"sums of DuckDB by {key} are those of report")
    named = {name: nr for name, nr in counted(answers[3]).items() if not UNNAMED.match(name)}
    tap.ok(named == {name: nr for name, nr in report_rows("sym", cap).items() if not UNNAMED.match(name)} and len(named) > 5, "by function, too", named)
    seconds = middle - clock_ns
    tap.equal(counted(answers[4]), report_rows("comm", "--time", f"{seconds // 10 ** 9}.{seconds % 10 ** 9:09d},", cap), "and from a time on")
    period = json.loads(tap.run(tap.TSTREAM, "report", "--json", cap).out)["tables"][0]["period"]
    tap.equal(counted(answers[5]), {"0": period}, "periods are those of report")


def check_many():
    """Several row groups, the largest numbers, and stacks of many lengths."""
    program = perf_file.Program(tap.path("prog.so"), [f"f{i}" for i in range(300)])
    made = perf_file.PerfFile(nr_events=2, flags=perf_file.EXCLUDE_KERNEL)
    for tid in range(7, 20):
        made.thread(7, tid, f"'; \\\"ü{tid}")
    made.map(7, program)
    for i in range(200000):
        chain = [program.at(f"f{(i * 7 + k) % 300}") for k in range(1 + i % 11)]
        made.sample(7, 7 + i % 13, 10 ** 9 + i * 1000 + i * i % 977, chain, period=2 ** 64 - 1 - i, cpu=i % 300, event=i % 2)
    made.write(tap.path("many"))
    out, said = export(tap.path("many"))
    tap.ok(said.status == 0 and len(parquet_file.Table(f"{out}/samples.parquet").groups) > 1, "several row groups", said.err)
    check_rows(out)


check_recorded()
check_many()
tap.done()
