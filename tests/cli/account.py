#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The account of an overloaded recording: offered = kept + lost, to the record.

Processes make a known number of numbered system calls while only a ring of one page stands between
them and the writer. What was kept, counted by perf and by tstream, and what the kernel says was lost
must add up to the calls that were made; nothing twice, nothing out of order.
"""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

CALLS = 150_000  # of each process
PROCESSES = 2
EVENT = "syscalls:sys_enter_getpriority"  # which nothing calls that starts or ends

# Asks for the priority of processes that do not exist, by number.
CALLER = f"""
import ctypes, os
call = ctypes.CDLL(None).getpriority
first = not os.fork()
for number in range(1, {CALLS} + 1):
    call(0, number + (1 << 24))
if not first:
    os.wait()
"""


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
    recorded = tap.run(tap.TSTREAM, "record", "-e", EVENT, "-o", capture, *options, "--",
                       sys.executable, "-c", CALLER)
    tap.equal(recorded.status, 0, f"{name}: recording succeeds")
    with open(os.path.join(capture, "tstream.json")) as f:
        ledger = json.load(f)["ledger"]
    lost = sum(row["records"] for row in ledger["ring_full_by_event"] if row["event"] == EVENT)
    perf = tap.run(tap.PERF, "report", "--stats", "-i", capture)
    kept, perf_lost = event_counts(perf.out)
    print(f"# {name}: {kept} kept, {lost} lost")
    tap.ok(perf.status == 0, f"{name}: perf reads the capture", perf.err)
    tap.equal(kept + lost, CALLS * PROCESSES, f"{name}: kept and lost are all that was offered")
    tap.equal(perf_lost, lost, f"{name}: the capture tells perf what was lost")
    tap.equal(ledger["offered"], ledger["kept"] + sum(ledger["lost"].values()), f"{name}: the ledger adds up")
    if must_lose:
        tap.ok(lost > 0, f"{name}: it was an overload", "nothing was lost: the test tells nothing")
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
