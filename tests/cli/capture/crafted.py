#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A capture of each kind with a few hostile numbers or texts through a fourth of the commands, in a build with sanitizers;
crafted_plainly.py has the others, and tests/long/crafted.py a thousand captures with all of them."""
import functools
import os
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import crafted  # noqa: E402
import tap  # noqa: E402

tap.at_once([functools.partial(crafted.put_through, number, crafted.commands_of(number, True)) for number in range(len(crafted.KINDS))])
tap.done()
