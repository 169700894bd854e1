#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The quick start of README.md: each command of its tables runs as it stands there, with a program and a process of the test's own and the
root of all cgroups for what the reader puts in. A report reads every recording, and every way to open one makes what it says."""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402
import texts  # noqa: E402

WORKLOAD = os.path.join(os.environ.get("abs_builddir", "."), "tests/demo/workload")
EVENTS = "/sys/kernel/tracing/events"
SECTION = re.compile(r"^## Quick start\n(.*?)^## ", re.M | re.S)
MADE = {"--html": "cap.html", "--svg": "cap.svg", "firefox": "cap.json.gz", "perfetto": "cap.perfetto-trace", "pprof": "cap.pb.gz",
        "folded": "cap.folded", "speedscope": "cap.speedscope.json.gz", "chrome": "cap.trace.json.gz", "parquet": "cap.parquet", "perf.data": "cap.perf.data"}


def rows(table):
    """(task, commands) of a table of the quick start, by its first heading."""
    lines = re.search(rf"^\| {table} \|.*\n\|---.*\n((?:\|.*\n)+)", SECTION.search(texts.read("README.md"))[1], re.M)[1]
    cells = [re.split(r" \| |\| | \|", line)[1:3] for line in lines.splitlines()]
    return [(task, [text for text in re.findall(r"`([^`]+)`", command) if text.startswith(("tstream ", "perf "))]) for task, command in cells]


def filled(command, pid):
    """The command with what the reader puts in: the program is ./program in the scratch folder."""
    command = command.replace("-- ./program", "-- ./program 1").replace("sleep 10", "sleep 1").replace("PID", str(pid)).replace("CGROUP", "/")
    return re.sub(r"(?<=[ :])function\b", "read_status", command)


def why_not(command):
    """What this machine lacks for a command, or nothing."""
    event = re.search(r" -e ([a-z_]+):(\w+)", command)
    if (" -a " in command or event) and not tap.can_record_all():
        return "recording the whole machine needs root"
    if event and event[1] != "probe_program" and not os.path.isdir(os.path.join(EVENTS, event[1], event[2])):
        return f"this kernel has no {event[1]}:{event[2]}"
    if "probe" in command and not (tap.can_record_all() and os.path.exists("/sys/kernel/tracing/uprobe_events")):
        return "uprobes need root and tracefs"
    return None


def shell(command):
    return subprocess.run(["sh", "-c", command], cwd=tap.scratch, env={**os.environ, "PATH": f"{os.path.dirname(tap.TSTREAM)}:{os.environ['PATH']}"},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def record(task, commands):
    reason = next(filter(None, map(why_not, commands)), None)
    if reason:
        return tap.skip(task, reason)
    service = subprocess.Popen([WORKLOAD, "20"], stdout=subprocess.DEVNULL) if "PID" in commands[-1] else None
    said = ""
    try:
        for command in commands:
            command = filled(command, service and service.pid)
            run = shell(command)
            said += f"{command}\n{run.stdout}"
            if run.returncode:
                break
    finally:
        if service:
            service.kill()
            service.wait()
        if commands[0].startswith("perf probe"):
            shell("perf probe -d 'probe_program:*'")
    report = shell("tstream report -i cap") if not run.returncode else run
    return tap.ok(not run.returncode and not report.returncode, task, said + report.stdout[:500])


def open_it(way, commands):
    for command in commands:
        run = shell(command)
        if "built without" in run.stdout:
            tap.skip(f"{way}: {command}", run.stdout.strip())
            continue
        made = next((os.path.join(tap.scratch, name) for word, name in MADE.items() if word in command), None)
        tap.ok(run.returncode == 0 and (os.path.exists(made) if made else "sort_numbers" in run.stdout), f"{way}: {command}", run.stdout[-500:])


if not shutil.which("perf"):
    tap.skip_all("the quick start names perf")
shutil.copy(WORKLOAD, os.path.join(tap.scratch, "program"))
tasks = rows("Question")
tap.ok(len(tasks) == 10 and all(commands for _, commands in tasks[:-1]), "the quick start has ten tasks with commands", tasks)
for name, of_task in tasks:
    if of_task:
        record(name, of_task)
again = shell(f"tstream record -q -g -o cap -- '{WORKLOAD}' 1")
ways = rows("Open it in")
tap.ok(again.returncode == 0 and len(ways) == 11 and all(commands for _, commands in ways), "and eleven ways to open a capture", f"{again.stdout} {ways}")
for name, of_task in ways:
    open_it(name, of_task)
tap.done()
