#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Capabilities that the manual names: an ordinary user records with each alone what it promises, and not without it. A tracefs
that is mounted for a group lets its members record tracepoints."""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

TRACEFS = "/sys/kernel/tracing"
USER = 65534
WORDS = ("-e", "cpu-clock", "-F", "1000", "-a")

if os.geteuid() or not tap.can_record_all():
    tap.skip_all("must begin as root to become an ordinary user with capabilities")
if not shutil.which("setpriv"):
    tap.skip_all("setpriv is not installed")
home, program = tap.path("home"), tap.path("tstream")
os.mkdir(home)
os.chown(home, USER, USER)
shutil.copy(tap.TSTREAM, program)  # the build folder may be closed to others
os.chmod(program, 0o755)
number = 0


def has_root(capability):
    """Whether root has it here: a container may have taken it away."""
    with open("/proc/self/status") as file:
        bounding = int(re.search(r"CapBnd:\s*(\w+)", file.read())[1], 16)
    order = {"ipc_lock": 14, "sys_ptrace": 19, "sys_nice": 23, "sys_resource": 24, "syslog": 34, "perfmon": 38}
    return bounding >> order[capability] & 1


def record(capabilities, *options, before=""):
    global number
    number += 1
    words = ",".join(["-all"] + [f"+{capability}" for capability in capabilities])
    inner = ["setpriv", "--reuid", str(USER), "--regid", str(USER), "--clear-groups", "--bounding-set", words,
             "--inh-caps", words, "--ambient-caps", words, "--", program, "record", "-o", f"cap{number}", *options]
    result = tap.run("sh", "-c", f'{before} cd {home} && exec "$@"', "sh", *inner, "--", "sleep", "0.3")
    result.capture = os.path.join(home, f"cap{number}")
    return result


def rows(capture):
    return tap.run(tap.TSTREAM, "report", "--force", "-i", capture, "--no-children", "--sort", "comm,dso,sym").out


def needs(capability, sentence, does):
    """What the capability adds to CAP_PERFMON, and that it is missing without it."""
    if not has_root(capability):
        return tap.skip(f"CAP_{capability.upper()}: {sentence}", "root does not have it here")
    without, having = does(["perfmon"]), does(["perfmon", capability])
    tap.ok(having[0], f"CAP_{capability.upper()}: {sentence}", having[1])
    if without[0] and capability == "sys_ptrace":
        return tap.skip("and not without it", "this kernel lets CAP_PERFMON read maps")
    tap.ok(not without[0], "and not without it", without[1])


def system(capabilities):
    result = record(capabilities, *WORDS)
    return result.status == 0 and "only user space" not in result.err, result.err


def others_maps(capabilities):
    result = record(capabilities, *WORDS)
    found = rows(result.capture)
    return re.search(r"thread_targets +thread_targets +\[\.\] hot", found), result.err + found


def large_rings(capabilities):
    result = record(capabilities, *WORDS, "-m", "32M", before="ulimit -l 64;")
    return result.status == 0 and "tstream: note: rings have" not in result.err, result.err


def priority(capabilities):
    result = record(capabilities, *WORDS, "-r", "1")
    return result.status == 0, result.err


def descriptors(capabilities):
    result = record(capabilities, *WORDS, before="ulimit -n 24;")
    return result.status == 0, result.err


def kernel_names(capabilities):
    result = record(capabilities, *WORDS)
    return result.status == 0 and "kernel functions will have no names" not in result.err, result.err


def check_capabilities():
    paranoid, restrict = (int(open(f"/proc/sys/kernel/{name}").read()) for name in ("perf_event_paranoid", "kptr_restrict"))
    if paranoid < 2 or restrict:
        return tap.skip("each capability alone", "needs kernel.perf_event_paranoid of 2 and kernel.kptr_restrict of 0")
    tap.ok(system(["perfmon"])[0], "CAP_PERFMON: the whole system, with the kernel", system(["perfmon"])[1])
    tap.ok(not system([])[0], "and not without it")
    with subprocess.Popen([os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/thread_targets"), "ended"],
                          stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        needs("sys_ptrace", "maps of other users' processes", others_maps)
        other.kill()
    needs("ipc_lock", "rings of any size", large_rings)
    needs("sys_nice", "priorities of writers", priority)
    needs("sys_resource", "more descriptors than the limit", descriptors)
    needs("syslog", "names of the kernel's functions", kernel_names)


def mount_options(text):
    """Of tracefs; its mode and group, as a mount says them."""
    words = dict(re.findall(r"\b(mode|gid)=(\d+)", text))
    return f"mode={words.get('mode', '700')},gid={words.get('gid', '0')}"


def check_tracefs():
    """A tracefs has the options of its last mount everywhere, so they are put back whatever happens."""
    with open("/proc/mounts") as file:
        mounted = [line.split()[3] for line in file if line.split()[1:3] == [TRACEFS, "tracefs"]]
    name = "the group of a tracefs that is mounted with mode=750,gid= records tracepoints"
    if not mounted or os.stat(TRACEFS).st_mode & 0o77 or not shutil.which("unshare"):
        return tap.skip(name, f"needs unshare, and a tracefs at {TRACEFS} for root alone")
    event = "-e", "sched:sched_switch", "-a"
    before, place = record(["perfmon"], *event), tap.path("tracing")
    os.mkdir(place)
    private = ["unshare", "--mount", "--propagation", "private", "sh", "-c"]
    try:
        mount = tap.run(*private, f"mount -t tracefs -o mode=750,gid={USER} tracefs {place}")
        after = record(["perfmon"], *event)
    finally:
        tap.run("mount", "-o", f"remount,{mount_options(mounted[0])}", TRACEFS)
    if mount.status:
        return tap.skip(name, f"cannot mount tracefs: {mount.err}")
    tap.ok(before.status and not os.path.exists(before.capture), "a user who may not read tracefs gets no tracepoints", before.err)
    tap.ok(after.status == 0 and "of event 'sched:sched_switch'" in rows(after.capture), name, after.err)
    tap.ok(record(["perfmon"], *event).status, "and afterwards tracefs is root's again")


check_capabilities()
check_tracefs()
tap.done()
