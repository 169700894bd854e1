#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Captures of recorders that did not mend what the kernel lengthened: what our commands make of them perf reads.

tests/programs/lay_unmended.c makes them. perf, which takes times and ids from the ends of records, does not read them as they are.
"""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

LAY = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/lay_unmended")
SECONDS, SAMPLES, BASE_S = 12, 20, 1000  # of lay_unmended.c
SENTENCE = f"the kernel lengthened {2 * SECONDS} records in {SECONDS} chunks from here on, which perf may not read: merge and check --repair " \
           "mend them"


def lay(name, cut, kind):
    capture = tap.path(name)
    made = tap.run(LAY, capture, str(cut), kind)
    if made.status:
        sys.exit(f"lay_unmended {kind}: status {made.status}: {made.err}")
    return capture


def tstream(*arguments):
    return tap.run(tap.TSTREAM, *arguments)


def script(capture, *options):
    return tstream("script", "--show-bpf-events", "-i", capture, *options)


def losses(capture):
    """What `report --loss` tells of when something happened: records kept, records lost, seconds from the first to the last."""
    told = json.loads(tstream("report", "--loss", "--json", "-i", capture).out)
    seconds = [(ring["times"]["start_s"], ring["times"]["start_s"] + len(ring["times"]["kept"]) * ring["times"]["step_s"])
               for ring in told["rings"] if "times" in ring]
    return told["kept"], sum(told["lost"].values()), (min(s[0] for s in seconds), max(s[1] for s in seconds))


def check_perf(capture, parts):
    result = tap.run(tap.PERF, "script", "--show-bpf-events", "-i", capture)
    tap.ok(result.status == 0 and not result.err, "perf script reads it and says nothing", result.err)
    seconds = SECONDS * parts
    tap.equal(len(re.findall(r"PERF_RECORD_KSYMBOL .* name bpf_prog_made", result.out)), seconds, "perf shows each symbol")
    tap.equal(len(re.findall(r"PERF_RECORD_BPF_EVENT type 1, flags 0, id 42", result.out)), seconds, "and each program")
    counts = tap.perf_counts(capture) or {}
    tap.equal([counts.get(name) for name in ("SAMPLE", "KSYMBOL", "BPF_EVENT", "TEXT_POKE")],
              [SAMPLES * seconds, seconds, seconds, seconds], "perf report --stats counts all records")


def check_mended(what, capture, parts):
    result = tstream("check", "-i", capture)
    tap.ok(result.status == 0 and result.out.rstrip().endswith(": sound"), f"{what}: sound", result.out + result.err)
    times = re.findall(r"(\d+)\.5\d+:\s+PERF_RECORD_KSYMBOL", script(capture).out)
    tap.equal([int(t) for t in times], list(range(BASE_S, BASE_S + SECONDS * parts)), "its records have their times")
    if tap.PERF:
        check_perf(capture, parts)
    kept, lost, _ = losses(capture)
    tap.equal((kept, lost), ((SAMPLES + 3) * SECONDS * parts, 0), "report --loss: nothing was lost")


def check_as_it_is(kind, capture):
    result = tstream("check", "-i", capture)
    tap.ok(result.status == 1 and result.out.count("offset") == 1 and SENTENCE in result.out,
           f"{kind}: check says in one line what the kernel did and what mends it", result.out + result.err)
    tap.equal(json.loads(tstream("check", "--json", "-i", capture).out).get("lengthened_records"), 2 * SECONDS, "and in JSON how often")
    kept, lost, times = losses(capture)
    tap.equal((kept, lost), ((SAMPLES + 3) * SECONDS, 0), "report --loss: nothing was lost")
    tap.equal(times, (BASE_S, BASE_S + SECONDS), "and no record is of another time")
    result = tstream("report", "--loss", "-i", capture)
    tap.ok(re.search(r"^#\s+\+0 s\s+\+11 s$", result.out, re.M), "the map has its seconds", result.out)
    result = script(capture)
    tap.ok(result.status == 0 and not result.err, "script has nothing to say of damage", result.err)
    result = tstream("script", "--time", f"{BASE_S + 3},{BASE_S + 5}", "--show-bpf-events", "-i", capture)
    times = [int(t) for t in re.findall(r"(\d+)\.5\d+:\s+PERF_RECORD_BPF_EVENT", result.out)]
    tap.equal(times, [BASE_S + 3, BASE_S + 4], "script --time shows the records of that time")


def check_same(capture, mended):
    for command in (["script", "--show-bpf-events"], ["report", "--stdio"]):
        text = [tstream(*command, "-i", c).out.replace(c, "") for c in (capture, mended)]
        tap.equal(text[0], text[1], f"{' '.join(command)} prints the same of it and of what was merged")


for kind in ("plain", "compressed"):
    first, second = lay(f"first-{kind}", 0, kind), lay(f"second-{kind}", 1, kind)
    check_as_it_is(kind, first)
    if tap.PERF:
        result = tap.run(tap.PERF, "script", "-i", first)
        tap.ok("failed to process type" in result.err, "perf does not read it", result.err)
    merged = tap.path(f"merged-{kind}")
    result = tstream("merge", "-o", merged, first)
    tap.ok(result.status == 0, "merge makes one of one", result.err)
    check_mended(f"{kind}, merge", merged, 1)
    kept, lost, times = losses(merged)
    tap.equal(times, (BASE_S, BASE_S + SECONDS), "no record is of another time")
    check_same(first, merged)

    both = tap.path(f"both-{kind}")
    result = tstream("merge", "-o", both, first, second)
    tap.ok(result.status == 0, "merge makes one of two", result.err)
    check_mended(f"{kind}, merge of two", both, 2)
    again = tap.path(f"again-{kind}")
    result = tstream("merge", "-o", again, both, first, merged)
    tap.ok(result.status == 0, "what was merged is merged with its parts", result.err)
    check_mended(f"{kind}, merge of what was merged", again, 2)

    single = tap.path(f"single-{kind}")
    result = tstream("merge", "--single", "-o", single, first, second)
    tap.ok(result.status == 0, "merge --single makes a file", result.err)
    result = tstream("check", "-i", single)
    tap.ok(result.status == 0 and "lengthened" not in result.out, f"{kind}, merge --single: sound", result.out)
    if tap.PERF:
        check_perf(single, 2)

    repaired = tap.path(f"repaired-{kind}")
    result = tstream("check", f"--repair={repaired}", "-i", first)
    tap.ok(result.status == 1 and f"has the {(SAMPLES + 3) * SECONDS + 1} sound records" in result.out,
           "check --repair keeps every record", result.out + result.err)
    check_mended(f"{kind}, check --repair", repaired, 1)

    compacted = tap.path(f"compacted-{kind}")
    result = tstream("compact", "-o", compacted, first)
    tap.ok(result.status == 0, "compact compacts it", result.err)
    check_mended(f"{kind}, compact", compacted, 1)
tap.done()
