#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Captures with more samples than browsers open are refused by `export --format=firefox`, with a remedy that works."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import firefox_file  # noqa: E402
import tap  # noqa: E402

LAY = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/lay_story")
if not firefox_file.is_built():
    tap.skip_all("this tstream was built without zlib")
capture, out = tap.path("many"), tap.path("many.json.gz")
if tap.run(LAY, capture, "plain", "2", "5100000", "10", "1", timeout=600).status:
    tap.skip_all("no capture could be made")
refused = tap.run(tap.TSTREAM, "export", "--format=firefox", "-o", out, capture, timeout=600)
remedy = re.findall(r"--time=0%-\d+%", refused.err)
tap.ok(refused.status == 1 and "at most 5000000 samples, and there are 5100000" in refused.err and remedy and not os.path.exists(out),
       "more than 5 million samples are refused, and the sentence names --time", refused.err)
less = tap.run(tap.TSTREAM, "export", "--format=firefox", remedy[0], "-o", out, capture, timeout=600)
samples = sum(len(thread.samples) for thread in firefox_file.Profile(out).threads) if less.status == 0 else 0
tap.ok(4000000 < samples <= 5000000 and f"{samples} samples" in less.err, "the remedy that it names works", less.err)
tap.done()
