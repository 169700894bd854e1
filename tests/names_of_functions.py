#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The name of a function tells its file: it begins with the first word of the header's name, with all of it, or with a struct or
enum that the header defines, in the singular or the plural. `ts_` stands before what common/ exports, and nowhere else."""
import os
import re
import sys

ROOT = os.environ.get("abs_srcdir", ".")
sys.path.insert(0, os.path.join(ROOT, "tests/support"))
import tap  # noqa: E402
import texts  # noqa: E402

DIRECTIVE = re.compile(r"^\s*#(?:.*\\\n)*.*", re.M)
BODY = re.compile(r"\{[^{}]*\}")
TYPE = re.compile(r"^(?:struct|enum|union) (\w+) \{", re.M)
BOTH = {"common/base/min_max.h: ts_max"}  # of a pair in the file's name
FUNCTION = re.compile(r"^(?!typedef|return|else)(?:static inline )?[a-z][\w \*]*?\b\**([a-z_]\w*)\(", re.M)


def forms(name):
    """In the singular and the plural."""
    return {name, name + "s", name.removesuffix("s"), re.sub("ies$", "y", name), re.sub("y$", "ies", name)}


def functions(text):
    """The functions that a header declares or defines, and its types."""
    text = DIRECTIVE.sub("", texts.without_comments(text))
    types = TYPE.findall(text)
    while BODY.search(text):
        text = BODY.sub(";", text)
    return FUNCTION.findall(text), types


def fault(path, function, types):
    """A sentence, or None."""
    is_common = path.startswith("common/")
    if function.startswith("ts_") != is_common:
        return f"{path}: {function}(): " + ("ts_ is missing" if is_common else "ts_ is for what common/ exports")
    name, base = function.removeprefix("ts_"), os.path.basename(path)[:-2]
    begins = set.union(*map(forms, [base.split("_")[0], base] + [one.removeprefix("ts_") for one in types]))
    if f"{path}: {function}" not in BOTH and not any(name == begin or name.startswith(begin + "_") for begin in begins):
        return f"{path}: {function}(): its name does not tell its file"
    return None


def main():
    nr, faults = 0, []
    for path in texts.sources("*.h"):
        names, types = functions(texts.read(path))
        nr += len(names)
        faults += filter(None, (fault(path, name, types) for name in names))
    found = {name: bool(fault("reader/rows/table_build.h", name, ["visit"])) for name in
             ("table_build", "tables_add", "visit_all", "ts_table_build", "row_add", "tabular")}
    tap.equal(found, {"table_build": False, "tables_add": False, "visit_all": False, "ts_table_build": True, "row_add": True,
                      "tabular": True}, "a name that does not tell its file is found")
    tap.ok(nr > 1000, "headers are read", f"only {nr} functions")
    tap.ok(not faults, "the name of every function tells its file", "\n".join(faults))
    tap.done()


if __name__ == "__main__":
    main()
