#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/tstream.service allows every system call that `record` makes, in all its modes, and `ctl`, which the unit runs, too."""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

UNIT = os.path.join(os.environ.get("abs_srcdir", "."), "docs/tstream.service")
TRACED = re.compile(r"^(?:\d+ +)?(?:<\.\.\. )?([a-z]\w*)(?:\(| resumed>)", re.M)
SLEEP = ("--", "sleep", "0.3")
SIGNALS = ("--", "sh", "-c", "sleep 0.3; kill -USR1 $PPID; sleep 1")
MODES = (
    ("-a", "-g", *SLEEP),
    ("-a", "--io", "pwrite", "-z", "--sync", "200ms", *SLEEP),
    ("-a", "--io", "pwrite,buffered", "--max-size", "1M", *SLEEP),
    ("-a", "--call-graph", "dwarf", "-r", "1", "--threads=numa", *SLEEP),
    ("-a", "-d", "--switch-events", "--all-cgroups", "--exclude-self", "--control", "fd:0", *SLEEP),
    ("-a", "-u", "0", "-m", "64K", *SLEEP),
    ("-p", str(os.getpid()), *SLEEP),
    ("-t", str(os.getpid()), *SLEEP),
    ("-a", "--overwrite", "--on-snapshot", "true", "--archive", *SIGNALS),
    ("-a", "--switch-output=1s", "--switch-max-files=1", "--timestamp-filename", *SIGNALS),
    ("-a", "-M", "32M", "--trigger", "psi:memory:100ms/2s", *SIGNALS),
)


def allowed():
    """The calls of the unit's filter, its groups resolved as systemd resolves them."""
    with open(UNIT) as file:
        words = re.search(r"^SystemCallFilter=(.*)$", file.read(), re.M)[1].split()
    groups, group = {}, None
    for line in tap.run("systemd-analyze", "--no-pager", "syscall-filter").out.splitlines():
        if line.startswith("@"):
            group = groups.setdefault(line.strip(), [])
        elif line.startswith("    ") and not line.strip().startswith("#"):
            group.append(line.strip())
    calls, open_words = set(), ["@default", *words]
    while open_words:
        word = open_words.pop()
        if word.startswith("@"):
            open_words += groups[word]
        else:
            calls.add(word)
    return calls


def calls_of(number, *options):
    """What strace sees of one mode and of all that it starts."""
    seen, out = tap.path(f"calls{number}"), tap.path(f"cap{number}")
    result = tap.run("strace", "-f", "-qq", "-e", "signal=none", "-o", seen, tap.TSTREAM, "record", "-e", "cpu-clock", "-F", "200",
                     "-o", out, *options)
    with open(seen, errors="replace") as file:
        return result, set(TRACED.findall(file.read()))


def daemon_calls():
    """A recorder in the background, which `ctl` asks for a snapshot and ends."""
    seen, out = tap.path("daemon"), tap.path("background")
    strace = ["strace", "-f", "-qq", "-e", "signal=none", "-o"]
    result = tap.run(*strace, seen, "sh", "-c", f"""
        "$@" record -e cpu-clock -F 200 -a -M 16M --daemon --dead-man 30s -o {out}
        "$@" ctl {out} status && "$@" ctl {out} snapshot && "$@" ctl {out} stop""", "sh", tap.TSTREAM)
    with open(seen, errors="replace") as file:
        return result, set(TRACED.findall(file.read()))


def check(calls):
    functions = [lambda number=number, mode=mode: calls_of(number, *mode) for number, mode in enumerate(MODES)]
    for mode, (result, seen) in zip((*MODES, ("--daemon",)), tap.at_once([*functions, daemon_calls])):
        name = " ".join(word for word in mode if not word.isdigit())
        tap.ok(result.status in (0, 128 + 10) and "perf_event_open" in seen, f"strace sees record {name}", f"{result.status} {result.err}")
        tap.ok(seen <= calls, "and the unit allows all its calls", sorted(seen - calls))


if not shutil.which("strace"):
    tap.skip_all("strace is not installed")
if os.geteuid() or not tap.can_record_all():
    tap.skip_all("a service records as root")
if not shutil.which("systemd-analyze"):
    tap.skip_all("systemd-analyze, which knows the groups of calls, is not installed")
check(allowed())
tap.done()
