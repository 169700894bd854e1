#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Root of a user namespace, as of a rootless container: the kernel counts none of its capabilities, and user space is recorded all
the same. A filter of system calls, as containers have one, is told from the kernel's own refusals."""
import errno
import os
import platform
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import refused
import tap

if os.geteuid() != 0 or not shutil.which("setpriv") or not shutil.which("unshare"):
    tap.skip_all("must begin as root to become an ordinary user, with setpriv and unshare")
PARANOID = "/proc/sys/kernel/perf_event_paranoid"
paranoid = int(open(PARANOID).read())
if paranoid > 2:
    tap.skip_all("this kernel refuses ordinary users everything: kernel.perf_event_paranoid is over 2")

home = tap.path("home")
os.mkdir(home)
os.chmod(home, 0o777)
program = tap.path("tstream")
shutil.copy(tap.TSTREAM, program)
os.chmod(program, 0o755)
USER = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--inh-caps=-all", "env", f"HOME={home}")
SPIN = ("sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done")

if tap.run(*USER, "unshare", "-Ur", "true").status != 0:
    tap.skip_all("ordinary users make no user namespaces here")


def record(*options, root=("-Ur",), **how):
    return tap.run(*USER, "unshare", *root, program, "record", "-F", "500", "-o", "cap", *options, cwd=home, **how)


def check_recorded(sentence, result):
    tap.ok(result.status == 0, f"{sentence} is recorded", result.err)
    stats = tap.run(*USER, program, "script", "-i", "cap", "-F", "comm", cwd=home)
    tap.ok(stats.out.split().count("sh") > 5, "with its samples", stats.out[:200] + stats.err)
    if tap.PERF:
        theirs = tap.run(*USER, tap.PERF, "script", "-i", "cap", "-F", "comm", cwd=home)
        tap.equal(theirs.out.split(), stats.out.split(), "perf reads the same")


result = record("--", *SPIN)
check_recorded("root of a user namespace", result)
if paranoid == 2:
    tap.ok("only user space is recorded: kernel.perf_event_paranoid=2" in result.err and "user namespace" in result.err,
           "a note says what is left out, and why", result.err)
for event in (("-e", "cpu-clock:u"), ("--all-user",)):
    check_recorded(" ".join(event), record(*event, "--", *SPIN))
check_recorded("who is nobody there", record("--", *SPIN, root=("-U",)))
if paranoid > 0:
    result = record("-a", "--", "true")
    tap.ok(result.status == 1 and "user namespace" in result.err and "outside" in result.err, "-a is refused, and the reason told",
           f"{result.status} {result.err}")

if platform.machine() == "x86_64":
    for code in (errno.EPERM, errno.ENOSYS):
        for name, head in (("root", ()), ("an ordinary user", USER)):
            result = tap.run(*head, program, "record", "-e", "cpu-clock:u", "-o", "filtered", "--", "true", cwd=home,
                             preexec_fn=refused.system_call("perf_event_open", code))
            tap.ok(result.status == 1 and "seccomp" in result.err and "--cap-add=PERFMON" in result.err,
                   f"{errno.errorcode[code]} of a filter is told from a refusal of the kernel: {name}", result.err)
tap.done()
