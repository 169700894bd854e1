#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The ledger against an oracle: numbered system calls on a ring that is certain to overflow.

A caller, pinned, numbers its calls. The recorder is stopped (SIGSTOP) during bursts, so its ring of a page overflows however
fast the machine is; also during the last one, of which no LOST record tells. What was kept is read call by call: the
missing numbers are the oracle, not the kernel's count. All of it again from the chunk headers, after SIGKILL, and for a
capture of perf's.
"""
import json
import os
import re
import shutil
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import caller  # noqa: E402
import stopped  # noqa: E402
import tap  # noqa: E402

LIMIT_S = 60
BURST = 30_000  # calls, a hundred times what a ring of a page holds

def numbers_kept(capture):
    """The numbers of the calls that are in the capture, in their order."""
    return caller.numbers_in(tap.run(tap.TSTREAM, "script", "-i", capture).out)


def missing(numbers):
    return sum(b - a - 1 for a, b in zip([0] + numbers, numbers))


def loss(capture):
    result = tap.run(tap.TSTREAM, "report", "--loss", "--json", "-i", capture)
    return json.loads(result.out) if result.status == 0 else {"rings": [], "error": result.err}


def ring_with_losses(found):
    """The one ring that lost: the caller is pinned."""
    rings = [r for r in found["rings"] if sum(r["lost"].values())]
    return rings[0] if len(rings) == 1 else {"lost": {}, "times": {}, "kept": -1, "found": found}


def told(ring):
    """What the timeline has of losses, whatever the writer was late with."""
    return sum(sum(ring["times"].get(cause, [])) for cause in ("ring_full", "disk", "compression"))


def lost_records(capture):
    """How many LOST records it holds: they are records that are kept, too."""
    found = re.search(r"^\s*LOST events:\s+(\d+)", tap.run(tap.TSTREAM, "report", "--stats", "-i", capture).out, re.M)
    return int(found[1]) if found else 0


def overload(recorder, pause_s=0):
    """Calls while the recorder runs, far more while it is stopped, a few to be told of what was lost."""
    recorder.call(1000)
    with stopped.recorder(recorder.process.pid):
        recorder.call(BURST)
        time.sleep(pause_s)
    recorder.call(1000)


def check_complete(name, *options):
    capture = tap.path("cap")
    recorder = caller.Recorder(tap.TSTREAM, capture, *options)
    overload(recorder)
    with stopped.recorder(recorder.process.pid):
        recorder.call(20_000)
        recorder.end()
    status, err = recorder.join()
    tap.equal(status, 0, f"{name}: recording succeeds")
    numbers = numbers_kept(capture)
    tap.ok(numbers and all(a < b for a, b in zip(numbers, numbers[1:])), f"{name}: calls kept once, in order", numbers[:9])
    found = loss(capture)
    ring = ring_with_losses(found)
    lost = sum(ring["lost"].values())
    tap.equal(len(numbers) + lost, recorder.calls, f"{name}: kept and lost are the calls that were made")
    tap.equal(told(ring), missing(numbers), f"{name}: the timeline has what is missing between the calls kept")
    tap.equal(ring.get("lost_at_unknown_time"), recorder.calls - numbers[-1],
              f"{name}: what is missing behind the last one is lost at an unknown time")
    tap.ok(recorder.calls - numbers[-1] > 0, f"{name}: and some of it is", "the last burst was not lost")
    tap.equal(ring["kept"], sum(ring["times"]["kept"]), f"{name}: the timeline has all that was kept")
    tap.ok(found["is_exact"] and found["source"] == "tstream.json", f"{name}: the ledger says that it is exact", found)
    with open(os.path.join(capture, "tstream.json")) as f:
        note = json.load(f)
    tap.equal((note["ledger"]["kept"], sum(note["ledger"]["lost"].values()), note["ledger"]["lost_at_unknown_time"]),
              (found["kept"], sum(found["lost"].values()), found["lost_at_unknown_time"]),
              f"{name}: the sums of tstream.json are those of its rings")
    check_rebuilt(name, capture, found)
    tap.ok("lost" in err, f"{name}: the last line says so", err)


def check_rebuilt(name, capture, found):
    """Without tstream.json the same ledger comes out of the chunk headers, but for what nobody told."""
    os.unlink(os.path.join(capture, "tstream.json"))
    again = loss(capture)

    def facts(rings):
        return {r["ring"]: (r["cpu"], r["kind"], r["kept"], r.get("times")) for r in rings if r["kept"]}

    tap.equal(facts(again["rings"]), facts(found["rings"]), f"{name}: the chunk headers tell the same, slot by slot")
    tap.ok(not again.get("is_exact", True) and again["source"] == "chunk headers", f"{name}: and it says what it is made of",
           again.get("source"))


def check_killed(name, *options):
    capture = tap.path("killed")
    recorder = caller.Recorder(tap.TSTREAM, capture, "--flush=100ms", *options)
    overload(recorder)
    end = time.monotonic() + LIMIT_S
    while missing(numbers_kept(capture)) < BURST / 2 and time.monotonic() < end:
        recorder.call(1)
        time.sleep(0.1)
    recorder.process.kill()
    recorder.end()
    tap.equal(recorder.join()[0], -signal.SIGKILL, f"{name}: the recorder is killed")
    numbers = numbers_kept(capture)
    ring = ring_with_losses(loss(capture))
    tap.equal((ring["kept"] - lost_records(capture), told(ring)), (len(numbers), missing(numbers)),
              f"{name}: the chunk headers have what was kept and what is missing in between")
    tap.ok(missing(numbers) > BURST / 2, f"{name}: it was an overload", "nothing is missing")
    text = tap.run(tap.TSTREAM, "report", "--loss", "-i", capture)
    tap.ok(text.status == 0 and "did not end" in text.out, f"{name}: --loss says that the recording did not end", text.out)
    all_lost = sum(sum(each["lost"].values()) for each in loss(capture)["rings"])
    tap.equal([tap.lost_said(tap.run(tap.TSTREAM, command, "-i", capture).err) for command in ("report", "script")], [all_lost] * 2,
              f"{name}: report and script warn of as many")
    shutil.rmtree(capture)


def check_perf():
    capture = tap.path("perf.data")
    recorder = caller.Recorder(tap.PERF, capture)
    recorder.call(1000)
    with stopped.recorder(recorder.process.pid):
        recorder.call(BURST)
        size = os.path.getsize(capture)
    end = time.monotonic() + LIMIT_S
    while os.path.getsize(capture) < size + 32 * 1024 and time.monotonic() < end:  # half of its ring: it has room again
        time.sleep(0.01)
    recorder.call(1000)  # so it is told what was lost
    recorder.end()
    status, err = recorder.join()
    if not tap.equal(status, 0, "perf: recording succeeds"):
        return print("#", err)
    numbers = numbers_kept(capture)
    found = loss(capture)
    ring = ring_with_losses(found)
    # perf's ring also holds what processes elsewhere in the machine map and fork: some of that is lost, too
    tap.ok(missing(numbers) <= told(ring) <= missing(numbers) + BURST, "perf: its LOST records give the timeline",
           f"told {told(ring)}, missing {missing(numbers)}")
    tap.equal(found["source"], "LOST records", "perf: and it says what it is made of")
    tap.ok(missing(numbers) > BURST / 2, "perf: it was an overload", "nothing is missing")


def check_views(capture):
    """The table, the map, the line of a report: of a capture that has nothing from three seconds of its time."""
    recorder = caller.Recorder(tap.TSTREAM, capture)
    overload(recorder, 3)
    recorder.end()
    recorder.join()
    for locale, mark in (("C", "#"), ("C.UTF-8", "\u2588")):
        text = tap.run(tap.TSTREAM, "report", "--loss", "-i", capture, env={"LC_ALL": locale})
        rows = [line.split("|")[1] for line in text.out.splitlines() if line.startswith("CPU ")]
        tap.ok(text.status == 0 and any(mark in row for row in rows), f"{locale}: the map shows where most was lost", text.out)
        tap.ok("\033" not in text.out, f"{locale}: without colours, not being on a terminal", repr(text.out))
    tap.ok(text.out.isascii() is False and tap.run(tap.TSTREAM, "report", "--loss", "-i", capture,
                                                   env={"LC_ALL": "C"}).out.isascii(), "plain ASCII where it is not UTF-8")
    rows = tap.run(tap.TSTREAM, "report", "--loss", "-q", "-i", capture)
    tap.ok(rows.out and not any(line.startswith("#") for line in rows.out.splitlines()), "-q prints rows only", rows.out)
    report = tap.run(tap.TSTREAM, "report", "-i", capture)
    tap.ok(re.search(r"^# Loss bias: .* see --loss$", report.out, re.M), "a report of it says that losses bias it", report.out)
    quiet = tap.run(tap.TSTREAM, "report", "-q", "-i", capture)
    tap.ok("Loss bias" not in quiet.out, "but not with -q", quiet.out)
    for other in (["--stats"], ["-D"], ["-g"], ["-n"], ["--header-only"], ["--json", "--header"]):
        refused = tap.run(tap.TSTREAM, "report", "--loss", *other, "-i", capture)
        tap.ok(refused.status == 2 and "cannot" in refused.err and not refused.out, f"--loss {' '.join(other)} is refused",
               refused.err)


def main():
    caller.skip_all_where_impossible()
    check_complete("io_uring")
    check_complete("pwrite, compressed", "--io=pwrite", "-z")
    check_killed("killed")
    check_killed("killed, compressed, buffered", "-z", "--io=pwrite,buffered")
    check_views(tap.path("views"))
    if tap.PERF:
        check_perf()
    else:
        tap.skip("perf: its LOST records give the timeline", "perf is not installed")
    tap.done()


main()
