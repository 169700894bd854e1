# SPDX-License-Identifier: Apache-2.0
"""The texts of the tree, for tests that read them: files, comments and literals of C, manuals without their examples."""
import glob
import os
import re

ROOT = os.environ.get("abs_srcdir", ".")
SIDES = "common", "streamer", "reader"
FOLDERS = (*SIDES, "tests", "docs")
MADE = re.compile(r"\.(pb-c|made)\.")  # by the build
# A comment is not looked for inside a literal, nor a literal inside a comment; adjacent literals are one.
TOKEN = re.compile(r"/\*.*?\*/|(?://[^\n]*\n?[ \t]*)+|(?:\"(?:\\.|[^\"\\\n])*\"\s*)+|'(?:\\.|[^'\\])'", re.S)
PART = re.compile(r'"((?:\\.|[^"\\\n])*)"')
BEGINS = re.compile(r"\.(nf|EX|TS)\b")
ENDS = re.compile(r"\.(fi|EE|TE)\b")


def read(path):
    """A file, by its path from the top."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def files():
    """All files of the folders, as paths from the top, without those that the build makes."""
    for folder in FOLDERS:
        for here, _, names in os.walk(os.path.join(ROOT, folder)):
            yield from (os.path.relpath(os.path.join(here, name), ROOT) for name in names if not MADE.search(name))


def sources(pattern):
    """The files of the rooms whose names fit, as "*.h"."""
    return sorted(path for side in SIDES for path in glob.glob(f"{side}/*/{pattern}", root_dir=ROOT) if not MADE.search(path))


def comments(text):
    """Of a program in C, with their marks."""
    return [token for token in TOKEN.findall(text) if token.startswith("/")]


def literals(text):
    """Of a program in C, without quotes; escapes stay."""
    return ["".join(PART.findall(token)) for token in TOKEN.findall(text) if token.startswith('"')]


def without_comments(text):
    return TOKEN.sub(lambda token: " " if token.group().startswith("/") else token.group(), text)


def parts_of_manual(source):
    """Pairs (True if it is an example or a table, text), without the macros that begin and end examples."""
    is_example, lines = False, []
    for line in source.splitlines():
        if (ENDS if is_example else BEGINS).match(line):
            yield is_example, "\n".join(lines)
            is_example, lines = not is_example, []
        else:
            lines.append(line)
    yield is_example, "\n".join(lines)


def without_examples(source):
    """Readers copy an example, so it may be wider than the page; its names are no words."""
    return "\n.PP\n".join(text for is_example, text in parts_of_manual(source) if not is_example) + "\n"
