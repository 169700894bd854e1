#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""With so little memory that most of what is counted lies in files, the output is the same as without a limit; what the process
has of private memory stays below the limit; and where files cannot be written, one sentence says so."""
import os
import re
import resource
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import growing  # noqa: E402
import tap  # noqa: E402

LAY = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/lay_story")
SAMPLES, STACKS = 150000, 1000000  # nearly every sample has a stack of its own
FEWER = 40000  # where a sample has an entry for each of its callers
LIMIT = 16 << 20
CPUS = 4  # at most


def lay(kind, samples=SAMPLES, stacks=STACKS):
    capture = tap.path(f"{kind}-{samples}")
    result = tap.run(LAY, capture, kind, "3", str(samples), str(stacks), "1")
    if result.status:
        tap.skip_all(f"no capture could be made: {result.err}")
    return capture


def is_instrumented():
    """A sanitizer takes memory of its own."""
    with open(tap.TSTREAM, "rb") as f:
        found = f.read()
    return b"__asan_init" in found or b"__tsan_init" in found


def run_watched(command):
    """Output, sentences, status, and the most private memory that was seen, in bytes."""
    with open(tap.path("out"), "wb") as out, open(tap.path("err"), "wb") as err:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        most = 0
        while process.poll() is None:
            try:
                with open(f"/proc/{process.pid}/status") as f:
                    found = re.search(r"RssAnon:\s+(\d+)", f.read())
                most = max(most, int(found[1]) * 1024 if found else 0)
            except OSError:
                pass
            try:
                process.wait(0.002)
            except subprocess.TimeoutExpired:
                pass
    with open(tap.path("out"), "rb") as out, open(tap.path("err")) as err:
        return out.read(), err.read(), process.returncode, most


def compare(capture, *words, is_much=True):
    """The same with and without a limit; how much was moved to files."""
    name = " ".join(words) + f", {os.path.basename(capture)}"
    command = [tap.TSTREAM, *words, "-i", capture]
    wanted, said, status, _ = run_watched([*command, "--mem-limit=8G"])
    if status or not wanted:
        tap.ok(False, f"{name}: printed without a limit", said)
        return
    out, said, status, most = run_watched([*command, "-v", f"--mem-limit={LIMIT}"])
    moved = re.search(r"Moved [\d.]+[KMG] to files", said)
    tap.ok(not status and out == wanted, f"{name}: the same with a limit", said)
    if is_much:
        tap.ok(moved, f"{name}: some of it was in files", said)
    tap.ok(most <= LIMIT, f"{name}: private memory is below the limit", f"{most} bytes of {LIMIT}")


def refused(name, result, *parts):
    lines = result.err.strip().splitlines()
    tap.ok(result.status == 1 and lines and all(part in lines[0] for part in parts) and
           sum(line.startswith("tstream: cannot") or "error" in line for line in lines) <= 1, name,
           f"status {result.status}: {result.err}")


def check_refusals(capture):
    tap_env = {"TMPDIR": "/proc"}  # where nobody makes files
    result = tap.run(tap.TSTREAM, "report", "-i", capture, f"--mem-limit={LIMIT}", env=tap_env)
    refused("a folder that takes no files", result, "cannot move", "/proc")
    full = tap.run("unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size=1M none /mnt && TMPDIR=/mnt exec "$@"', "sh",
                   tap.TSTREAM, "report", "-i", capture, f"--mem-limit={LIMIT}")
    if "unshare" in full.err or "mount" in full.err:
        tap.skip("a full disk", "this user may not mount a small one")
    else:
        refused("a full disk", full, "cannot move", "/mnt: No space left on device")
    small = subprocess.run([tap.TSTREAM, "report", "-i", capture, f"--mem-limit={LIMIT}"], capture_output=True, text=True,
                           stdin=subprocess.DEVNULL, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)))
    small.status, small.err = small.returncode, small.stderr
    refused("a limit of file sizes", small, "cannot move", ": File too large")
    for command in ("report", "script", "check"):
        result = tap.run(tap.TSTREAM, command, "-i", capture, "--mem-limit=1M")
        refused(f"{command} with a limit below what it needs at least", result, "cannot read", "with 1M of memory")
        result = tap.run(tap.TSTREAM, command, "-i", capture, "--mem-limit=100")
        tap.ok(result.status == 2 and "the minimum is 1M" in result.err, f"{command}: bytes are not enough", result.err)
        result = tap.run(tap.TSTREAM, command, "-i", capture, "--mem-limit=much")
        tap.ok(result.status == 2 and "give a size" in result.err, f"{command}: what is no size is refused", result.err)


def check_names():
    """Names, maps and modules are in no file: a command ends before they take more than the limit."""
    for kind, limit in (("chain_with_maps", LIMIT), ("maps_upwards", 4 * LIMIT)):
        capture = tap.path(kind)
        growing.KINDS[kind](100000, capture)
        for command in ("report", "script"):
            _, said, status, most = run_watched([tap.TSTREAM, command, "-i", capture, f"--mem-limit={limit}"])
            tap.ok(status == 1 and said.startswith("tstream: cannot read") and "--mem-limit" in said and most <= limit + (4 << 20),
                   f"{command}, {kind.replace('_', ' ')}: a sentence in time", f"status {status}, {most} bytes of {limit}: {said}")
        growing.remove(capture)


def check_symbols():
    """Each symbol of the kernel that was made at run time has a table of its own, and tables are in no file."""
    capture, mib = tap.path("ksymbols"), 1 << 20
    growing.KINDS["ksymbols_called"](84000, capture)
    command = [tap.TSTREAM, "report", "-g", "-i", capture]
    wanted, _, _, _ = run_watched([*command, "--mem-limit=8G"])
    out, said, status, most = run_watched([*command, f"--mem-limit={300 * mib}"])
    tap.ok(not status and out == wanted and most <= 300 * mib, "84,000 KSYMBOLs: the same with 300 MiB", f"status {status}, {most} bytes: {said}")
    _, said, status, most = run_watched([*command, f"--mem-limit={110 * mib}"])
    tap.ok(status == 1 and "tstream: cannot read" in said and "--mem-limit" in said and most <= 110 * mib,
           "a sentence where there is no room for their tables", f"status {status}, {most} bytes: {said}")
    growing.remove(capture)


def use_few_cpus():
    """Each thread needs its share of the limit, and script has one for each CPU that it may use."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CPUS])


def main():
    use_few_cpus()
    if is_instrumented():
        tap.skip_all("a sanitizer takes memory of its own")
    capture = lay("plain")
    compare(capture, "report", "-j", "2")
    compare(capture, "report", "-j", "1", "--no-children", "-s", "sym,cpu", "-g", "none", is_much=False)
    compare(capture, "report", "-j", "2", "-s", "time,tid,sym", "--time-quantum", "1us", "-g", "none", "--no-children")
    compare(lay("compressed", FEWER), "report", "-j", "3", "--children", "-s", "comm,pid,dso,sym", "-g", "caller")
    compare(capture, "report", "-j", "2", "-s", "comm", "-g", "caller,0", "--no-children")
    compare(lay("file"), "report", "-j", "2", "-g", "callee,0.1", "--no-children")
    compare(lay("compressed", FEWER), "script", is_much=False)
    compare(lay("file", 10000), "report", "-D", "-j", "2", is_much=False)
    check_refusals(capture)
    check_names()
    check_symbols()
    tap.done()


main()
