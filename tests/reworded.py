#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/reworded.tsv, for scripts that look for sentences of tstream: no message has the old words, and one has the new ones."""
import os
import sys

ROOT = os.environ.get("abs_srcdir", ".")
sys.path.insert(0, os.path.join(ROOT, "tests/support"))
import tap  # noqa: E402
import texts  # noqa: E402


def main():
    rows = [line.split("\t") for line in texts.read("docs/reworded.tsv").splitlines()[1:]]
    said = "\n".join(message for path in texts.sources("*.[ch]") for message in texts.literals(texts.read(path)))
    tap.ok(len(rows) > 100 and all(len(row) == 2 for row in rows), "the table has sentences, old and new", f"{len(rows)} rows")
    tap.equal([old for old, new in rows if old in said.replace(new, "")], [], "no message has the old words")
    tap.equal([new for _, new in rows if new not in said], [], "the new words are in a message")
    tap.done()


if __name__ == "__main__":
    main()
