#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A limit of the size of files (ulimit -f) ends a recording with one sentence: what fits is kept and can be read, or nothing is left;
the command, hooks and helpers have the signal's default action."""
import glob
import os
import shutil
import signal
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap

if not tap.can_record_all():
    tap.skip_all("only root may record everything")

CAP, ENDED = tap.path("cap"), tap.path("ended")
MODES = ((), ("-z",), ("--io=pwrite",), ("--switch-output=1s",), ("--overwrite",), ("-M", "8M"), ("--daemon",))


def counting(times):
    return ("sh", "-c", f"i=0; while [ $i -lt {times} ]; do i=$((i + 1)); done; mkdir {ENDED}")


COMMAND, LONG_COMMAND = counting(300000), counting(1500000)


def record(blocks, *options, command=COMMAND):
    """Records under a limit of so many KiB."""
    shutil.rmtree(ENDED, ignore_errors=True)
    return tap.run("bash", "-c", f'ulimit -f {blocks}; exec "$@"', "bash", tap.TSTREAM, "record", "-g", "-F", "20000", "-e",
                   "cpu-clock", "-o", CAP, *options, "--", *command)


def sentences(err):
    return [line for line in err.splitlines() if line.startswith("tstream: ") and not line.startswith("tstream: note: ")]


def holds():
    return glob.glob("/dev/shm/tstream.*")


def check_too_small(blocks, options):
    """Nothing can be recorded: one sentence, and everything as it was."""
    row = f"ulimit -f {blocks} {' '.join(options)}"
    before = sorted(glob.glob(CAP + "*"))
    marked = open(CAP + "/tstream.json").read()
    result = record(blocks, "-a", *options)
    tap.ok(result.status == 1 and len(sentences(result.err)) == 1 and "File too large" in result.err and "ulimit -f" in result.err
           and "nothing lost" not in result.err, f"{row}: one sentence says why, and what helps", f"{result.status}\n{result.err}")
    log = CAP + ".log"
    if os.path.exists(log):
        os.unlink(log)
    tap.equal((sorted(glob.glob(CAP + "*")), open(CAP + "/tstream.json").read() == marked, os.path.exists(ENDED)),
              (before, True, False), "nothing is left, the former capture is at its place, the command never ran")


def check_kept(blocks, options):
    """What fits is kept, to the sample; the command ends as ever. Of it alone: how many names and maps there are else is not known."""
    row = f"ulimit -f {blocks} {' '.join(options)}"
    for path in glob.glob(CAP + "*"):
        shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
    result = record(blocks, *options, command=LONG_COMMAND if "-z" in options else COMMAND)  # compressed samples fill a file later
    tap.ok(result.status == 1 and len(sentences(result.err)) == 1 and "File too large" in result.err, f"{row}: one sentence", result.err)
    tap.ok(os.path.exists(ENDED), "the command ran to its end")
    made = glob.glob(CAP) or glob.glob(CAP + ".2*")
    sound = tap.run(tap.TSTREAM, "check", made[0]) if made else None
    tap.ok(sound and sound.status == 0, "what was kept is sound", result.err + str(sound))
    if made and tap.PERF and "-M" not in options:
        tap.ok(tap.perf_counts(made[0]), "and perf reads it")


held = set(holds())
tap.run(tap.TSTREAM, "record", "-q", "-o", CAP, "--", "true")
enough = os.path.getsize(CAP + "/data") // 1024 + 100  # for names and maps, not for the samples
for options in MODES:
    for blocks in (0, 1, 10):
        check_too_small(blocks, options)
for options in MODES[:-1]:
    check_kept(enough, options)
tap.equal(set(holds()) - held, set(), "nothing is left in memory")

shutil.rmtree(CAP)
result = record(2000, command=("sh", "-c", f"ulimit -f 0; echo x >{ENDED}"))
tap.equal(result.status, 128 + signal.SIGXFSZ, "the command is ended by its own limit as it is without a recorder")
tap.done()
