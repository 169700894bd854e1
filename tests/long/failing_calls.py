#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each call of 14 kinds that a command makes fails once, alone and with all behind it (tests/support/failing.py says what is right).

FAILING_COMMANDS and FAILING_KINDS (all) are lists with commas. FAILING_STEP (5): of recorders, which are slow and make
thousands of calls, each such call of a kind with many fails, from a first one on that FAILING_DRAW (the date) draws.
"""
import collections
import datetime
import os
import random
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import failing  # noqa: E402
import tap  # noqa: E402

failing.skip_where_impossible()
STEP = int(os.environ.get("FAILING_STEP", "5"))
MANY = 50
DRAW = os.environ.get("FAILING_DRAW") or str(datetime.date.today())


def listed(variable, names):
    chosen = os.environ.get(variable)
    return [name for name in names if not chosen or name in chosen.split(",")]


def runs_of(command, kind):
    nr = command.nr_calls(kind)
    step = STEP if isinstance(command, failing.Recorder) and nr > MANY else 1
    first = 1 + random.Random(DRAW + command.name + kind).randrange(step)
    return [(command, kind, at, is_all) for at in range(first, nr + 1, step) for is_all in (False, True)]


def judge(command, kind, runs):
    """runs: [(its arguments, the Run)]"""
    wrong = collections.defaultdict(list)
    for (_, _, at, is_all), run in runs:
        if run.wrong:
            wrong[run.wrong, run.place()].append(f"FAIL_AT={at}{' FAIL_ALL=1' if is_all else ''}")
    shown = [f"{len(ats)} times: {what}: {place}: {ats[0]}" for (what, place), ats in wrong.items()]
    tap.ok(not wrong, f"{command.name}: {kind} fails: {len(runs)} runs, {sum(map(len, wrong.values()))} wrong", "\n".join(shown))


tap.note(f"FAILING_DRAW={DRAW}")
commands = {c.name: c for c in failing.commands()}
for name in listed("FAILING_COMMANDS", commands):
    for kind in listed("FAILING_KINDS", failing.KINDS):
        wanted = runs_of(commands[name], kind)
        judge(commands[name], kind, list(zip(wanted, tap.at_once([lambda w=w: w[0].run(*w[1:]) for w in wanted]))))
tap.done()
