#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The account of an overloaded recording: offered = kept + lost, to the record.

Processes make a known number of numbered system calls; for some of them the recorder is stopped, while only a ring of
one page stands between them and it: so most of these are lost, the last ones before the end too. What was kept,
counted by perf and by tstream, and what the kernel says was lost must add up to the calls that were made; nothing
twice, nothing out of order.
"""
import contextlib
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import stopped  # noqa: E402
import tap  # noqa: E402

EVENT = "syscalls:sys_enter_getpriority"  # which nothing calls that starts or ends
PROCESSES = 2
# how many calls each process makes, and whether the recorder is stopped meanwhile
BURSTS = ((500, False), (20_000, True), (500, False), (20_000, True))
# Records of a page, of which at most two are full before the recorder is stopped for good
HELD = 4096 // 64 * (len(tap.online_cpus()) + 1)

# Tells its pid; then for each line, until there is none, so many calls by two processes: for the priority of processes
# that do not exist, by number.
CALLER = """
import ctypes, os, sys
call = ctypes.CDLL(None).getpriority
print(os.getpid(), flush=True)
number = 1 << 24
for line in sys.stdin:
    child = os.fork()
    for _ in range(int(line)):
        number += 1
        call(0, number)
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
    print("done", flush=True)
"""


def make_calls(p, calls):
    p.stdin.write(f"{calls}\n")
    p.stdin.flush()
    return p.stdout.readline() == "done\n"


def record(capture, may_stop, *options):
    """Records the bursts. The last one ends, and the caller, before the recorder goes on."""
    with open(tap.path("said"), "w+") as said, \
         subprocess.Popen([tap.TSTREAM, "record", "-e", EVENT, "-o", capture, *options, "--", sys.executable, "-c", CALLER],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, text=True) as p:
        caller = p.stdout.readline()
        good = bool(caller)
        for number, (calls, is_stopped) in enumerate(BURSTS):
            with stopped.recorder(p.pid) if may_stop and is_stopped else contextlib.nullcontext():
                good = good and make_calls(p, calls)
                if good and number == len(BURSTS) - 1:
                    p.stdin.close()
                    stopped.wait_for_exit(int(caller))
        p.stdin.close()
        status = p.wait(timeout=60)
        said.seek(0)
        return status if good else "no calls", said.read()


def call_numbers(capture):
    """The numbers of the calls kept, by process, in the order of time."""
    numbers = {}
    result = tap.run(tap.PERF, "script", "-F", "tid,time,event,trace", "-i", capture)
    for tid, number in re.findall(r"^\s*(\d+) .* who: (?:0x)?([0-9a-f]+)", result.out, re.M):
        numbers.setdefault(tid, []).append(int(number, 16) - (1 << 24))
    return numbers


def event_counts(stats):
    """Samples kept and lost of the event, as `report --stats` of either program prints them."""
    own = stats.split(f"{EVENT} stats:")[-1]
    kept = re.search(r"SAMPLE events:\s+(\d+)", own)
    lost = re.search(r"LOST_SAMPLES events:\s+(\d+)", own)
    return int(kept[1]) if kept else 0, int(lost[1]) if lost else 0


def account(name, must_lose, *options):
    capture = tap.path("cap")
    status, said = record(capture, must_lose, *options)
    if not tap.ok(status == 0, f"{name}: recording succeeds", f"{status}: {said}"):
        return
    with open(os.path.join(capture, "tstream.json")) as f:
        ledger = json.load(f)["ledger"]
    lost = sum(row["records"] for row in ledger["ring_full_by_event"] if row["event"] == EVENT)
    perf = tap.run(tap.PERF, "report", "--stats", "-i", capture)
    kept, perf_lost = event_counts(perf.out)
    print(f"# {name}: {kept} kept, {lost} lost")
    tap.ok(perf.status == 0, f"{name}: perf reads the capture", perf.err)
    tap.equal(kept + lost, PROCESSES * sum(calls for calls, _ in BURSTS), f"{name}: kept and lost are all that was offered")
    tap.equal(perf_lost, lost, f"{name}: the capture tells perf what was lost")
    tap.equal(ledger["offered"], ledger["kept"] + sum(ledger["lost"].values()), f"{name}: the ledger adds up")
    if must_lose:
        must = sum(PROCESSES * calls - HELD for calls, is_stopped in BURSTS if is_stopped)
        tap.ok(lost >= must, f"{name}: what found its ring full was lost", f"{lost} lost, at least {must} must be")
    numbers = call_numbers(capture)
    tap.equal(sum(len(n) for n in numbers.values()), kept, f"{name}: perf prints every sample kept")
    tap.ok(all(a < b for n in numbers.values() for a, b in zip(n, n[1:])),
           f"{name}: no call twice, none out of order", str({t: n[:20] for t, n in numbers.items()}))


def main():
    if not tap.PERF:
        tap.skip_all("perf is not installed")
    if not tap.can_record_all():
        tap.skip_all("only root may record tracepoints")
    if not os.path.exists("/sys/kernel/tracing/events/" + EVENT.replace(":", "/")):
        tap.skip_all(f"this kernel has no {EVENT}")
    account("rings of a page", True, "-m", "4K")
    account("rings of a page, compressed", True, "-m", "4K", "-z")
    account("rings of a page, pwrite", True, "-m", "4K", "--io=pwrite")
    account("rings of a page, a writer for each CPU", True, "-m", "4K", "--threads=cpu")
    account("rings as they are", False)
    tap.done()


main()
