#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages of docs/decisions have one form, their rooms exist, and the index lists each of them under its title.

The READMEs of rooms name a decision by its title. The first room of a decision cites it, and it names all rooms that do."""
import glob
import os
import re
import sys

ROOT = os.environ.get("abs_srcdir", ".")
sys.path.insert(0, os.path.join(ROOT, "tests/support"))
import tap  # noqa: E402
import texts  # noqa: E402

FOLDER = "docs/decisions"
HEAD = re.compile(r"# (\d+)\. (.+)\n\nStatus: (holds|replaced)[^\n]*(?:\n[^\n]+)*\n\nRooms: ([^\n]+(?:\n[^\n]+)*)\n\n\*\*Question\.\*\* ")
SECTIONS = "Question", "Decision", "Why", "Not chosen", "Measured", "Tests"
NEEDED = "Question", "Decision", "Why"
ROW = re.compile(r"^\| \[(\d+)\. (.+)\]\((\S+)\) \| \S.* \| ((?:holds|replaced)[^|]* )?\|$", re.M)
STATUS = re.compile(r"^Status: (.+(?:\n.+)*)", re.M)
ROOM = re.compile(r"\w+/\w+")
LINK = re.compile(r"\[([^\]]+)\]\(\.\./\.\./docs/decisions/([^)]+)\)")


def read(name):
    return texts.read(os.path.join(FOLDER, name))


def rooms(name):
    """As its page names them; "build and tests" is none."""
    head = HEAD.match(read(name))
    return ROOM.findall(head[4]) if head else []


def citations():
    """(room, text of the link, page) out of the READMEs of rooms."""
    for path in texts.sources("README.md"):
        yield from ((os.path.dirname(path), text, name) for text, name in LINK.findall(texts.read(path)))


def faults(name):
    text = read(name)
    head = HEAD.match(text)
    if not head or int(head[1]) != int(name[:4]):
        yield f"{name} does not begin with its number, a title, Status, Rooms and the question"
        return
    for room in rooms(name):
        if not os.path.isdir(os.path.join(ROOT, room)):
            yield f"{name}: there is no {room}"
    found = [section for section in re.findall(r"^\*\*([A-Z][a-z ]+)\.\*\*|^\*\*(?:Measured|Tests)\b", text, re.M) if section]
    known = [section for section in found if section in SECTIONS]
    if known != sorted(known, key=SECTIONS.index) or not set(NEEDED) <= set(known):
        yield f"{name} has the sections {known}"


def status_of(name):
    """The status of a page, as the index has it: without links and the last full stop, and empty if it is only "holds"."""
    found = STATUS.search(read(name)) or ("", "")
    words = " ".join(found[1].split()).removesuffix(".")
    return "" if words == "holds" else re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", words)


def main():
    pages = sorted(os.path.basename(path) for path in glob.glob(os.path.join(ROOT, FOLDER, "0*.md")))
    tap.ok(len(pages) > 80, "there are decisions", f"{len(pages)} pages")
    wrong = [fault for name in pages for fault in faults(name)]
    tap.ok(not wrong, "every page has the form: status, rooms, question, decision, why", "\n".join(wrong))
    titles = {name: read(name).split("\n")[0].removeprefix("# ") for name in pages}
    rows = ROW.findall(read("README.md"))
    tap.equal({name: f"{number}. {title}" for number, title, name, _ in rows}, titles,
              "the index has each page, with its title, a result and a status")
    tap.equal({name: status.strip() for _, _, name, status in rows}, {name: status_of(name) for name in titles},
              "the index has the status of each page that does more than hold")
    cited = list(citations())
    wrong = [f"{room}: {text} is {titles.get(name, 'no page')}" for room, text, name in cited if titles.get(name) != text]
    tap.ok(not wrong, "READMEs of rooms name decisions by their titles", "\n".join(wrong))
    wrong = [f"{name} has not the room {room}" for room, _, name in cited if name in titles and room not in rooms(name)]
    citing = {(room, name) for room, _, name in cited}
    wrong += [f"{rooms(name)[0]} does not cite {name}" for name in pages if rooms(name) and (rooms(name)[0], name) not in citing]
    tap.ok(not wrong, "a decision has all rooms that cite it, and its first room does", "\n".join(wrong))
    tap.done()


if __name__ == "__main__":
    main()
