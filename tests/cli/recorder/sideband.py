#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names and maps come in bursts: rings for side-band have room for them, and the last free buffer is theirs alone."""
import os
import re
import resource
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

KIB = 1024
UNITS = {"K": 1, "M": 1024, "G": 1024 * 1024}
RINGS = re.compile(r"rings: (\d+) of (\d+)([KMG]) for samples, (\d+) of (\d+)([KMG]) for side-band")


def planned(*options, **how):
    """KiB of a ring for samples and of one for side-band; None: no plan was made."""
    result = tap.run(tap.TSTREAM, "record", "--dry-run", "-e", "cpu-clock", *options, "--", "true", **how)
    found = RINGS.search(result.out)
    if not found:
        return None
    return int(found[2]) * UNITS[found[3]], int(found[5]) * UNITS[found[6]], int(found[4])


def memory_kib():
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE") // KIB


def check_sizes():
    tap.equal(planned("-m", "64K:16K")[:2], (64, 16), "-m SAMPLES:SIDEBAND gives both sizes")
    tap.equal(planned("-m", ":32K")[1], 32, "-m :SIDEBAND gives that alone")
    if os.geteuid() != 0:
        return tap.skip("rings where memory is locked freely", "only root may")
    samples, sideband, nr = planned()
    tap.ok(sideband * nr <= memory_kib() // 512, "all side-band rings have at most a 512th of the memory", f"{nr} of {sideband}K")
    tap.ok(sideband == 512 or 2 * sideband * nr > memory_kib() // 512, "each has 512 KiB if that is no more", sideband)
    tap.equal(planned("-m", "4M")[1], sideband, "larger rings for samples leave them as they are")


def become_ordinary():
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (64 * KIB, 64 * KIB))
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)


def check_sizes_of_ordinary_user():
    with open("/proc/sys/kernel/perf_event_mlock_kb") as f:
        usual = f.read().strip() == "516"
    with open("/proc/sys/kernel/perf_event_paranoid") as f:
        usual = usual and int(f.read()) >= 0
    if os.geteuid() != 0 or not usual or not os.access(tap.TSTREAM, os.X_OK):
        return tap.skip("rings of an ordinary user", "only root becomes one, with kernel.perf_event_mlock_kb=516")
    got = planned(preexec_fn=become_ordinary)
    if not got:
        return tap.skip("rings of an ordinary user", "he cannot run this program")
    tap.equal(got[:2], (256, 128), "an ordinary user has 128 KiB beside 256 KiB for samples")
    return None


check_sizes()
check_sizes_of_ordinary_user()
tap.done()
