#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every fuzz target of the build folder for FUZZ_SECONDS (60) each, from an input that FUZZ_FROM or the clock chooses."""
import glob
import os
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

SECONDS = os.environ.get("FUZZ_SECONDS", "60")
FROM = os.environ.get("FUZZ_FROM", str(int(time.time()) << 24))


def main():
    folder = os.path.join(os.environ.get("abs_builddir", "."), "tests/fuzz")
    targets = [t for t in sorted(glob.glob(os.path.join(folder, "fuzz_*"))) if "." not in os.path.basename(t)]
    if not targets:
        tap.skip_all("no fuzz target is built")
    for target in targets:
        result = tap.run(target, timeout=float(SECONDS) * 2 + 120, env={"FUZZ_SECONDS": SECONDS, "FUZZ_FROM": FROM})
        print(f"# {os.path.basename(target)}: {result.out.strip()}")
        tap.ok(result.status == 0, f"{os.path.basename(target)} stands {SECONDS} s from input {FROM}",
               f"status {result.status}\n{result.out}{result.err}")
    tap.done()


main()
