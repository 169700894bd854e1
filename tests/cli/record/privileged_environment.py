#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A copy of the program with file capabilities, run by an ordinary user: no plugin, pager, temporary folder, home or server list
comes from his environment; the command that he records has all of it."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap
import terminal

USER = 65534
PLUGIN = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/witness.so")
WITNESS = "the plugin was loaded"

if os.geteuid() != 0:
    tap.skip_all("only root gives a file capabilities")
for tool in ("setpriv", "setcap"):
    if not shutil.which(tool):
        tap.skip_all(f"{tool} is not installed")
if int(open("/proc/sys/kernel/perf_event_paranoid").read()) > 2:
    tap.skip_all("this kernel refuses ordinary users everything: kernel.perf_event_paranoid is over 2")

home = tap.path("home")
os.makedirs(home + "/plugins")
shutil.copy(PLUGIN, home + "/plugins/hwloc_witness.so")
for folder in (home, home + "/plugins"):
    os.chmod(folder, 0o777)
ordinary, privileged = tap.path("ordinary"), tap.path("privileged")
for program in (ordinary, privileged):
    shutil.copy(tap.TSTREAM, program)
    os.chmod(program, 0o755)
if tap.run("setcap", "cap_perfmon,cap_ipc_lock=ep", privileged).status != 0:
    tap.skip_all("this filesystem keeps no capabilities of files")

ENVIRONMENT = {"HWLOC_PLUGINS_PATH": home + "/plugins", "HOME": home, "TMPDIR": home + "/missing", "OF_CALLER": "yes",
               "DEBUGINFOD_URLS": "http://127.0.0.1:1", "PATH": home + "/bin:" + os.environ["PATH"], "TERM": "xterm"}
AS_USER = ("setpriv", "--reuid", str(USER), "--regid", str(USER), "--clear-groups", "--inh-caps=-all", "--")


def as_user(*command):
    return tap.run(*AS_USER, *command, env=ENVIRONMENT, cwd=home)


os.mkdir(home + "/bin")
with open(home + "/bin/of_caller", "w") as script:
    script.write('#!/bin/sh\necho "$OF_CALLER $HWLOC_PLUGINS_PATH $HOME" >"$1"\ngrep CapEff /proc/self/status >>"$1"\n')
os.chmod(home + "/bin/of_caller", 0o755)
with open(home + "/bin/less", "w") as script:
    script.write("#!/bin/sh\necho the pager of the caller\ncat\n")
os.chmod(home + "/bin/less", 0o755)


def check_plugins():
    if WITNESS not in as_user(ordinary, "record", "--dry-run", "-e", "cpu-clock", "--", "true").err:
        tap.skip("plugins of hwloc", "this hwloc loads none")
        return
    tap.ok(True, "hwloc loads a plugin of its caller's environment in an ordinary program")
    for command in (("record", "--dry-run", "-e", "cpu-clock", "--", "true"), ("list",)):
        result = as_user(privileged, *command)
        tap.ok(result.status == 0 and WITNESS not in result.err, f"but none in one with capabilities: {command[0]}", result.err)


def check_command():
    result = as_user(privileged, "record", "-q", "-e", "cpu-clock", "-o", "own", "--on-snapshot", home + "/bin/of_caller",
                     "--switch-output", "--", "of_caller", home + "/said")
    tap.ok(result.status == 0 and WITNESS not in result.err, "records a command that is found by its caller's PATH", result.err)
    said = open(home + "/said").read().splitlines() if os.path.exists(home + "/said") else ["nothing", ""]
    tap.equal(said[0], f"yes {home}/plugins {home}", "which has the whole environment of its caller")
    tap.equal(said[1].split()[-1], "0" * 16, "and none of the capabilities")


def check_reading():
    as_user(privileged, "record", "-q", "-e", "cpu-clock", "-o", "read", "--", "sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done")
    plain = as_user(privileged, "report", "-i", "read", "--explain-symbols")
    tap.ok(plain.status == 0 and home + "/.debug" not in plain.out + plain.err, "report looks for no debug files in $HOME", plain.out)
    result = as_user(privileged, "report", "-i", "read", "--debuginfod")
    tap.ok(result.status != 0 and "no server was given" in result.err, "and asks no server of $DEBUGINFOD_URLS", result.err)


def on_terminal(program, pager):
    """What a report writes to a terminal, with this $PAGER; None: there is none."""
    environment = dict(os.environ, **ENVIRONMENT)
    environment.pop("PAGER", None)
    if pager:
        environment["PAGER"] = pager
    return terminal.written([*AS_USER, program, "report", "-i", "read"], env=environment, cwd=home)[1]


def check_pager():
    tap.ok("paged" in on_terminal(ordinary, "sed s/^/paged/"), "an ordinary program starts $PAGER")
    tap.ok("the pager of the caller" in on_terminal(ordinary, None), "or the less of its caller's PATH")
    for pager in ("sed s/^/paged/", None):
        text = on_terminal(privileged, pager)
        tap.ok("Overhead" in text and "paged" not in text and "of the caller" not in text,
               f"one with capabilities does neither, PAGER={pager}", text)


check_plugins()
check_command()
check_reading()
check_pager()
tap.done()
