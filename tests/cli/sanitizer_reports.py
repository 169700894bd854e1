#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""In the build with sanitizers a script fails, and for good, when any process of it has a report, also one that nobody listens to."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

if not tap.SANITIZED:
    tap.skip_all("not the build with sanitizers")

MISTAKEN = os.path.join(os.environ.get("abs_builddir", "."), "tests/support/mistaken")
SUPPORT = os.path.join(os.environ.get("abs_srcdir", "."), "tests/support")
SCRIPTS = {
    "Python": ["-c", """
import sys
sys.path.insert(0, sys.argv[1])
import tap
tap.equal(tap.run(*sys.argv[2:]).status, 0, "the program ends well")
tap.done()
"""],
    "shell": ["-c", """
. "$1/tap.sh"
shift
run "$@"
is "the program ends well" "$status" 0
done_testing
""", "script"],
}
INTERPRETERS = {"Python": sys.executable, "shell": "sh"}
elsewhere = tap.path("elsewhere")
os.mkdir(elsewhere)


def said(language, mistake):
    """What a script says of the program. A path for reports that its environment names is not the one they must take."""
    there = f"log_path={elsewhere}/report"
    return tap.run(INTERPRETERS[language], *SCRIPTS[language], SUPPORT, MISTAKEN, mistake,
                   env={"ASAN_OPTIONS": there, "UBSAN_OPTIONS": there}).out


def fails_for(language, mistake, words):
    out = said(language, mistake)
    tap.ok("ok 1 - the program ends well" in out and "not ok 2" in out and words in out,
           f"{language}: a script fails for a grandchild's {mistake}", out)
    tap.ok("\n# final: a sanitizer's report\n" in out and out.endswith("\n1..2\n"), f"{language}: and is not run again", out)


for language in SCRIPTS:
    out = said(language, "none")
    tap.equal(out, "ok 1 - the program ends well\nok 2 - no process has a report of a sanitizer\n1..2\n",
              f"{language}: a script passes without a report")
    fails_for(language, "undefined", "runtime error: shift exponent 40 is too large")
    fails_for(language, "overrun", "heap-buffer-overflow")
tap.done()
