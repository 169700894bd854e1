#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rewrites a patch that was made before the files moved into rooms:

    docs/moved.py <old.patch >new.patch && git apply -3 new.patch

Paths (also those that are included), include guards and names of files become the new ones, by docs/moved.tsv. The order of
includes changed, too: where a patch has some of them as context, git apply --reject shows what is left to do by hand."""
import os
import re
import sys

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "moved.tsv")


def replaced(text, names, pattern):
    """text with each name of the table by its new one, where pattern, which has one group for the name, finds it."""
    found = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    return re.sub(pattern.replace("NAME", f"({found})"), lambda match: names[match.group(1)], text)


def guard(path):
    return "TS_" + re.sub(r"\W", "_", path).upper()


def rewritten(patch, moved):
    bases = {os.path.basename(old): os.path.basename(new) for old, new in moved.items()}
    patch = replaced(patch, moved, r"(?:(?<![\w/.-])|(?<=\b[ab]/)|(?<=\.\./))NAME(?![\w/])")
    patch = replaced(patch, {guard(old): guard(new) for old, new in moved.items() if old.endswith(".h")}, r"\bNAME\b")
    return replaced(patch, {old: new for old, new in bases.items() if old != new}, r"(?<![\w/.-])NAME(?![\w/])")


def main():
    if len(sys.argv) > 1:
        sys.exit("usage: docs/moved.py <old.patch >new.patch")
    with open(TABLE, encoding="utf-8") as table:
        moved = dict(line.rstrip("\n").split("\t") for line in list(table)[1:])
    sys.stdout.reconfigure(errors="surrogateescape", newline="\n")
    sys.stdin.reconfigure(errors="surrogateescape", newline="\n")
    sys.stdout.write(rewritten(sys.stdin.read(), moved))


if __name__ == "__main__":
    main()
