#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/rooms.py finds what breaks the law, and names it: a small house with four rooms, into which one fault at a time is built."""
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.abspath(os.environ.get("abs_srcdir", "."))
sys.path.insert(0, os.path.join(ROOT, "tests/support"))
import tap  # noqa: E402

LAW = """# Rooms

| Room | may use | What it is |
|---|---|---|
| common/base | | what both link |
| streamer/rings | | below |
| streamer/record | rings | above |
| reader/chunks | | below |
| reader/report | chunks | above |

## Rooms to come

| Room | may use | What it is |
|---|---|---|
| reader/page | report | later |

## Modules of common that one side links alone

| Module | linked by | Why it stands there |
|---|---|---|
"""
SOUND = {
    "docs/rooms.md": LAW,
    "tstream.c": '#include "streamer/record/cmd_record.h"\n',
    "common/base/error.c": "int error(void) { return 1; }\n",
    "streamer/rings/ring.c": "int error(void);\nint ring(void) { return error(); }\n",
    "streamer/rings/ring.h": "int ring(void);\n",
    "streamer/record/cmd_record.c": '#include "streamer/rings/ring.h"\nint record(void) { return ring(); }\n',
    "streamer/record/cmd_record.h": "int record(void);\n",
    "reader/chunks/chunk.c": "int error(void);\nint chunk(void) { return error(); }\n",
    "reader/chunks/chunk.h": "int chunk(void);\n",
    "reader/report/cmd_report.c": "int chunk(void);\nint report(void) { return chunk(); }\n",
}
CHUNK = SOUND["reader/chunks/chunk.c"]
FAULTS = {
    "an include upwards": (
        {"reader/chunks/chunk.h": '#include "reader/report/cmd_report.h"\n', "reader/report/cmd_report.h": "\n"},
        "reader/chunks/chunk.h includes reader/report/cmd_report.h: reader/chunks may not use reader/report"),
    "a symbol upwards": (
        {"reader/chunks/chunk.c": CHUNK + "int report(void);\nint up(void) { return report(); }\n"},
        "reader/chunks/chunk.c needs report of reader/report/cmd_report.c: reader/chunks may not use reader/report"),
    "a symbol of the other side": (
        {"reader/chunks/chunk.c": CHUNK + "int ring(void);\nint across(void) { return ring(); }\n"},
        "reader/chunks/chunk.c needs ring of streamer/rings/ring.c: reader/chunks may not use streamer/rings"),
    "common that uses a side": (
        {"common/base/error.c": "int ring(void);\nint error(void) { return ring(); }\n"},
        "common/base/error.c needs ring of streamer/rings/ring.c: common/base may not use streamer/rings"),
    "an arrow that nothing uses": (
        {"reader/report/cmd_report.c": "int report(void) { return 0; }\n"},
        "reader/report may use reader/chunks, but nothing there does"),
    "a row that names a room below it": (
        {"docs/rooms.md": LAW.replace("| reader/chunks | |", "| reader/chunks | report |"),
         "reader/chunks/chunk.c": CHUNK + "int report(void);\nint up(void) { return report(); }\n"},
        "reader/chunks may use reader/report, which does not stand above it"),
    "a folder that is no room": ({"reader/attic/old.c": "\n"}, "reader/attic is no room"),
    "tests of what is no room": ({"tests/reader/attic/test_old.c": "\n"}, "reader/attic is no room"),
    "a room that has come": ({"reader/page/page.c": "\n"}, "reader/page is there, but stands among the rooms to come"),
    "a row without a folder": (
        {"docs/rooms.md": LAW.replace("| reader/report |", "| reader/cfi | | empty |\n| reader/report |")},
        "reader/cfi has no source"),
    "a room to come that uses none": (
        {"docs/rooms.md": LAW.replace("| reader/page | report |", "| reader/page | nowhere |")},
        "reader/page may use reader/nowhere, which is no room"),
    "a crowd": ({f"reader/chunks/chunk_{i}.h": "\n" for i in range(25)}, "reader/chunks has 26 modules, 25 are the most"),
    "common of one side": (
        {"common/base/own.c": "int own(void) { return 1; }\n",
         "streamer/rings/ring.c": "int error(void), own(void);\nint ring(void) { return error() + own(); }\n"},
        "common/base/own is linked by streamer alone: it belongs there, or docs/rooms.md says why not"),
    "common of no side": (
        {"common/base/own.c": "int own(void) { return 1; }\n"}, "common/base/own is linked by nobody"),
    "a reason that holds no more": (
        {"docs/rooms.md": LAW + "| common/base/error | reader | it was so |\n"},
        "common/base/error is linked by streamer and reader, not by reader alone"),
    "a circle of objects": (
        {"reader/chunks/chunk.c": CHUNK + "int scan(void);\nint again(void) { return scan(); }\n",
         "reader/chunks/scan.c": "int chunk(void);\nint scan(void) { return chunk(); }\n"},
        "reader/chunks/chunk.c -> scan of reader/chunks/scan.c -> chunk of reader/chunks/chunk.c"),
    "a circle of headers": (
        {"reader/chunks/chunk.h": '#include "reader/chunks/scan.h"\n', "reader/chunks/scan.h": '#include "reader/chunks/chunk.h"\n'},
        "reader/chunks/chunk.h includes reader/chunks/scan.h includes reader/chunks/chunk.h"),
    "a front door that knows more": (
        {"tstream.c": '#include "streamer/rings/ring.h"\n'}, "tstream.c includes streamer/rings/ring.h"),
}


def build(files):
    house = tap.path("house")
    shutil.rmtree(house, ignore_errors=True)
    for name, text in files.items():
        path = os.path.join(house, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    for name in files:
        made = os.path.join(house, "build", name[:-len(".c")] + ".o")
        if name.endswith(".c") and name != "tstream.c" and not name.startswith("tests/"):
            os.makedirs(os.path.dirname(made), exist_ok=True)
            subprocess.run(["cc", "-I", house, "-c", "-o", made, os.path.join(house, name)], check=True)
    return house


def judged(house, builddir="build"):
    env = dict(os.environ, abs_srcdir=house, abs_builddir=os.path.join(house, builddir))
    said = subprocess.run([sys.executable, os.path.join(ROOT, "tests/rooms.py")], env=env, capture_output=True, text=True, check=False)
    return re.findall("^# (.*)", said.stdout, re.M), said.stdout + said.stderr


def main():
    if not shutil.which("cc") or not shutil.which("nm"):
        tap.skip_all("cc or nm is not installed")
    found, said = judged(build(SOUND))
    tap.ok(found == [] and "not ok" not in said, "a sound house is sound", said)
    for fault, (files, sentence) in FAULTS.items():
        found, said = judged(build({**SOUND, **files}))
        tap.ok(found == [sentence], f"{fault} is found", said)
    found, said = judged(build(SOUND), "nowhere")
    tap.ok("not ok 1 " in said, "a folder without objects is no build", said)
    house = build(SOUND)
    shutil.rmtree(os.path.join(house, "build/reader"))
    found, said = judged(house)
    tap.ok(found == [] and "# SKIP this build has no reader" in said, "a build without the reader is judged, too", said)
    tap.done()


if __name__ == "__main__":
    main()
