#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every option that `perf report -h` tells of is taken, or refused in one sentence of our own; the manual names each."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import perf_options  # noqa: E402

perf_options.check("report", ["-g"], {"--sort": "comm", "--call-graph": "none", "--percentage": "relative", "--time-quantum": "1ms",
                                      "--field-separator": ";"})
