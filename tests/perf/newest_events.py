#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""script prints of every event of this kernel what the machine's own perf or the newest prints of the same record.

Of some events the two differ: perf 6.1 takes %zu for 32 bits, and each has a version of libtraceevent that can parse what others
cannot. The records are those of every_event.py, with large sizes as well.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import newest
import tap
import every_event  # noqa: E402
import tracepoints  # noqa: E402

newest.enter()
if not tap.has_tracepoints():
    tap.skip_all("the formats of this kernel's events cannot be read")
for seed in range(1, 6):
    capture = tap.path("every")
    events = every_event.make(capture, tracepoints.Content(seed))
    every_event.compare([newest.RAW, *filter(None, [newest.OLD])], capture, events, f"every event of this kernel, contents {seed}")
tap.done()
