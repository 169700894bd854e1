#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes reader/html/page_hashes.tsv: the hashes of style and script, by which the page allows them.

Usage, from the top of the tree: page_hashes.py FILE..."""
import base64
import hashlib
import os
import sys

TABLE = "reader/html/page_hashes.tsv"


def hash_of(path):
    """As a policy names it."""
    with open(path, "rb") as file:
        return "sha256-" + base64.b64encode(hashlib.sha256(file.read()).digest()).decode()


def table_of(paths):
    rows = [f"{os.path.basename(path)}\t{hash_of(path)}\n" for path in paths if not path.endswith(".html")]
    return "# make page-hashes writes this file: the SHA-256 of each style and each script of the page\n" + "".join(rows)


def main(paths):
    with open(TABLE, "w", encoding="ascii") as file:
        file.write(table_of(paths))


if __name__ == "__main__":
    main(sys.argv[1:])
