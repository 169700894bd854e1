#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""In the build with sanitizers a test fails, and for good, when any process of it has a report, also one that nobody listens to."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

if not os.environ.get("SANITIZED"):
    tap.skip_all("not the build with sanitizers")

SOURCE = os.path.abspath(os.environ.get("abs_srcdir", "."))
MISTAKEN = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/mistaken")
TESTS = {
    "Python": """
import os, sys
sys.path.insert(0, os.environ["abs_srcdir"] + "/tests/support")
import tap
tap.equal(tap.run(os.environ["MISTAKEN"], os.environ["MISTAKE"]).status, 0, "the program ends well")
tap.done()
""",
    "shell": """
. "$abs_srcdir/tests/support/tap.sh"
run "$MISTAKEN" "$MISTAKE"
is "the program ends well" "$status" 0
done_testing
""",
    "skipped": """
. "$abs_srcdir/tests/support/tap.sh"
"$MISTAKEN" "$MISTAKE"
skip_all "there is nothing here"
""",
}
INTERPRETERS = {"Python": sys.executable, "shell": "sh", "skipped": "sh"}
WELL = {"Python": "ok 1 - the program ends well\n1..1\n", "shell": "ok 1 - the program ends well\n1..1\n",
        "skipped": "1..0 # SKIP there is nothing here\n"}
elsewhere = tap.path("elsewhere")
os.mkdir(elsewhere)


def watched(kind, mistake):
    """A test of that kind. A path for reports that its environment names is not the one they must take."""
    test, there = tap.path(kind), f"log_path={elsewhere}/report"
    with open(test, "w") as file:
        file.write(TESTS[kind])
    return tap.run("sh", f"{SOURCE}/tests/watched.sh", INTERPRETERS[kind], test,
                   env={"ASAN_OPTIONS": there, "UBSAN_OPTIONS": there, "MISTAKEN": MISTAKEN, "MISTAKE": mistake,
                        "abs_srcdir": SOURCE, "abs_builddir": tap.scratch})


def fails_for(kind, mistake, words):
    result = watched(kind, mistake)
    tap.ok(result.status == 1 and result.out.startswith(WELL[kind] + "not ok") and words in result.out,
           f"{kind}: a test fails for a grandchild's {mistake}", result)
    tap.ok(result.out.endswith("\n# final: a sanitizer's report\n"), f"{kind}: and is not run again", result)


for kind in TESTS:
    result = watched(kind, "none")
    tap.equal((result.status, result.out), (0, WELL[kind]), f"{kind}: a test passes without a report")
    fails_for(kind, "undefined", "runtime error: shift exponent 40 is too large")
    fails_for(kind, "overrun", "heap-buffer-overflow")
tap.equal(os.listdir(elsewhere), [], "no report went elsewhere")
tap.done()
