#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/moved.py makes a patch of before the move one of now: each file as it was, with two lines more, against the file as it is."""
import os
import subprocess
import sys

ROOT = os.path.abspath(os.environ.get("abs_srcdir", "."))
sys.path.insert(0, os.path.join(ROOT, "tests/support"))
import tap  # noqa: E402

REWRITER = os.path.join(ROOT, "docs/moved.py")
OLD = {
    "reader/outlet.h": '/* outlet.h: see reader/names.c, ../reader/text.h */\n#ifndef TS_READER_OUTLET_H\n#define TS_READER_OUTLET_H\n'
                       '\n#include "common/defuse.h"\n\nint a;\nint b;\n#endif\n',
    "tests/support/witness.c": '#include "tests/support/records.h"\n\nint stays;\nint an_outlet_h, outlet_c;\nint c;\nint d;\n',
}
NEW = {
    "reader/runtime/line_output.h": '/* line_output.h: see reader/runtime/name_table.c, ../reader/runtime/text.h */\n'
                                    '#ifndef TS_READER_RUNTIME_LINE_OUTPUT_H\n#define TS_READER_RUNTIME_LINE_OUTPUT_H\n'
                                    '\n#include "common/base/escape_text.h"\n\nint a;\nint b;\n#endif\n',
    "tests/programs/witness.c": '#include "tests/support/records.h"\n\nint stays;\nint an_outlet_h, outlet_c;\nint c;\nint d;\n',
}


def lay(folder, files):
    for name, text in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="latin-1") as file:
            file.write(text)


def edited(files):
    return {name: text.replace("int b;", "int b; /* \xe9 */").replace("int d;", "int d, e;") for name, text in files.items()}


def git(folder, *arguments, **more):
    return subprocess.run(["git", "-c", "core.autocrlf=false", *arguments], cwd=folder, capture_output=True, check=False, **more)


def main():
    before, now = tap.path("before"), tap.path("now")
    lay(os.path.join(before, "a"), OLD)
    lay(os.path.join(before, "b"), edited(OLD))
    lay(now, NEW)
    try:
        patch = git(before, "diff", "--no-index", "--no-prefix", "a", "b").stdout
    except FileNotFoundError:
        tap.skip_all("git is not installed")
    made = subprocess.run([sys.executable, REWRITER], input=patch, capture_output=True, check=False)
    tap.equal((made.returncode, made.stderr), (0, b""), "the patch is rewritten")
    applied = git(now, "apply", "-p1", "-", input=made.stdout)
    tap.equal((applied.returncode, applied.stderr), (0, b""), "it applies to the files as they are")
    for name, text in edited(NEW).items():
        with open(os.path.join(now, name), encoding="latin-1") as file:
            tap.equal(file.read(), text, f"{name} has what the patch adds")
    with open(os.path.join(ROOT, "docs/moved.tsv"), encoding="utf-8") as table:
        new = [line.rstrip("\n").split("\t")[1] for line in list(table)[1:]]
    gone = [path for path in new if not os.path.exists(os.path.join(ROOT, path))]
    tap.ok(not gone, "each new path of the table is there", "\n".join(gone))
    wrong = subprocess.run([sys.executable, REWRITER, "x"], capture_output=True, text=True, check=False)
    tap.equal((wrong.returncode, wrong.stderr), (1, "usage: docs/moved.py <old.patch >new.patch\n"), "a name is refused")
    tap.done()


if __name__ == "__main__":
    main()
