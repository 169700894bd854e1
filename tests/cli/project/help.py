#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The help of each command fits a screen, and it and the manual tell of every option that the program knows."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

LINES, COLUMNS = 50, 92
OWN = {"--help", "--usage"}
QUIETLY = {"--stdio", "--comm", "--dso", "--symbol"}  # other names, and what changes nothing
DOCS = os.path.join(os.environ.get("abs_srcdir", "."), "docs")


def options(text):
    return set(re.findall(r"(?<![\w-])--[A-Za-z][a-z-]*", text))


def manual(command):
    with open(os.path.join(DOCS, f"tstream-{command}.1"), encoding="utf-8") as f:
        return f.read().replace("\\-", "-").replace("\\fR", " ").replace("\\fI", "").replace("\\fB", "")


for command in ("record", "report", "script", "check", "merge", "compact", "archive", "list"):
    result = tap.run(tap.TSTREAM, command, "--help")
    lines = result.out.splitlines()
    tap.ok(not result.status and not result.err and len(lines) <= LINES and max(map(len, lines)) <= COLUMNS,
           f"{command} --help fits a screen", f"{len(lines)} lines, {max(map(len, lines))} columns: {result.err}")
    tap.equal(options(result.out) - options(manual(command)) - OWN, set(), f"the manual has all of {command} --help")
for command in ("report", "script"):
    known = options(tap.run(tap.TSTREAM, command, "--usage").out) - OWN
    for sentence, text in (("help", tap.run(tap.TSTREAM, command, "-h").out), ("manual", manual(command))):
        tap.equal(known - options(text) - (QUIETLY if sentence == "help" else set()), set(), f"the {sentence} of {command} tells of every option")
tap.done()
