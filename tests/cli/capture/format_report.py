#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tstream report --stats and perf report --stats print the same of streams laid by hand, also of one
whose recorder died while a block was being laid, which is a sound capture."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import damage
import tap


if not shutil.which("perf"):
    tap.skip_all("perf is not installed (package linux-perf)")


def difference(where):
    """What tstream says otherwise than perf; empty: nothing."""
    perf = tap.run("perf", "report", "--stats", "-i", where)
    ours = tap.run(tap.TSTREAM, "report", "--stats", "-i", where)
    if (ours.status, tap.but_losses(ours.err), ours.out) == (0, "", perf.out):
        return ""
    return f"status {ours.status}, {ours.err}\ntstream:{ours.out}\nperf:{perf.out}"


for kind in ("plain", "compressed", "example"):
    wrong = difference(damage.lay(kind)[0])
    tap.ok(not wrong, f"{kind}: the same as perf", wrong)
_, states = damage.lay("cut")
chosen = sorted({*range(0, states, 5), *range(states - 3, states + 1)})
wrong = [f"after {n} states: {text}" for n in chosen if (text := difference(damage.lay("cut", str(n))[0]))]
tap.ok(not wrong, f"cut at any of {len(chosen)} instants: the same as perf, status 0", "\n".join(wrong[:3]))
tap.done()
