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
import texts  # noqa: E402

MOST_WORDS = 35
ENDS = re.compile(r"(?<=[.!?])(?<!\.\.\.)[\"')*_]*\s+(?=\S)|(?<=:)\s+(?=[\"'(*_]*[A-Z])")
ABBREVIATION = re.compile(r"\b(e\.g|i\.e|cf|vs|etc)\.\s")
SUBJECT = re.compile(r"[\"'(*_]*(?:Who|What|Whoever|Whatever|Whose)\b")
WORD = re.compile(r"\w[\w'’./:+=-]*")
QUOTED = re.compile(r"``[^`]+``|`[^`]*`")
EXAMPLE = "The writer copies `a b c`. What is left is dropped. What does it cost? " + "word " * 35 + "end."
PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*- |[ \t]{2})")
ROFF_FONT = re.compile(r"\\f[A-Z]|\\&|\\s[-+]?\d")


def paragraphs_of_document(text):
    """Of Markdown: headings, items and paragraphs; neither code nor tables."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    text = re.sub(r"^ *\|.*$", "", text, flags=re.M)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*] |\d+\. |#))|(?<=\n)(?=#)", text):
        if not re.match(r"(    |\t)(?![-*] )", block):
            yield re.sub(r"^\s*(?:[-*]|\d+\.|#+)\s+", "", block)


def words_of_macro(line):
    """.BR tstream " (1)" is one word; .B a b are two."""
    name, _, rest = line[1:].partition(" ")
    parts = re.findall(r'"([^"]*)"|(\S+)', rest)
    parts = [quoted or plain for quoted, plain in parts]
    return ("" if len(name) == 2 else " ").join(parts)


def paragraphs_of_manual(text):
    """Of a manual page in roff; the line behind .TP is a paragraph by itself."""
    paragraph, is_tag = [], False
    for line in texts.without_examples(text).splitlines():
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


def paragraphs_of_comments(text):
    """A table or a drawing in a comment has lines that are set in."""
    for comment in texts.comments(text):
        comment = re.sub(r"^\s*(?://|/\*+|\*/|\*)? ?|\*/", "", comment, flags=re.M)
        yield from PARAGRAPH.split(re.sub(r"^(?: {3}|\t).*$", "", comment, flags=re.M))


def paragraphs_of_messages(text):
    for message in texts.literals(text):
        message = message.replace("\\n", "\n").replace("\\t", " ").replace('\\"', '"')
        yield from PARAGRAPH.split(re.sub(r"%[-+ #0-9.*]*(?:hh?|ll?|z)?[a-zA-Z]", "X", message))


def paragraphs_of_program(text):
    yield from paragraphs_of_comments(text)
    yield from paragraphs_of_messages(text)


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


def reader_of(path):
    return paragraphs_of_comments if path.startswith("tests/") and path.endswith(".c") else READERS.get(os.path.splitext(path)[1])


def read(path):
    return [sentence for paragraph in reader_of(path)(texts.read(path)) for sentence in sentences(paragraph)]


def main():
    nr, found = 0, []
    for path in sys.argv[1:] or ["README.md", "tstream.c", *sorted(filter(reader_of, texts.files()))]:
        for sentence in read(path):
            nr += 1
            found += [f"{path}: {fault}: {sentence}" for fault in faults(sentence)]
    if sys.argv[1:]:
        print("\n".join(found))
        sys.exit(bool(found))
    tap.equal([list(faults(sentence)) for sentence in sentences(EXAMPLE)], [[], ["its subject is a question word"], [],
                                                                            ["36 words, more than 35"]], "a sentence that is not plain is found")
    tap.ok(nr > 10000, "documents, manuals, comments and messages are read", f"only {nr} sentences")
    tap.ok(not found, "every sentence is plain", "\n".join(found))
    tap.done()


if __name__ == "__main__":
    main()
