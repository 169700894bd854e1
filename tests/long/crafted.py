#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CRAFTED_NR (1000) captures with a few hostile numbers or texts, from CRAFTED_FROM (0) on, through all commands (tests/support/crafted.py).
Meant for a build with sanitizers."""
import functools
import os
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import crafted  # noqa: E402
import tap  # noqa: E402

FROM, NR = int(os.environ.get("CRAFTED_FROM", "0")), int(os.environ.get("CRAFTED_NR", "1000"))

tap.at_once([functools.partial(crafted.put_through, number) for number in range(FROM, FROM + NR)])
tap.done()
