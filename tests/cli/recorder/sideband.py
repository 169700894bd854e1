#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names and maps come in bursts: rings for side-band have room for them. Where they do not, what is alive is read again.

Processes map regions until the rings overflow, and start others in the middle, so that names and maps are lost. A second
later each sample of theirs has its name and its function, for tstream and for perf, and the report says when they may miss.
With a number as argument it does that so many times."""
import json
import os
import re
import resource
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

KIB = 1024
UNITS = {"K": 1, "M": 1024, "G": 1024 * 1024}
RINGS = re.compile(r"rings: (\d+) of (\d+)([KMG]) for samples, (\d+) of (\d+)([KMG]) for side-band")


def planned(*options, **how):
    """KiB of a ring for samples and of one for side-band; None: no plan was made."""
    result = tap.run(tap.TSTREAM, "record", "--dry-run", "-e", "cpu-clock", "-o", "/dev/null", *options, "--", "true", **how)
    found = RINGS.search(result.out)
    if not found:
        return None
    return int(found[2]) * UNITS[found[3]], int(found[5]) * UNITS[found[6]], int(found[4])


def memory_kib():
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE") // KIB


def check_sizes():
    tap.equal(planned("-m", "64K:16K")[:2], (64, 16), "-m SAMPLES:SIDEBAND gives both sizes")
    tap.equal(planned("-m", ":32K")[1], 32, "-m :SIDEBAND gives that alone")
    if os.geteuid() != 0:
        return tap.skip("rings where memory is locked freely", "only root may")
    samples, sideband, nr = planned()
    tap.ok(sideband * nr <= memory_kib() // 512, "all side-band rings have at most a 512th of the memory", f"{nr} of {sideband}K")
    tap.ok(sideband == 512 or 2 * sideband * nr > memory_kib() // 512, "each has 512 KiB if that is no more", sideband)
    tap.equal(planned("-m", "4M")[1], sideband, "larger rings for samples leave them as they are")


def become_ordinary():
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (64 * KIB, 64 * KIB))
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)


def check_sizes_of_ordinary_user():
    with open("/proc/sys/kernel/perf_event_mlock_kb") as f:
        usual = f.read().strip() == "516"
    with open("/proc/sys/kernel/perf_event_paranoid") as f:
        usual = usual and int(f.read()) >= 0
    if os.geteuid() != 0 or not usual or not os.access(tap.TSTREAM, os.X_OK):
        return tap.skip("rings of an ordinary user", "only root becomes one, with kernel.perf_event_mlock_kb=516")
    got = planned(preexec_fn=become_ordinary)
    if not got:
        return tap.skip("rings of an ordinary user", "he cannot run this program")
    tap.equal(got[:2], (256, 128), "an ordinary user has 128 KiB beside 256 KiB for samples")
    return None


PROGRAM = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/map_burst")
PROCESSES, MAPS, SECONDS = 8, 2000, 3
SAMPLE = re.compile(r"\s*(.+?)\s+(\d+)\s+(\d+\.\d+):\s+[0-9a-f]+ (.*) \((.*)\)$")


def burst(capture, *options):
    """Records bursts at once; returns the recorder's result, the note, and {pid: end of its burst in s}."""
    folder = tap.path("programs")
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    shutil.copy(PROGRAM, os.path.join(folder, "program"))
    for i in range(PROCESSES):
        for name in "parent", "child":
            os.link(os.path.join(folder, "program"), os.path.join(folder, f"{name}{i}"))
    script = " ".join(f"{folder}/parent{i} {SECONDS} {MAPS} {folder}/child{i} &" for i in range(PROCESSES)) + " wait"
    result = tap.run(tap.TSTREAM, "record", "-a", "-k", "mono", "-F", "199", "-e", "cpu-clock:u", "-o", capture, *options,
                     "--", "sh", "-c", script)
    with open(os.path.join(capture, "tstream.json")) as f:
        note = json.load(f)
    return result, note, {int(pid): int(ns) / 1e9 for pid, ns in (line.split() for line in result.out.splitlines())}


def lost_names(note):
    return sum(r["lost"] for r in note["rings"] if r["kind"] == "sideband")


def unnamed(reader, capture, ends):
    """(Samples from 1 s after the last burst on, those among them without name, file or function.)"""
    since, nr, bad = max(ends.values()) + 1, 0, []
    for line in tap.run(reader, "script", "-i", capture, "-F", "comm,pid,time,ip,sym,dso").out.splitlines():
        found = SAMPLE.match(line)
        if not found or int(found[2]) not in ends or float(found[3]) < since:
            continue
        nr += 1
        is_ours = os.path.basename(found[5]) == found[1]
        if not re.fullmatch(r"(parent|child)\d", found[1]) or "[unknown]" in (found[5], found[4] if is_ours else ""):
            bad.append(line)
    return nr, bad


def check_default():
    """Beside other tests a writer may be late: so one of three bursts must do."""
    for _ in range(3):
        result, note, ends = burst(tap.path("cap"))
        if not lost_names(note):
            break
    tap.equal((result.status, len(ends), lost_names(note)), (0, 2 * PROCESSES, 0), "a burst loses no name at default settings")
    tap.ok("names_missing" not in note, "no time is noted in which names may be missing", note.get("names_missing"))


def check_small():
    capture = tap.path("cap")
    result, note, ends = burst(capture, "-m", ":4K")
    tap.ok(lost_names(note) > 0 and note["names_missing"], "rings of a page lose names", note["ledger"])
    tap.ok("larger rings for them (-m :16K)" in result.err, "the hint is about the rings that lost", result.err)
    tap.ok("fewer samples" not in result.err, "and about no others", result.err)
    for reader in tap.TSTREAM, tap.PERF:
        if reader:
            nr, bad = unnamed(reader, capture, ends)
            tap.ok(nr > 20 and not bad, f"{os.path.basename(reader)}: a second later no name is missing",
                   f"{len(bad)} of {nr}\n" + "\n".join(bad[:5]))
    gap = note["names_missing"][0]
    tap.ok(gap["from_ns"] / 1e9 < max(ends.values()) + 1, "the time in which names may be missing begins with the burst", gap)
    words = f"# Names and maps may be missing from {gap['from_ns'] // 10**9}."
    for options in [], ["--loss"]:
        out = tap.run(tap.TSTREAM, "report", "-i", capture, *options).out
        tap.ok(words in out, f"report {' '.join(options)} says so", out[:2000])
    for options in [], ["--loss"]:
        found = json.loads(tap.run(tap.TSTREAM, "report", "--json", *options, "-i", capture).out)
        tap.equal(found.get("capture", found).get("names_missing"), note["names_missing"], f"so does report --json {' '.join(options)}")
    tap.equal(tap.run(tap.TSTREAM, "check", capture).status, 0, "the capture is sound")


check_sizes()
check_sizes_of_ordinary_user()
if not tap.can_record_all():
    tap.skip("bursts", "only root may record everything")
elif len(sys.argv) > 1:
    for _ in range(int(sys.argv[1])):
        check_small()
else:
    check_default()
    check_small()
tap.done()
