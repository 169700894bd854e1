#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sentences that people read are plain: none has over 35 words, and none has Who, What or Whoever as its subject.

    tests/sentences.py [FILE...]

Read are documents, manuals, and of programs in C the comments and the messages. Tables, examples, and what tests expect are
not.
"""
import os
import re
import sys

ROOT = os.environ.get("abs_srcdir", ".")
sys.path.insert(0, os.path.join(ROOT, "tests/support"))
import tap  # noqa: E402

MOST_WORDS = 35
FOLDERS = "common", "streamer", "reader", "tests", "docs"
ENDS = re.compile(r"(?<=[.!?])(?<!\.\.\.)[\"')*_]*\s+(?=\S)|(?<=:)\s+(?=[\"'(*_]*[A-Z])")
ABBREVIATION = re.compile(r"\b(e\.g|i\.e|cf|vs|etc)\.\s")
SUBJECT = re.compile(r"[\"'(*_]*(?:Who|What|Whoever|Whatever|Whose)\b")
WORD = re.compile(r"\w[\w'’./:+=-]*")
QUOTED = re.compile(r"``[^`]+``|`[^`]*`")
COMMENT_OR_STRING = re.compile(r"/\*.*?\*/|(?://[^\n]*\n?[ \t]*)+|(?:\"(?:\\.|[^\"\\\n])*\"\s*)+|'(?:\\.|[^'\\])'", re.S)
ROFF_FONT = re.compile(r"\\f[A-Z]|\\&|\\s[-+]?\d")


def paragraphs_of_document(text):
    """Of Markdown: headings, items and paragraphs; neither code nor tables."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    text = re.sub(r"^ *\|.*$", "", text, flags=re.M)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*] |\d+\. |#))|(?<=\n)(?=#)", text):
        if not re.match(r"(    |\t)(?![-*] )", block):
            yield re.sub(r"^\s*(?:[-*]|\d+\.|#+)\s+", "", block)


def without_examples(lines):
    """Of a manual: the lines outside .nf and .fi, .EX and .EE, .TS and .TE."""
    inside = False
    for line in lines:
        if line[:3] in (".nf", ".EX", ".TS"):
            inside = True
        elif line[:3] in (".fi", ".EE", ".TE"):
            inside = False
            yield ".PP"
        elif not inside:
            yield line


def words_of_macro(line):
    """.BR tstream " (1)" is one word; .B a b are two."""
    name, _, rest = line[1:].partition(" ")
    parts = re.findall(r'"([^"]*)"|(\S+)', rest)
    parts = [quoted or plain for quoted, plain in parts]
    return ("" if len(name) == 2 else " ").join(parts)


def paragraphs_of_manual(text):
    """Of a manual page in roff; the line behind .TP is a paragraph by itself."""
    paragraph, is_tag = [], False
    for line in without_examples(text.splitlines()):
        is_font = re.match(r"\.(B|I|BR|RB|IR|RI|BI|IB)\b", line)
        if line.startswith('.\\"'):
            continue
        if is_font or not line.startswith("."):
            paragraph.append(words_of_macro(line) if is_font else line)
        if is_tag or not (is_font or not line.startswith(".")):
            yield " ".join(paragraph)
            paragraph = []
        is_tag = line == ".TP"
    yield " ".join(paragraph)


def text_of(token):
    """A comment without its marks; a literal, of as many parts as it has, without quotes and escapes."""
    if token.startswith("/"):
        return re.sub(r"^\s*(?://|/\*+|\*/|\*)? ?|\*/", "", token, flags=re.M)
    token = "".join(re.findall(r'"((?:\\.|[^"\\])*)"', token))
    return re.sub(r"%[-+ #0-9.*]*(?:hh?|ll?|z)?[a-zA-Z]", "X", token.replace("\\n", "\n").replace("\\t", " ").replace('\\"', '"'))


def paragraphs_of_program(text, begins="\"/"):
    """Of a program in C: its comments and its messages; a table or a drawing in a comment has lines that are set in."""
    for match in COMMENT_OR_STRING.finditer(text):
        whole = text_of(match.group())
        if match.group()[0] in begins:
            yield from re.split(r"\n\s*\n|\n(?=\s*- |[ \t]{2})", re.sub(r"^(?: {3}|\t).*$", "", whole, flags=re.M))


def paragraphs_of_test(text):
    return paragraphs_of_program(text, "/")


READERS = {".md": paragraphs_of_document, ".1": paragraphs_of_manual, ".c": paragraphs_of_program, ".h": paragraphs_of_program}


def sentences(paragraph):
    """Names of the code count as one word."""
    paragraph = ROFF_FONT.sub("", paragraph).replace("\\-", "-").replace("\\(aq", "'")
    paragraph = ABBREVIATION.sub(r"\1 ", QUOTED.sub("`x`", paragraph))
    return [" ".join(sentence.split()) for sentence in ENDS.split(paragraph) if sentence.strip()]


def faults(sentence):
    """None, one or two."""
    nr = len(WORD.findall(sentence))
    if nr > MOST_WORDS:
        yield f"{nr} words, more than {MOST_WORDS}"
    if SUBJECT.match(sentence) and not sentence.endswith("?"):
        yield "its subject is a question word"


def sources():
    for folder in FOLDERS:
        for here, _, names in os.walk(os.path.join(ROOT, folder)):
            yield from (os.path.relpath(os.path.join(here, name), ROOT) for name in names if os.path.splitext(name)[1] in READERS)
    yield from ("README.md", "tstream.c")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        text = file.read()
    reader = paragraphs_of_test if path.startswith("tests/") and path.endswith(".c") else READERS[os.path.splitext(path)[1]]
    return [sentence for paragraph in reader(text) for sentence in sentences(paragraph)]


def main():
    nr, found = 0, []
    for path in sys.argv[1:] or sorted(sources()):
        for sentence in read(path):
            nr += 1
            found += [f"{path}: {fault}: {sentence}" for fault in faults(sentence)]
    if sys.argv[1:]:
        print("\n".join(found))
        sys.exit(bool(found))
    tap.ok(nr > 10000, "documents, manuals, comments and messages are read", f"only {nr} sentences")
    tap.ok(not found, "every sentence is plain", "\n".join(found))
    tap.done()


if __name__ == "__main__":
    main()
