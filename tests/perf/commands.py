#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The commands of perf that the table of README.md names, by the machine's perf and by the newest: each reads a capture as it is,
and prints of it what it prints of the single file that `merge --single` makes. What the table says to need the single file does."""
import collections
import difflib
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import newest  # noqa: E402
import tap  # noqa: E402
import texts  # noqa: E402

newest.enter()

WORKLOAD = os.path.join(os.environ.get("abs_builddir", "."), "tests/demo/workload")
PARSER = "/usr/lib/x86_64-linux-gnu/libexec/hotspot-perfparser"
CAPTURES = {"stacks": ["-g"], "sched": ["-a", "-e", "sched:*", "-e", "irq:*", "-e", "workqueue:*"], "syscalls": ["-a", "-e", "raw_syscalls:*"],
            "kmem": ["-a", "-e", "kmem:*"], "lock": ["-a", "-e", "lock:*"], "data": ["-e", "cpu-clock", "-d", "-W"]}
CAPTURE, OUT = "CAPTURE", "OUT"  # for what stands there
COMMANDS = {  # capture, arguments
    "report": ("stacks", ["report", "--stdio", "-g", "none", "-i", CAPTURE]), "script": ("stacks", ["script", "-i", CAPTURE]),
    "annotate": ("stacks", ["annotate", "--stdio", "-s", "sort_numbers", "-i", CAPTURE]),
    "diff": ("stacks", ["diff", CAPTURE, CAPTURE]), "evlist": ("stacks", ["evlist", "-v", "-i", CAPTURE]),
    "data convert --to-json": ("stacks", ["data", "convert", "--to-json", OUT, "-i", CAPTURE]),
    "data convert --to-ctf": ("stacks", ["data", "convert", "--to-ctf", OUT, "-i", CAPTURE]),
    "sched latency": ("sched", ["sched", "latency", "-i", CAPTURE]), "sched timehist": ("sched", ["sched", "timehist", "-i", CAPTURE]),
    "sched map": ("sched", ["sched", "map", "-i", CAPTURE]), "kwork report": ("sched", ["kwork", "report", "-i", CAPTURE]),
    "kwork timehist": ("sched", ["kwork", "timehist", "-i", CAPTURE]), "kwork top": ("sched", ["kwork", "top", "-i", CAPTURE]),
    "timechart": ("sched", ["timechart", "-o", OUT, "-i", CAPTURE]), "trace": ("syscalls", ["trace", "-s", "-i", CAPTURE]),
    "kmem stat": ("kmem", ["kmem", "-i", CAPTURE, "stat"]), "lock report": ("lock", ["lock", "report", "-i", CAPTURE]),
    "lock contention": ("lock", ["lock", "contention", "-i", CAPTURE]), "mem report": ("data", ["mem", "report", "--stdio", "-i", CAPTURE]),
    "c2c report": ("data", ["c2c", "report", "--stdio", "-i", CAPTURE])}
SINCE = {"kwork top": "the machine's perf is older than this command"}
WITHOUT = {"data convert --to-ctf": "The babeltrace2 ctf support is not compiled in"}
OF_THE_FILE = re.compile(r"(data|feat).(offset|size)|captured.on|uuid = |# \(Tip: ")
Said = collections.namedtuple("Said", "status text")


def record(name):
    """Its directory, with name.single beside it; or None."""
    path = tap.path(name)
    made = tap.run(tap.TSTREAM, "record", "-q", *CAPTURES[name], "-m", "8M", "-o", path, "--", WORKLOAD, "1")
    single = tap.run(tap.TSTREAM, "merge", "-q", "--single", "-o", path + ".single", path)
    return path if tap.ok(made.status == 0 and single.status == 0, f"{name}: recorded", made.err + single.err) else None


def contents(path):
    if not os.path.exists(path):
        return ""
    if os.path.basename(path).startswith("perf_stream"):
        return f"{os.path.getsize(path)} bytes\n"  # with a UUID of its own
    with open(path, encoding="latin1") as file:
        return file.read()


def written(path):
    """What a command wrote: a file, or a folder of files."""
    paths = sorted(os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names) or [path]
    text = "".join(contents(each) for each in paths)
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.remove(path)
    return text


def said(perf, words, capture):
    """What it prints of the capture, without the capture's name; of JSON and CTF what it writes."""
    out = tap.path("out")
    run = tap.run(perf, *[{CAPTURE: capture, OUT: out}.get(word, word) for word in words])
    text = (run.out + run.err + written(out)).replace(capture, CAPTURE).replace(capture.removesuffix(".single"), CAPTURE).replace(out, OUT)
    return Said(run.status, [line for line in text.splitlines() if not OF_THE_FILE.search(line)])


def compare(perf, whose, name):
    capture, words = COMMANDS[name]
    if not RECORDED[capture]:
        return tap.skip(f"{whose}: perf {name}", "there is no capture")
    own, single = (said(perf, words, path) for path in (RECORDED[capture], RECORDED[capture] + ".single"))
    if perf == newest.OLD and name in SINCE and any("Usage: perf" in line for line in own.text):
        return tap.skip(f"{whose}: perf {name}", SINCE[name])
    if any(WITHOUT.get(name, "\0") in line for line in own.text):
        return tap.skip(f"{whose}: perf {name}", WITHOUT[name])
    same = own.status == single.status == 0 and sorted(own.text) == sorted(single.text)
    differ = list(difflib.unified_diff(sorted(own.text), sorted(single.text), "as it is", "single", n=0))[:20]
    return tap.ok(same and own.text, f"{whose}: perf {name} reads a capture as it is", "\n".join([f"{own.status} {single.status}", *differ]))


def needs_single(name, program, *words):
    """A program that cannot read the directory, and can read the single file."""
    if not shutil.which(program):
        return tap.skip(f"{name} needs the single file", f"{program} is missing")
    capture, out = RECORDED["stacks"], tap.path("made")
    single = tap.run(program, *[{CAPTURE: capture + ".single", OUT: out}.get(word, word) for word in words])
    return tap.ok(single.status == 0 and len(written(out)) > 500, f"{name} reads the single file", single.err[-500:])


def injected(perf, whose):
    out = tap.path("injected")
    run = tap.run(perf, "inject", "-b", "-i", RECORDED["stacks"] + ".single", "-o", out)
    rows = tap.run(perf, "report", "-i", out, "--stdio", "-g", "none", "--no-children").out
    tap.ok(run.status == 0 and "sort_numbers" in rows, f"{whose}: perf inject reads the single file, and perf report what it writes", run.err + rows[:300])


def named(section):
    """Commands in the first column of the README's table."""
    return {name for row in re.findall(r"^\| (`perf .*?) \|", section, re.M) for name in re.findall(r"`perf ([a-z0-9 -]+?)`", row)}


RECORDED = {name: record(name) for name in CAPTURES}
told = named(texts.read("README.md"))
tap.equal(sorted(told), sorted({*COMMANDS, "inject"}), "README.md names the commands that are compared here")
for judge, its in ((newest.OLD, "the machine's"), (newest.RAW, "the newest")):
    for command in COMMANDS:
        compare(judge, its, command)
    injected(judge, its)
needs_single("hotspot", PARSER, "--input", CAPTURE, "--output", OUT)
needs_single("perf2bolt", "perf2bolt-16", "-nl", "-p", CAPTURE, "-o", OUT, WORKLOAD)
tap.done()
