#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every unit and fuzz program under valgrind: it finds what is used before it has a value, which AddressSanitizer does not. Whether
their tests pass is asked elsewhere: some wait for time that valgrind does not give them. VALGRIND_PROGRAMS: only these."""
import glob
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

LIMIT_S = 300
FOLDERS = ("tests/common", "tests/streamer", "tests/reader", "tests/fuzz")


def programs():
    root = os.environ.get("abs_builddir", ".")
    found = [path for folder in FOLDERS for path in sorted(glob.glob(os.path.join(root, folder, "**"), recursive=True))
             if "." not in os.path.basename(path) and os.access(path, os.X_OK) and os.path.isfile(path)]
    wanted = os.environ.get("VALGRIND_PROGRAMS", "").split()
    return [path for path in found if not wanted or os.path.basename(path) in wanted]


def reports(program):
    """What valgrind said of it and of all processes that it became, by process; None where it did not begin. Lines from "==" on:
    "--" are of valgrind itself."""
    folder = tap.path(os.path.basename(program))
    os.mkdir(folder)
    command = ["valgrind", "-q", "--trace-children=yes", f"--log-file={folder}/%p", program]
    p = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                         start_new_session=True, env=dict(os.environ, FUZZ_SECONDS="5"))
    try:
        p.wait(LIMIT_S)
    except subprocess.TimeoutExpired:
        tap.note(f"{os.path.basename(program)} did not end within {LIMIT_S} s: what it had not begun by then is not looked at")
        os.killpg(p.pid, 9)
        p.wait()
    logs = sorted(glob.glob(folder + "/*"))
    texts = [open(path, errors="replace").read() for path in logs]
    shutil.rmtree(folder)
    return [text for text in texts if re.search("^==", text, re.M)] if logs else None


if not shutil.which("valgrind"):
    tap.skip_all("valgrind is not installed")
if not programs():
    tap.skip_all("no program is built")
for program in programs():
    said = reports(program)
    tap.ok(said == [], f"{os.path.basename(program)}: valgrind has nothing to say",
           "valgrind did not begin" if said is None else "\n".join(said)[:4000])
tap.done()
