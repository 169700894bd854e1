#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each kind of thing that a capture can have many of, through each command: four times as many cost at most six times as much CPU time
and memory, and a megabyte costs at most 5 s and 256 MiB. BOUNDED_N (10000) things in the smaller capture."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import growing  # noqa: E402
import tap  # noqa: E402

N = int(float(os.environ.get("BOUNDED_N", "10000")))


def compare(name, commands):
    growing.compare(name, N, commands, growing.SECONDS_OF_MB)


tap.at_once([lambda name=name: compare(name, growing.COMMANDS) for name in growing.KINDS] +
            [lambda name=name: compare(name, growing.COMMANDS_OF_TWO) for name in ("rings_of_two_notes", "copies_with_other_ends")])
tap.done()
