#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The captures of crafted.py through the commands that it leaves out: they need no sanitizer to see a crash, a command that does not
end, memory without bound, or a failure without a sentence."""
import functools
import os
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import crafted  # noqa: E402
import tap  # noqa: E402

tap.at_once([functools.partial(crafted.put_through, number, crafted.commands_of(number, False)) for number in range(len(crafted.KINDS))])
tap.done()
