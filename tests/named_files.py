#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every file of the project that documents, manuals, scripts and comments name exists, and every function that documents name.
The README of a room names each of its modules, in 10 to 40 lines under the same headings."""
import os
import re
import sys

ROOT = os.environ.get("abs_srcdir", ".")
sys.path.insert(0, os.path.join(ROOT, "tests/support"))
import tap  # noqa: E402
import texts  # noqa: E402

TOP = "README.md", "bootstrap", "configure.ac", "Makefile.am", "tstream.c", ".ci/run"
TEXT = ".c", ".h", ".py", ".sh", ".md", ".mk", ".1", ".service"
PATH = re.compile(r"(?<![\w./<$}*%-])((?:common|streamer|reader|tests|docs)/[a-z0-9_/.-]+\.(?:c|h|py|sh|md|mk|1|json|tsv|service|proto))\b(?![*(])")
BARE = re.compile(r"(?<![\w./<\"'$}*-])([a-z0-9_]+\.[ch])\b(?!\()")
LINK = re.compile(r"\]\(([^)#:]+)\)")
OTHERS = {"config.h": "configure makes it", "load.c": "read_stacks.py makes it", "perf_regs.h": "Linux", "sched.h": "glibc",
          "xxhash.h": "libxxhash"}
FUNCTION = re.compile(r"`([a-z_0-9]+)\(\)`")
CALLED = re.compile(r"\b([a-z_0-9]+)\(")
OF_LINUX = re.compile(r"(__)?perf_(output|poll|mmap|event)\w*|openat2|membarrier")
ROOM = re.compile(r"(?:common|streamer|reader)/\w+")
LENGTH = range(10, 41)  # lines of the README of a room
HEADINGS = "Flow", "Invariants", "Threads", "Decisions"
MADE_UP = "tests/cli/project/old_patch.py", "tests/cli/project/law_of_rooms.py"  # name files of old, and of a small house


def exists(name):
    """A file, or what the build makes of one."""
    name = re.sub(r"\.pb-c\.[ch]$", ".proto", name)
    return os.path.exists(os.path.join(ROOT, re.sub(r"\.made\.c$", ".awk", name)))


def prose(path, text):
    """The part of a file that people read: of a program in C its comments."""
    return "\n".join(texts.comments(text)) if path.endswith((".c", ".h")) else text


def named(path, text):
    """The files that it names: paths from the top, names of sources, what a document links to."""
    bare = [name for name in BARE.findall(text) if name not in OTHERS]
    links = LINK.findall(text) if path.endswith(".md") else []
    return PATH.findall(text) + [os.path.normpath(os.path.join(os.path.dirname(path), link)) for link in links], bare


def functions_gone(known):
    """Functions that a document names, and no program calls or defines."""
    there = {name for path in known if path.endswith((".c", ".h")) for name in CALLED.findall(texts.without_comments(texts.read(path)))}
    for path in sorted(path for path in known if path.endswith(".md")):
        yield from (f"{path}: {name}()" for name in FUNCTION.findall(texts.read(path))
                    if name not in there and not OF_LINUX.fullmatch(name))


def modules_untold(known):
    """Modules that the README of their room does not name, as module.c or module."""
    for path in sorted(path for path in known if path.endswith(".c") and ROOM.fullmatch(os.path.dirname(path))):
        readme = os.path.join(os.path.dirname(path), "README.md")
        name = os.path.basename(path)[:-2]
        if readme not in known:
            yield f"{path}: there is no {readme}"
        elif not re.search(rf"\b{name}\b", texts.read(readme)):
            yield f"{readme}: {name}.c"


def misshapen():
    """READMEs of rooms that are too long or too short, or have other headings; a section without content is left out."""
    for path in texts.sources("README.md"):
        text = texts.read(path)
        nr, headings = text.count("\n"), re.findall(r"^## (.*)", text, re.M)
        if nr not in LENGTH:
            yield f"{path} has {nr} lines"
        if headings != [heading for heading in HEADINGS if heading in headings]:
            yield f"{path} has the headings {headings}"


def main():
    known = {*texts.files(), *TOP}
    bases = {os.path.basename(path) for path in known}
    read = [path for path in sorted(known) if path not in MADE_UP and (path.endswith(TEXT) or path in TOP)]
    gone = []
    for path in read:
        paths, bare = named(path, prose(path, texts.read(path)))
        gone += [f"{path}: {name}" for name in paths if not exists(name)]
        gone += [f"{path}: {name}" for name in bare if name not in bases]
    tap.ok(len(read) > 500, "documents, manuals, scripts and sources are read", f"only {len(read)}")
    tap.ok(not gone, "every file that they name exists", "\n".join(gone))
    gone, untold = list(functions_gone(known)), list(modules_untold(known))
    tap.ok(not gone, "every function that documents name exists", "\n".join(gone))
    tap.ok(not untold, "the README of a room names every module of it", "\n".join(untold))
    wrong = list(misshapen())
    tap.ok(not wrong, "the README of a room has 10 to 40 lines, and the usual headings", "\n".join(wrong))
    tap.done()


if __name__ == "__main__":
    main()
