#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""script with inlined functions and source lines: about 100 thousand samples (SECONDS, 50, at 2 kHz) of a C++ program built
with -O2 -g, its stacks dumped. perf script, which asks a child process for each address, is ended after LIMIT (600) seconds.
RUNS (3) of ours; perf runs once.
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

SECONDS = os.environ.get("SECONDS", "50")
RUNS = int(os.environ.get("RUNS", "3"))
LIMIT = int(os.environ.get("LIMIT", "600"))
SOURCE = r"""
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>
template <class M> __attribute__((noinline)) size_t fill(M &m, int n)
{
	for (int i = 0; i < n; i++)
		m[std::to_string(i * 7919 % 10007)] += i;
	size_t sum = 0;
	for (auto &entry : m)
		sum += entry.first.size() + entry.second;
	return sum;
}
int main(int, char **argv)
{
	auto until = std::chrono::steady_clock::now() + std::chrono::seconds(atoi(argv[1]));
	size_t sum = 0;
	while (std::chrono::steady_clock::now() < until) {
		std::map<std::string, long> ordered;
		std::unordered_map<std::string, long> hashed;
		std::vector<std::string> sorted;
		sum += fill(ordered, 20000) + fill(hashed, 20000);
		for (auto &entry : hashed)
			sorted.push_back(entry.first);
		std::sort(sorted.begin(), sorted.end(), [](auto &a, auto &b) { return a.size() != b.size() ? a.size() < b.size() : a < b; });
		sum += sorted.front().size();
	}
	return sum == 1;
}
"""


def timed(command, limit=None):
    """Seconds and lines; None where it took longer."""
    before = time.monotonic()
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            child.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, 15)
            child.wait()
            return None
        return time.monotonic() - before


def main():
    where = tempfile.mkdtemp(prefix="tstream-bench.", dir=os.environ.get("TMPDIR", "/var/tmp"))
    try:
        source, program, capture = (os.path.join(where, name) for name in ("work.cc", "work", "cap"))
        with open(source, "w") as f:
            f.write(SOURCE)
        subprocess.run(["g++", "-O2", "-g", "-o", program, source], check=True)
        subprocess.run([TSTREAM, "record", "-q", "-e", "cpu-clock", "-F", "2000", "--call-graph", "dwarf", "-o", capture, "--",
                        program, SECONDS], stderr=subprocess.DEVNULL, check=True)
        print(machine())
        for options in (["-F", "comm,tid,time,ip,sym"], ["-F", "comm,tid,time,ip,sym,srcline"]):
            ours = statistics.median(timed([TSTREAM, "script", "-q", "--inline", *options, "-i", capture]) for _ in range(RUNS))
            plain = statistics.median(timed([TSTREAM, "script", "-q", "-F", options[1].replace(",srcline", ""), "-i", capture])
                                      for _ in range(RUNS))
            theirs = timed(["perf", "script", *options, "-i", capture], LIMIT)
            times = f"{theirs:.2f} s, {theirs / ours:.1f} times" if theirs else f"not done after {LIMIT} s, more than {LIMIT / ours:.0f} times"
            print(f"{options[1]}: tstream script --inline {ours:.2f} s ({plain:.2f} s without), perf script {times}")
        ours, plain = (statistics.median(timed([TSTREAM, "report", "-q", *options, "-i", capture]) for _ in range(RUNS))
                       for options in (["--inline"], []))
        theirs = timed(["perf", "report", "--stdio", "-i", capture], LIMIT)
        times = f"{theirs:.2f} s, {theirs / ours:.1f} times" if theirs else f"not done after {LIMIT} s, more than {LIMIT / ours:.0f} times"
        print(f"tstream report --inline {ours:.2f} s ({plain:.2f} s without), perf report {times}")
    finally:
        shutil.rmtree(where)


if shutil.which("perf") and shutil.which("g++"):
    main()
else:
    print("skipped: needs perf and g++")
