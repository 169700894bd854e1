# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks share: running with the system's own accounting, medians, tables."""
import os
import platform
import re
import statistics
import subprocess
import tempfile
import time

TSTREAM = os.environ.get("TSTREAM", os.path.abspath("tstream"))
BUILD = os.environ.get("abs_builddir", ".")
RUNS = int(os.environ.get("RUNS", "5"))


class Run:
    """One finished process with its children: what it printed, its time, CPU and memory."""

    def __init__(self, command, keep_output=True, **options):
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            start = time.monotonic()
            process = subprocess.Popen(command, stdout=out if keep_output else subprocess.DEVNULL, stderr=err,
                                       stdin=subprocess.DEVNULL, **options)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.wall = time.monotonic() - start
            out.seek(0)
            err.seek(0)
            self.out = out.read().decode(errors="replace")
            self.err = err.read().decode(errors="replace")
        self.status = process.returncode
        self.cpu = usage.ru_utime + usage.ru_stime
        self.rss_mib = usage.ru_maxrss / 1024


def peak_mib(pid):
    """The most memory that a running process had resident; wait4() would count what its parent had before the exec."""
    with open("/proc/%d/status" % pid) as f:
        return int(re.search(r"VmHWM:\s*(\d+)", f.read()).group(1)) / 1024


def medians(rows):
    """Of several runs' dictionaries: the median of each number."""
    return {key: statistics.median(row[key] for row in rows) for key in rows[0]}


def table(title, head, lines):
    """A Markdown table, as it goes into docs/benchmarks.md."""
    print("\n### %s\n" % title)
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for line in lines:
        print("| " + " | ".join(line) + " |")


def machine():
    model = re.search(r"model name\s*:\s*(.*)", open("/proc/cpuinfo").read())
    return "%d CPUs (%s), Linux %s, medians of %d runs" % (
        len(os.sched_getaffinity(0)), model.group(1) if model else platform.machine(), platform.release(), RUNS)
