#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Functions of kernel modules have their names in a report, also of a module that is loaded while we record."""
import os
import re
import statistics
import subprocess
import sys
import time

import guest

guest.enter(disks=["64M"], programs={"mkfs.ext4": "e2fsprogs"})
sys.path.insert(0, os.path.join(os.environ["abs_srcdir"], "tests/support"))
import tap

WORK = """
import os, time
end = time.monotonic() + 6
while time.monotonic() < end:
    os.close(os.open("/mnt/a", os.O_CREAT | os.O_WRONLY)); os.rename("/mnt/a", "/mnt/b"); os.unlink("/mnt/b")
"""
LOAD = f"mkfs.ext4 -q -F /dev/vda && mount /dev/vda /mnt && python3 -c '{WORK}'; umount /mnt"


def is_loaded(module):
    with open("/proc/modules") as f:
        return any(line.startswith(module + " ") for line in f)


def record(name, command):
    result = tap.run(tap.TSTREAM, "record", "-a", "-e", "cpu-clock", "-F", "499", "-o", tap.path(name), "--", "sh", "-c",
                     command, timeout=200)
    tap.equal(result.status, 0, f"{name}: the recording ends well")
    tap.ok(is_loaded("ext4"), f"{name}: the module is there", result.err)


def kernels_names():
    """What the kernel itself calls the functions of the module."""
    with open("/proc/kallsyms") as f:
        return {line.split()[2] for line in f if line.rstrip().endswith("[ext4]")}


def forced(program):
    """perf refuses files of another user without."""
    return ["-f"] if program == "perf" else []


def rows(program, name):
    """[(samples, function)] of the module"""
    out = tap.run(program, "report", *forced(program), "-i", tap.path(name), "--stdio", "-n", "--sort", "dso,sym", timeout=300).out
    found = re.findall(r"^\s*[\d.]+%\s+(\d+)\s+\[ext4\]\s+\[k\] (\S+)\s*$", out, re.M)
    # perf reads the module's file, in whose .text.unlikely it finds no function
    return sorted((samples, name) for samples, name in found if not re.search(r"\.cold$|^0x", name))


def first_row(program, name):
    """Seconds from the command to its first row"""
    runs = []
    for _ in range(3):
        with open("/proc/sys/vm/drop_caches", "w") as f:
            f.write("3")
        before = time.monotonic()
        command = [program, "report", *forced(program), "-i", tap.path(name), "--stdio", "--sort", "dso,sym"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
            if not any("%" in line and line[0] != "#" for line in child.stdout):
                return -1.0
            runs.append(time.monotonic() - before)
            child.stdout.read()
    return statistics.median(runs)


def check_names(name):
    mine, perfs = rows(tap.TSTREAM, name), rows("perf", name)
    symbols = {symbol for _, symbol in mine}
    tap.equal(mine, perfs, f"{name}: perf has the same rows")
    tap.ok(len(symbols) > 3 and symbols <= kernels_names(), f"{name}: its functions have the kernel's names",
           f"{len(symbols)}, unknown: {symbols - kernels_names()}")


# where perf can read the kernel's memory it knows no modules: all of it is [kernel.kallsyms]
subprocess.run(["mount", "--bind", "/dev/null", "/proc/kcore"], check=True)
tap.ok(not is_loaded("ext4"), "the module is not there at the start")
record("loaded-meanwhile", "modprobe ext4; " + LOAD)
check_names("loaded-meanwhile")
record("loaded-before", LOAD)
check_names("loaded-before")
tap.note("the first row of a report, nothing in the cache, medians of three: "
         + ", ".join(f"{os.path.basename(program)} {first_row(program, 'loaded-before'):.2f} s" for program in (tap.TSTREAM, "perf")))
tap.done()
