#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How soon a page of `report --html` is drawn, and follows a selection, in Chromium; and what making it costs beside `report`.

The capture is made by tests/programs/lay_story.c: SAMPLES (2000000) samples of STACKS (20000) call chains in processes that come and
go, so that most samples have a chain of their own: the worst that a page of this size can hold. PAGES names more pages, with blanks.
"""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from benchlib import BUILD, RUNS, TSTREAM, Run, machine, table  # noqa: E402
from readers import told, turns  # noqa: E402

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "page_speed.mjs")


def make_page(folder):
    capture, page = os.path.join(folder, "capture"), os.path.join(folder, "page.html")
    samples, stacks = os.environ.get("SAMPLES", "2000000"), os.environ.get("STACKS", "20000")
    Run([os.path.join(BUILD, "tests/programs/lay_story"), capture, "plain", "2", samples, stacks, "1"])
    names = ["report", "report --html"]
    measured = turns([[TSTREAM, "report", "--stdio", "-i", capture], [TSTREAM, "report", "--html=" + page, "-f", "-i", capture]])
    table("A page of %s samples; %s" % (samples, machine()), ["command", "time, memory", "CPU"],
          [[name, told(m), "%.2f s" % m["cpu"]] for name, m in zip(names, measured)])
    return page


def line(measured):
    def ms(values):
        return "%.0f ms" % statistics.median(values)

    parts = ["%s, %s" % (ms(part["view"]), ms(part["all"])) for part in measured["parts"]]
    return [os.path.basename(measured["file"]), "%.1f MB" % (os.path.getsize(measured["file"]) / 1e6), ms(measured["picture"]),
            ms(measured["drawn"]), *parts, "%.0f ms" % measured["longest"] if measured["longest"] else "none", "%.0f MB" % (measured["heap"] / 1e6)]


def main():
    programs = [shutil.which(name) for name in ("chromium", "node")]
    if not all(programs):
        sys.exit("chromium and node are needed")
    folder = tempfile.mkdtemp(prefix="tstream-bench.")
    try:
        pages = [make_page(folder), *map(os.path.abspath, os.environ.get("PAGES", "").split())]
        ran = subprocess.run([programs[1], SCRIPT, programs[0], os.path.join(folder, "profile"), str(RUNS), *pages],
                             stdout=subprocess.PIPE, text=True, check=True)
        table("Pages in a browser; medians of %d visits, and of 20 selections: graph and table, everything" % RUNS,
              ["page", "size", "first picture", "all drawn", "a sixth of the time", "a half", "all", "task over 50 ms while dragging", "heap"],
              [line(json.loads(text)) for text in ran.stdout.splitlines()])
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
