#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The first report of many modules: from the command to its first row, when nothing of the files is in the kernel's cache.

LIBRARIES (200) libraries of 500 functions each, built with -g, one of them with DEBUG_MB (1024) more of debug information, and
the kernel: each takes part in SECONDS (5) of samples at 4 kHz. tstream and perf in turn, RUNS (5) times each; needs root, to
drop the cache.
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from benchlib import TSTREAM, machine  # noqa: E402

LIBRARIES = int(os.environ.get("LIBRARIES", "200"))
DEBUG_MB = int(os.environ.get("DEBUG_MB", "1024"))
SECONDS = int(os.environ.get("SECONDS", "5"))
RUNS = int(os.environ.get("RUNS", "5"))
FUNCTIONS = 500
MAIN = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(int argc, char **argv)
{
	int nr = atoi(argv[1]);
	time_t until = time(NULL) + atoi(argv[2]);
	void (**work)(void) = calloc(nr, sizeof(*work));
	for (int i = 0; i < nr; i++) {
		char name[4096];
		snprintf(name, sizeof(name), "%s/lib%d.so", argv[3], i);
		void *library = dlopen(name, RTLD_NOW);
		if (!library || !(work[i] = (void (*)(void))dlsym(library, "work")))
			return 1;
	}
	while (time(NULL) < until)
		for (int i = 0; i < nr; i++)
			work[i]();
	return argc != 4;
}
"""


def build(where):
    source = os.path.join(where, "source.c")
    for i in range(LIBRARIES):
        with open(source, "w") as f:
            f.write("volatile long sink;\n")
            for n in range(FUNCTIONS):
                f.write(f"__attribute__((noinline)) void function_{i}_{n}(void) {{ for (int k = 0; k < 200; k++) sink += k; }}\n")
            f.write("void work(void) {" + "".join(f"function_{i}_{n}();" for n in range(0, FUNCTIONS, 50)) + "}\n")
        subprocess.run(["gcc", "-g", "-O1", "-shared", "-fPIC", "-o", f"{where}/lib{i}.so", source], check=True)
    more = os.path.join(where, "more")
    with open(more, "wb") as f:
        for _ in range(DEBUG_MB):
            f.write(os.urandom(1 << 20))
    subprocess.run(["objcopy", "--add-section", f".debug_types={more}", f"{where}/lib0.so"], check=True)
    os.unlink(more)
    with open(source, "w") as f:
        f.write(MAIN)
    subprocess.run(["gcc", "-O2", "-o", f"{where}/main", source, "-ldl"], check=True)


def drop_cache():
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w") as f:
        f.write("3\n")


def first_row(command):
    """Seconds to the first row, and to the end."""
    before = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    first = None
    for line in child.stdout:
        if first is None and b"%" in line and not line.startswith(b"#"):
            first = time.monotonic() - before
    child.wait()
    return first, time.monotonic() - before


def main():
    where = tempfile.mkdtemp(prefix="tstream-bench.", dir=os.environ.get("TMPDIR", "/var/tmp"))
    try:
        build(where)
        capture = os.path.join(where, "cap")
        subprocess.run([TSTREAM, "record", "-q", "-e", "cpu-clock", "-F", "4000", "-o", capture, "--", f"{where}/main",
                        str(LIBRARIES), str(SECONDS), where], stderr=subprocess.DEVNULL, check=True)
        commands = {"tstream report": [TSTREAM, "report", "-i", capture], "perf report": ["perf", "report", "--stdio", "-i", capture]}
        print(machine())
        for is_cold in (True, False):
            times = {name: [] for name in commands}
            for _ in range(RUNS):
                for name, command in commands.items():
                    if is_cold:
                        drop_cache()
                    times[name].append(first_row(command))
            medians = {name: [statistics.median(column) for column in zip(*rows)] for name, rows in times.items()}
            ours, theirs = medians.values()
            print(f"{'cold' if is_cold else 'warm'}: first row of tstream report {ours[0]:.2f} s (end {ours[1]:.2f} s), "
                  f"perf report {theirs[0]:.2f} s (end {theirs[1]:.2f} s), {theirs[0] / ours[0]:.1f} times")
    finally:
        shutil.rmtree(where)


if os.geteuid() or not all(shutil.which(tool) for tool in ("perf", "gcc", "objcopy")):
    print("skipped: needs root, perf, gcc and objcopy")
else:
    main()
