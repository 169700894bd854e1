#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls that fail, drawn: a sample of tests/long/failing_calls.py, which has them all.

FAILING_DRAW is the draw, always the same one if not given: a change passes or fails by itself.
FAILING_NR (150) is the number of drawn runs. FAILING_EVERY (3): of the calls that once were wrong each third one fails.
"""
import os
import random
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import failing
import tap

failing.skip_where_impossible()
DRAW = os.environ.get("FAILING_DRAW", "1")
NR = int(os.environ.get("FAILING_NR", "150"))
EVERY = int(os.environ.get("FAILING_EVERY", "3"))
# A recorder is slow, so fewer of its runs are drawn.
WEIGHTS = {failing.Command: 4, failing.Shown: 4, failing.Repair: 4, failing.Archive: 2, failing.Recorder: 1}

draw = random.Random(DRAW)
commands = failing.commands()
weights = [WEIGHTS[type(command)] for command in commands]
drawn = [(draw.choices(commands, weights)[0], draw.choice(("malloc", *failing.KINDS)), draw.random(), draw.random() < 0.3)
         for _ in range(NR)]
tap.note(f"FAILING_DRAW={DRAW}")


def run(command, kind, part, is_all):
    """What is wrong, or None."""
    nr = command.nr_calls(kind)
    if not nr:
        return None
    at = 1 + int(part * nr)
    done = command.run(kind, at, is_all)
    return done.wrong and f"{command.name}: FAIL_KIND={kind} FAIL_AT={at}{' FAIL_ALL=1' if is_all else ''}: {done.wrong}: {done.place()}"


def check_each(command, kind, begin=0, end=1, every=EVERY):
    """Calls of a part of a command fail, each alone."""
    nr = command.nr_calls(kind)
    tries = range(1 + int(begin * nr), 1 + int(end * nr), every)
    runs = tap.at_once([lambda at=at: command.run(kind, at) for at in tries])
    wrong = [f"FAIL_AT={at}: {done.status}: {done.wrong or done.err}: {done.place()}" for at, done in zip(tries, runs)
             if done.wrong or done.status == 0 and "tstream: cannot" in done.err]
    tap.ok(tries and not wrong, f"{command.name}: {len(tries)} times {kind} fails: the status tells each error", "\n".join(wrong))


wrong = [text for text in tap.at_once([lambda d=d: run(*d) for d in drawn]) if text]
tap.ok(not wrong, f"{NR} drawn calls fail: each is said, or changes nothing", "\n".join(wrong[:20]))
check_each(failing.second_snapshot(), "malloc", 3 / 8, 9 / 16)  # from the end of a segment to the list of segments
check_each(failing.end_of_memory(), "rename", every=1)
for name, kind in (("repair damaged", "malloc"), ("script map", "stat"), ("compact jit", "stat"), ("compact map", "malloc"), ("check", "open")):
    for command in [c for c in commands if c.name == name]:
        check_each(command, kind)
tap.done()
