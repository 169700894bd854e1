#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Style, markup and script of the page (reader/html): their hashes are those of the table, they are small and complete, and the page
may hold them as they are."""
import os
import re
import shutil
import sys

TOP = os.environ.get("abs_srcdir", ".")
sys.path.insert(0, os.path.join(TOP, "tests/support"))
import page_hashes  # noqa: E402
import tap  # noqa: E402

MOST_OF_A_FILE, MOST = 400, 2500  # lines
ROOM = "reader/html"


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


listed = re.findall(r"^page_files \+= (\S+)$", read(ROOM + "/local.mk"), re.M)
texts = {path: read(path) for path in listed}
there = {f"{ROOM}/{name}" for name in os.listdir(os.path.join(TOP, ROOM)) if name.endswith((".js", ".css", ".html"))}
tap.equal(sorted(listed), sorted(there), "each file is listed once in local.mk")
with_hash = [path for path in listed if not path.endswith(".html")]
tap.equal(read(page_hashes.TABLE), page_hashes.table_of([os.path.join(TOP, path) for path in with_hash]), "page_hashes.tsv has their hashes (make page-hashes)")

lines = {path: text.count("\n") for path, text in texts.items()}
long = {path: nr for path, nr in lines.items() if nr > MOST_OF_A_FILE}
tap.ok(not long, f"no file has more than {MOST_OF_A_FILE} lines", long)
tap.ok(sum(lines[path] for path in with_hash) <= MOST, f"style and script have at most {MOST} lines together", sum(lines[path] for path in with_hash))

# The parser of HTML ends an element at its end tag, and reads a script otherwise behind "<!--"; a CR would become a LF, and change the hash.
ends = {path for path in with_hash if re.search(r"</(script|style)|<!--|\r|\0", texts[path], re.I)}
tap.ok(not ends, "nothing in them ends their element", ends)
loose = {path for path, text in texts.items() if not text.endswith("\n") or path in with_hash and "SPDX-License-Identifier: Apache-2.0" not in text[:200]}
tap.ok(not loose, "they end in a newline and name their licence", loose)
markup = "".join(text for path, text in texts.items() if path.endswith(".html"))
tap.ok(not re.search(r"<(script|style|link|img|iframe|object|embed|form|base)\b|\s(on\w+|style|src|href|action)=", markup, re.I),
       "the markup has no script, no style and loads nothing")
asked = {path for path, text in texts.items()
         if re.search(r"\b(fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|importScripts|eval|innerHTML|outerHTML|insertAdjacentHTML|document\.write)\b|"
                      r"\bnew (Function|Worker|SharedWorker)\b|\burl\(|@import|https?://", text) and path in with_hash}
tap.ok(not asked, "script and style load nothing, and make no markup of texts", asked)

node = shutil.which("node")
scripts = [path for path in listed if path.endswith(".js")]
if node:
    said = {path: result.err for path in scripts if (result := tap.run(node, "--check", os.path.join(TOP, path))).status}
    tap.ok(not said, "node finds no error in the scripts", said)
else:
    tap.skip("node finds no error in the scripts", "node is not installed")
tap.done()
