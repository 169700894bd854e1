#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--on-snapshot: a program gets the path of each finished directory, once it is complete, and everything else as it was."""
import os
import resource
import signal
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

# The path, what the note of the directory says, and what of the recorder's own could have been left.
HOOK = """#!/bin/sh
state=$(sed -n 's/.*"state": *"\\([a-z]*\\)".*/\\1/p' "$1/tstream.json")
echo "$# $1 $state $(ulimit -n) $(ulimit -l) $(nice) $(grep SigBlk /proc/self/status | cut -f2) \
$(grep Cpus_allowed_list /proc/self/status | cut -f2) $(cat | wc -c)" >> "$(dirname "$0")/calls"
exit 0
"""


def script(name, text):
    path = os.path.join(tap.scratch, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)
    return path


def calls():
    path = os.path.join(tap.scratch, "calls")
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file]
    os.unlink(path)
    return lines


def record(name, *options, hook, command=("true",)):
    return tap.run(tap.TSTREAM, "record", "-e", "cpu-clock:u", "-o", os.path.join(tap.scratch, name), "--on-snapshot", hook,
                   *options, "--", *command)


def check_end(hook):
    result = record("end", "--timestamp-filename", hook=hook)
    called = calls()
    tap.equal((result.status, len(called)), (0, 1), "the program runs once where one directory gets a stamp")
    nr, path, state, files, locked, nice, blocked, cpus, stdin = called[0]
    tap.ok(nr == "1" and path.startswith(os.path.join(tap.scratch, "end.")) and os.path.isdir(path) and state == "complete",
           "its only argument is a directory that is complete", called)
    locked_bytes = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
    tap.equal((files, locked), (str(resource.getrlimit(resource.RLIMIT_NOFILE)[0]),
                                "unlimited" if locked_bytes < 0 else str(locked_bytes // 1024)), "limits are as they were")
    tap.equal((nice, cpus), (str(os.nice(0)), tap.run("sh", "-c", "grep Cpus_allowed_list /proc/self/status | cut -f2").out.strip()),
              "niceness and CPUs are as they were")
    wanted = tap.run("sh", "-c", "grep SigBlk /proc/self/status | cut -f2").out.strip()
    tap.equal((blocked, stdin), (wanted, "0"), "signals are as they were, and there is nothing to read")


def check_cuts(hook):
    result = record("cuts", "--switch-output", hook=hook, command=("sh", "-c", "kill -USR2 $PPID; sleep 0.2"))
    called = calls()
    paths = [call[1] for call in called]
    tap.ok(result.status == 0 and len(set(paths)) == 2 and paths == sorted(paths) and all(map(os.path.isdir, paths)) and
           all(call[2] == "complete" for call in called), "it runs for each directory, one after the other", f"{called} {result.err}")


def check_failures(hook):
    failing = script("failing", "#!/bin/sh\nexit 3\n")
    result = record("fails", "--timestamp-filename", hook=failing)
    tap.ok(result.status == 0 and f"{failing} (--on-snapshot) failed with status 3" in result.err,
           "where it fails that is a note", result.err)
    killed = script("killed", "#!/bin/sh\nkill -9 $$\n")
    result = record("dies", "--timestamp-filename", hook=killed)
    tap.ok(result.status == 0 and f"{killed} (--on-snapshot) was ended by signal 9" in result.err,
           "where it is killed that is one, too", result.err)
    result = record("refused", "--timestamp-filename", hook="echo two words")
    tap.ok(result.status == 1 and "cannot run 'echo two words'" in result.err and "only argument" in result.err,
           "what is no program is refused before anything is recorded", result.err)
    result = record("idle", hook=hook)
    tap.ok(result.status == 0 and "--on-snapshot changes nothing" in result.err and
           not os.path.exists(os.path.join(tap.scratch, "calls")), "where no directory gets a stamp that is said", result.err)


def main():
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    hook = script("hook", HOOK)
    check_end(hook)
    check_cuts(hook)
    check_failures(hook)
    tap.done()


main()
