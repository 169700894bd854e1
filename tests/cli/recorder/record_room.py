#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--min-free and --max-size: a capture is refused, or ends complete, before its filesystem is full, or when it has its size."""
import json
import os
import re
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

place = tap.path("place")
cap = os.path.join(place, "cap")
os.mkdir(place)
if not tap.has_tracepoints():
    tap.skip_all("needs tracepoints")
if os.geteuid() != 0 or tap.run("mount", "-t", "tmpfs", "-o", "size=64M", "none", place).status:
    tap.skip_all("must be allowed to mount a tmpfs")
HEAD = (tap.TSTREAM, "record", "-e", "cpu-clock:u", "-F", "1000")


def fill(mib):
    with open(os.path.join(place, "fill"), "wb") as f:
        f.write(bytes(mib << 20))


def check_refused(sentence, *options):
    result = tap.run(*HEAD, *options, "-o", cap, "--", "touch", tap.path("ran"), timeout=60)
    said = [l for l in result.err.splitlines() if l.startswith("tstream: ")]
    tap.ok(result.status == 1 and len(said) == 1 and "--min-free" in said[0] and cap in said[0],
           f"{sentence}: refused in one sentence", f"status {result.status}\n{result.err}")
    tap.ok(not os.path.exists(tap.path("ran")) and not [n for n in os.listdir(place) if n.startswith("cap")],
           "nothing is left behind, the command did not run", os.listdir(place))


def check_complete(err, ended_by):
    """It ended in order: all streams closed and accounted for, and perf counts the samples that the summary tells of."""
    info = json.load(open(os.path.join(cap, "tstream.json")))
    tap.equal((info["state"], info.get("ended_by")), ("complete", ended_by), "the capture is complete, and says why it ended")
    told = re.search(r"(\d+) samples", err)
    kept = (tap.perf_counts(cap) or {}).get("SAMPLE", 0) if tap.PERF else int(told[1])
    tap.equal(int(told[1]), kept, "perf reads all of it")
    tap.run("rm", "-rf", cap)


def check_ends(sentence, *options):
    """The filesystem fills up while the command waits for us: the capture ends, then the command."""
    fifo, started, err = tap.path("fifo"), tap.path("started"), ""
    os.mkfifo(fifo)
    go = os.open(fifo, os.O_RDWR)
    p = subprocess.Popen((*HEAD, *options, "-o", cap, "--", "sh", "-c", f"touch {started}; read line < {fifo}; exit 0"),
                         stderr=subprocess.PIPE, text=True)
    late = threading.Timer(100, p.kill)
    late.start()
    while not os.path.exists(started) and p.poll() is None:
        time.sleep(0.02)
    fill(40)
    for line in p.stderr:
        err += line
        if "the command keeps running" in line:
            break
    os.write(go, b"go\n")
    err += p.communicate()[1]
    late.cancel()
    os.close(go)
    os.unlink(fifo)
    os.unlink(started)
    said = [l for l in err.splitlines() if "cannot go on" in l]
    tap.ok(p.returncode == 1 and len(said) == 1 and "--min-free" in said[0] and "the command keeps running" in err,
           f"{sentence}: ends with a sentence and status 1, the command goes on", f"status {p.returncode}\n{err}")
    check_complete(err, "min-free")
    os.unlink(os.path.join(place, "fill"))


try:
    check_refused("more than the filesystem has", "--min-free", "1G")
    fill(33)
    check_refused("half of it is taken", "--min-free=50%")
    fill(63)
    check_refused("less than 2 % are free", "-q")
    result = tap.run(*HEAD, "--min-free", "0", "-o", cap, "--", "true", timeout=60)
    tap.equal(result.status, 0, "0 switches it off")
    check_complete(result.err, "command")
    os.unlink(os.path.join(place, "fill"))
    for io in ("uring", "pwrite"):
        check_ends(io, "--io", io, "--min-free", "32M")
    check_ends("a part, compressed", "-z", "--min-free=50%")
    result = tap.run(*HEAD, "--min-free", "1T", "-o", "/dev/null", "--", "true", timeout=60)
    tap.equal(result.status, 0, "/dev/null needs no room")
    # 800,000 records; the command is ended as perf ends it
    for options in (("-a",), ("--io=pwrite", "-z")):
        p = tap.run(tap.TSTREAM, "record", "-e", "raw_syscalls:*", "--min-free=0", "--max-size=300K", *options, "-o", cap, "--", "sh", "-c",
                    "dd if=/dev/zero of=/dev/null bs=1 count=200000 status=none; exec sleep 100", timeout=90)
        size = sum(os.path.getsize(os.path.join(cap, n)) for n in os.listdir(cap) if n.startswith("data."))
        tap.ok(p.status == 143 and "--max-size is reached" in p.err and size >= 300 << 10,
               f"{' '.join(options)}: ends at its size, with the command", f"status {p.status}, {size} bytes\n{p.err}")
        check_complete(p.err, "max-size")
    p = tap.run(*HEAD, "--max-size=60M", "-o", cap, "--", "true", timeout=60)
    tap.equal(p.status, 0, "a size that is not reached changes nothing")
    check_complete(p.err, "command")
finally:
    tap.run("umount", place)
tap.done()
