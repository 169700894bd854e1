#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--switch-output-event bpf-output/map=PATH/: a BPF program that writes into the map at PATH makes a snapshot.

The maps are in a bpf filesystem of this script's own, in a mount namespace of its own.
"""
import atexit
import ctypes
import glob
import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["abs_srcdir"], "tests", "support"))
import tap  # noqa: E402

BPF_OUTPUT = os.path.join(os.environ["abs_builddir"], "tests/programs/bpf_output")
TRACEPOINT = "/sys/kernel/tracing/events/syscalls/sys_enter_getpriority/id"
MODES = [["--switch-output"], ["--overwrite", "-a"], ["-M", "8M", "--threads=cpu", "-z"]]
PERF_EVENT_ARRAY, ARRAY = 4, 2
PRESERVE_ELEMS = 1 << 11
CPUS = tap.online_cpus()
ENTRIES = max(CPUS) + 1
ENOENT = 2
LIMIT_S = 60
CLONE_NEWNS = 0x20000
MS_REC, MS_PRIVATE = 1 << 14, 1 << 18
MNT_DETACH = 2
MAPS = tap.path("bpf")

# Runs a command, then waits until something is there that fits a pattern.
COMMAND = f"""
import glob, subprocess, sys, time
print(subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, text=True, check=True).stdout)
end = time.monotonic() + {LIMIT_S}
while not glob.glob(sys.argv[1]) and time.monotonic() < end:
    time.sleep(0.01)
"""


def mount_maps():
    """What is mounted goes with this process, at the latest."""
    libc = ctypes.CDLL(None, use_errno=True)
    os.mkdir(MAPS)
    if libc.unshare(CLONE_NEWNS) or libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None) or \
            libc.mount(b"none", MAPS.encode(), b"bpf", 0, None):
        tap.skip_all(f"no bpf filesystem can be mounted: {os.strerror(ctypes.get_errno())}")
    atexit.register(libc.umount2, MAPS.encode(), MNT_DETACH)


def make_map(name, kind=PERF_EVENT_ARRAY, entries=ENTRIES, flags=0):
    path = os.path.join(MAPS, name)
    result = tap.run(BPF_OUTPUT, "make", path, str(kind), str(entries), str(flags))
    return path if result.status == 0 else None


def fire(path):
    """What the program gets on each CPU."""
    results = [tap.run(BPF_OUTPUT, "fire", path, str(cpu)) for cpu in CPUS]
    return [int(result.out) if result.status == 0 else result.err for result in results]


def record(name, path, options, *firing):
    out = tap.path(name)
    return out, tap.run(tap.TSTREAM, "record", "-e", "cpu-clock", "-o", out, "--switch-output-event", f"bpf-output/map={path}/",
                        *options, "--", sys.executable, "-c", COMMAND, out + ".2*", *firing)


def cause_in(directory):
    with open(os.path.join(directory, "tstream.json")) as file:
        return json.load(file)["rotation"].get("cause", {})


def check_modes(path):
    with open(TRACEPOINT) as file:
        ident = file.read().strip()
    for number, mode in enumerate(MODES):
        out, result = record(f"mode{number}", path, mode, BPF_OUTPUT, "attach", path, ident)
        causes = {(cause["kind"], cause["what"]) for cause in map(cause_in, glob.glob(out + ".2*")) if cause}
        tap.ok(result.status == 0 and causes == {("event", f"bpf-output/map={path}/")},
               f"{' '.join(mode)}: a program at a tracepoint makes a snapshot", f"{causes}\n{result.err}")


def check_removal(path, words):
    out, result = record("run" + os.path.basename(path), path, ["--switch-output"], BPF_OUTPUT, "fire", path, str(CPUS[-1]))
    tap.ok(result.status == 0 and result.out.split() == ["0"] and len(glob.glob(out + ".2*")) == 2,
           f"{words}: a program that is run makes one", f"{result.out}\n{result.err}")
    tap.equal(fire(path), [-ENOENT] * len(CPUS), f"{words}: nothing is left in it at the end")


def check_kill(path):
    recorder = subprocess.Popen([tap.TSTREAM, "record", "-e", "cpu-clock", "-C", str(CPUS[0]), "-o", tap.path("killed"),
                                 "--switch-output-event", f"bpf-output/map={path}/"], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + LIMIT_S
    while not (there := fire(path)[0] == 0) and recorder.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    recorder.send_signal(signal.SIGKILL)
    recorder.wait()
    tap.ok(there and fire(path) == [-ENOENT] * len(CPUS), "nor after SIGKILL", f"{there} {fire(path)}")


def check_refusal(value, sentence, status=1, option="--switch-output-event"):
    out = tap.path("none")
    result = tap.run(tap.TSTREAM, "record", "-e", "cpu-clock", option, value, "-o", out, "--", "true")
    tap.ok(result.status == status and sentence in result.err and not glob.glob(out + "*"), f"refused: {sentence}",
           f"{result.status} {result.err}")


def check_refusals(path):
    def refuses(path, reason):
        check_refusal(f"bpf-output/map={path}/", f"cannot put events into the map {path}: {reason}")

    check_refusal("bpf-output", "cannot use --switch-output-event 'bpf-output': BPF programs need a map to find it", 2)
    check_refusal(f"bpf-output/map={path}/", f"cannot record event 'bpf-output/map={path}/': only --switch-output-event takes a map", 2, "-e")
    check_refusal(f"cpu-clock/map={path}/", f"cannot record event 'cpu-clock/map={path}/': only bpf-output events can go into a map", 2)
    refuses(path + "_not", "No such file or directory")
    refuses(path + ".not", "No such file or directory")
    refuses(os.path.abspath(__file__), "it is not a pinned BPF map")
    refuses(MAPS, "it is not a pinned BPF map")
    program = os.path.join(MAPS, "program")
    tap.run(BPF_OUTPUT, "load", program)
    refuses(program, "it is not a pinned BPF map")
    refuses(make_map("other", kind=ARRAY), "it is a map of type 2")
    if len(CPUS) > 1:
        refuses(make_map("small", entries=ENTRIES - 1), f"it has {ENTRIES - 1} entries, and none for CPU {ENTRIES - 1}")
    else:
        tap.skip("refused: it has too few entries", "this machine has one CPU")


if not tap.can_record_all():
    tap.skip_all("only root may load BPF programs")
if not os.path.exists(TRACEPOINT):
    tap.skip_all("this kernel has no syscalls:sys_enter_getpriority")
mount_maps()
events = make_map("events")
said = tap.run(BPF_OUTPUT, "fire", events or MAPS, str(CPUS[0]))
if said.status:
    tap.skip_all(f"bpf(2) is refused: {said.err.strip()}")
check_modes(events)
check_removal(events, "a map")
keeping = make_map("keeping", flags=PRESERVE_ELEMS)
if keeping:
    check_removal(keeping, "BPF_F_PRESERVE_ELEMS")
else:
    tap.skip("BPF_F_PRESERVE_ELEMS", "this kernel has none (Linux 5.10)")
check_kill(events)
check_refusals(events)
tap.done()
