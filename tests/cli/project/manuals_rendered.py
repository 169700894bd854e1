#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each manual is formatted and searched for the faults of roff that its source hides: a font macro that glues words together, a
blank before a comma, a line that does not fit. First a small page shows that each kind of fault is found."""
import glob
import os
import re
import shutil
import subprocess
import sys

ROOT = os.environ.get("abs_srcdir", ".")
sys.path.insert(0, os.path.join(ROOT, "tests/support"))
import tap  # noqa: E402
import texts  # noqa: E402

COLUMNS = 80
MOST_LETTERS = 24  # in a row: the longest of the manuals is YYYYmmddHHMMSScc
GROFF = "groff", "-t", "-man", "-Tutf8", "-ww", f"-rLL={COLUMNS}n", "-rHY=0", "-P-c", "-P-b", "-P-u"
MAN = "man", "--warnings=w", "--no-hyphenation", "--no-justification", "-l", "-"

GLUED_WORDS = re.compile(r"[A-Za-z]{%d,}" % (MOST_LETTERS + 1))
GLUED_SENTENCES = re.compile(r"\w[.!?][A-Z][a-z]")
BLANK_BEFORE_COMMA = re.compile(r"(?<=\S) +[.,;:](?=\s|$)")
VALUE_APART = re.compile(r"--[a-z][\w-]* +=")

NUMBERS = dict(zip("a one two three four five six seven eight nine ten".split(), (1, *range(1, 11))))
SECONDS = {"second": 1, "minute": 60, "hour": 3600}
DURATION = re.compile(r"\bfor (\w+) (second|minute|hour)s?\b")
SLEEP = re.compile(r"\bsleep (\d+)")

PAGE = r""".TH PAGE 1 "" "tstream" "tstream manual"
.SH NAME
page \- an example of a page
.SH DESCRIPTION
The kernel's symbols come from
.IR /proc/kallsyms .
It may be of another boot of that kernel.
The files are data.N, DIR.YYYYmmddHHMMSScc and tstream.UID.PID.
.TP
.BR \-\-last =\fITIME\fR
Print only samples of this time.
.SH EXAMPLES
Record for two seconds:
.PP
.EX
tstream record \-\-a\-line\-of\-an\-example\-may\-be\-wider\-than\-the\-page\-because\-nobody\-can\-break\-it \-\- sleep 2
.EE
"""
FAULTS = {
    "words that a macro glues together": (".IR /proc/kallsyms .\nIt may", ".IR /proc/kallsyms . It may", "words are glued together"),
    "sentences that a macro glues together": (".\nIt may be of another boot", ". It\nmay be of another boot", "sentences are glued together"),
    "a blank before a full stop": (".IR /proc/kallsyms .", ".I /proc/kallsyms .", "a blank stands before"),
    "a blank before a comma": (".IR /proc/kallsyms .", ".I /proc/kallsyms\n, which says so.", "a blank stands before"),
    "a value apart from its option": (r".BR \-\-last =", r".B \-\-last =", "an option stands apart from its value"),
    "a macro that does not exist": (".EX\n", ".XX\n.EX\n", "the formatter warns"),
    "a line that is too wide": ("data.N,", "/" + "folder/" * 14 + "file,", "a line is wider than the page"),
    "a table that is too wide": (".SH EXAMPLES", ".TS\nl l.\n" + "a\t" + "wide " * 20 + "\n.TE\n.SH EXAMPLES", "the formatter warns"),
    "another duration in the example": ("sleep 2", "sleep 1", "says two seconds above sleep 1"),
}


def formatter():
    """The command that formats a page from its standard input, or None."""
    for command in GROFF, MAN:
        if shutil.which(command[0]):
            return command
    return None


def formatted(source):
    """The page as a reader sees it, and the warnings."""
    env = {**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": str(COLUMNS)}
    made = subprocess.run(formatter(), input=source, env=env, capture_output=True, text=True, encoding="utf-8", check=False)
    return made.stdout, made.stderr.splitlines() or ([f"it ends with status {made.returncode}"] if made.returncode else [])


def faults_of_durations(source):
    """"for two seconds" above an example that sleeps for one."""
    before = ""
    for is_example, text in texts.parts_of_manual(source):
        if not is_example:
            before = re.split(r"^\.S[HS]\b", text, flags=re.M)[-1]
            continue
        sleeps = [int(nr) for nr in SLEEP.findall(text)]
        for nr, unit in DURATION.findall(before):
            if sleeps and NUMBERS.get(nr, int(nr) if nr.isdigit() else 0) * SECONDS[unit] not in sleeps:
                yield f"the text says {nr} {unit}s above sleep {sleeps[0]}"


def faults_of_words(prose):
    """Font macros print their arguments without blanks, or with too many."""
    for word in prose.split():
        if GLUED_WORDS.search(word):
            yield f"words are glued together: {word}"
        elif GLUED_SENTENCES.search(word):
            yield f"sentences are glued together: {word}"
    for line in prose.splitlines():
        if BLANK_BEFORE_COMMA.search(line):
            yield f"a blank stands before a comma or a full stop: {line.strip()}"
        if VALUE_APART.search(line):
            yield f"an option stands apart from its value: {line.strip()}"


def faults(source):
    prose, _ = formatted(texts.without_examples(source))
    yield from (f"the formatter warns: {warning}" for warning in formatted(source)[1])
    yield from (f"a line is wider than the page: {line}" for line in prose.splitlines() if len(line) > COLUMNS)
    yield from faults_of_words(prose)
    yield from faults_of_durations(source)


def main():
    if not formatter():
        tap.skip_all("neither groff nor man is installed")
    found = list(faults(PAGE))
    tap.ok(not found, "a sound page is sound", "\n".join(found))
    for fault, (old, new, sentence) in FAULTS.items():
        found = list(faults(PAGE.replace(old, new)))
        tap.ok(old in PAGE and any(sentence in line for line in found), f"{fault} is found", "\n".join(found))
    pages = sorted(glob.glob(os.path.join(ROOT, "docs/*.1")))
    tap.ok(pages, "there are manuals")
    for path in pages:
        found = list(faults(texts.read(path)))
        tap.ok(not found, f"{os.path.basename(path)} is printed as it is meant", "\n".join(found))
    tap.done()


if __name__ == "__main__":
    main()
