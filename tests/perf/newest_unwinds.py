#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stacks that were dumped: the newest perf finds the callers that tstream finds, sample by sample.

Debian's perf 6.1 unwinds by libunwind, its newest by libdw, with none of tstream's code: where tstream's own tables and perf 6.1
disagree, it says who is right. For each capture it is told how many samples have the same frames in both, what is different, and
how many are the same in the machine's own perf.
"""
import collections
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import newest
import script_equals_perf
import tap

if os.uname().machine != "x86_64":
    tap.skip_all("unwind tables are made for x86-64")
newest.enter()

SUPPORT = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs")
FIELDS = "comm,tid,time,event,ip,sym,symoff,dso"
PYTHON = """import json, re
for i in range(600):
    json.loads(json.dumps({'a': list(range(300))})); re.sub('[a-c]+x?', lambda m: m[0] * 2, 'abcabcxyz' * 50)
    sorted(range(2000), key=lambda x: -x)"""
PERL = "for (1..200000) { $h{$_ % 1000} .= $_; $x = join(',', sort(1..10)) }"


def functions():
    """Many, for a compiler to work on."""
    path = tap.path("functions.c")
    with open(path, "w") as f:
        f.write("int f0(int a) { return a; }\n")
        for i in range(1, 200):
            f.write(f"int f{i}(int a) {{ int s = 0; for (int j = 0; j < a; j++) s += j * {i} ^ (s >> 3); return s + f{i - 1}(a); }}\n")
    return path


def samples(text):
    return script_equals_perf.samples(newest.comparable(text))


def frames(sample):
    return [line for line in sample[1:] if line.startswith("\t")]


def kind_of(ours, theirs):
    """How frames differ; None: they do not."""
    if script_equals_perf.same([ours], [theirs]):
        return None
    mine, other = frames(ours), frames(theirs)
    if not other and len(mine) == 1 and not IN_A_FILE.search(mine[0]):
        return NO_FILE
    if other[:len(mine)] == mine:
        return "perf goes on"
    if mine[:len(other)] != other:
        return "other frames"
    return GUESSED if len(mine) == len(other) + 1 and not IN_A_FILE.search(mine[-1]) else "perf ends early"


NO_FILE = "perf leaves out a frame in memory without a file"
GUESSED = "perf leaves out a caller in no file, which a frame pointer gave"
IN_A_FILE = re.compile(r"\(/(?!/anon|tmp/perf-\d+\.map)")
MEANT = {NO_FILE, GUESSED}  # docs/long-tests.md


def compare(judge, ours, capture):
    """Kinds of differences, an example of each; None where the judge fails."""
    asked = tap.run(judge, "script", "--no-inline", "-F", FIELDS, "-i", capture, timeout=300)
    theirs = samples(asked.out)
    if asked.status or [sample[0].split() for sample in theirs] != [sample[0].split() for sample in ours]:
        return None
    found = collections.defaultdict(list)
    for mine, other in zip(ours, theirs):
        found[kind_of(mine, other)].append("\n".join([*mine, *other]))
    return found


def told(found):
    return ", ".join(f"{len(examples)} {kind or 'equal'}" for kind, examples in found.items()) if found is not None else "it fails"


def check(name, options, command):
    capture = tap.path(name.replace(" ", "_"))
    made = tap.run(tap.TSTREAM, "record", "-q", "-F", "997", "-m", "16M", *options, "-o", capture, "--", *command, cwd=tap.scratch)
    if not tap.ok(made.status == 0, f"{name}: recorded", made.err):
        return
    ours = samples(tap.run(tap.TSTREAM, "script", "-F", FIELDS, "-i", capture, timeout=300).out)
    newer, old = (compare(judge, ours, capture) if judge else None for judge in (tap.PERF, newest.OLD))
    depth = sum(len(frames(sample)) for sample in ours) / max(len(ours), 1)
    tap.note(f"{name}: {len(ours)} samples of {depth:.1f} frames; the newest perf: {told(newer)}; {newest.OLD}: {told(old)}")
    strange = None if newer is None else [f"{kind}:\n{examples[0]}" for kind, examples in newer.items() if kind and kind not in MEANT]
    tap.ok(strange == [] and newer[None] and depth > 2, f"{name}: the newest perf finds the same frames", strange or told(newer))


USER, BOTH, DWARF = ["-e", "cpu-clock:u"], ["-e", "cpu-clock"], "--call-graph"
check("a signal handler and a library", [*USER, DWARF, "dwarf"], [os.path.join(SUPPORT, "deep_calls"), "300"])
check("a dump that is too short", [*BOTH, DWARF, "dwarf,1024"], [os.path.join(SUPPORT, "deep_calls"), "300"])
check("a static-pie", [*USER, DWARF, "dwarf"], [os.path.join(SUPPORT, "deep_calls_static"), "300"])
check("tables in debug sections", [*USER, DWARF, "dwarf"], [os.path.join(SUPPORT, "deep_calls_framed"), "300"])
check("landing pads", [*USER, DWARF, "dwarf"], [os.path.join(SUPPORT, "landing_pads"), "3000"])
check("shells and code without a file", [*BOTH, DWARF, "dwarf"], [os.path.join(SUPPORT, "many_modules")])
for name, program, *arguments in (("a compiler, whole stacks", "gcc", "-O2", "-c", "-o", "functions.o", functions()),
                                  ("python", "python3", "-c", PYTHON), ("perl", "perl", "-e", PERL)):
    found = shutil.which(program, path="/usr/bin")
    if found:
        check(name, [*BOTH, DWARF, "dwarf,32768"], [found, *arguments])
    else:
        tap.skip(name, f"{program} is not installed")
gcc = shutil.which("gcc")
if gcc:
    check("a compiler, 8 KiB", [*BOTH, DWARF, "dwarf"], [gcc, "-O2", "-c", "-o", "functions.o", functions()])
tap.done()
