# SPDX-License-Identifier: Apache-2.0
"""Debian's newest perf as a second judge, beside the machine's own.

    import newest
    newest.enter()              makes or finds it; says skip where it cannot be had. From here on tap.PERF is it, with the text
                                of perf 6.1 (newest_as_old.py), so whatever asks tap.PERF for text asks it
    newest.RAW, newest.OLD      it, as it is; the machine's own
    newest.check(capture, name) the same capture read by both: numbers, rows and lines are equal

NEWEST_PERF in the environment is the folder that it is in or goes to; else it goes into the build folder.
"""
import collections
import difflib
import fcntl
import functools
import os
import re
import subprocess
import sys

ABS_SRCDIR = os.environ.get("abs_srcdir", ".")
sys.path.insert(0, os.path.join(ABS_SRCDIR, "tests/cli/report"))
sys.path.insert(0, os.path.join(ABS_SRCDIR, "tests/cli/script"))
import report_equals_perf  # noqa: E402
import report_text  # noqa: E402
import script_equals_perf  # noqa: E402
import tap  # noqa: E402

SUPPORT = os.path.join(ABS_SRCDIR, "tests/support")
OLD = tap.PERF  # the machine's own
FOLDER = os.path.abspath(os.environ.get("NEWEST_PERF") or os.path.join(os.environ.get("abs_builddir", "."), "newest-perf"))
RAW = os.path.join(FOLDER, "perf")
FRAME = re.compile(r"^\t +([0-9a-f]+)(?= )", re.M)
SLOT = re.compile(r"\S*@plt(\+0x[0-9a-f]+ \((/[^)]*)\))$", re.M)
UNNAMED_SLOT = re.compile(r"(?<= )(?:offset_0x[0-9a-f]+@plt|\.plt)\+0x[0-9a-f]+(?= \()")
NAMED_SLOT = re.compile(r"(?:^|(?<=;))(?:offset_0x[0-9a-f]+@plt|\.plt)(?=;|$)")
PAGE = 4096


def _make():
    """Its version, and the reason where there is none. Scripts that run at the same time make it once."""
    try:
        os.makedirs(FOLDER, exist_ok=True)
    except OSError as why:
        return None, f"the newest perf cannot be had: {why}"
    with open(os.path.join(FOLDER, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = subprocess.run(["sh", os.path.join(SUPPORT, "newest_perf.sh"), FOLDER], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, text=True)
    said = made.stdout.strip()
    return (said, None) if made.returncode == 0 else (None, said or f"newest_perf.sh ended with status {made.returncode}")


def enter():
    if not tap.can_record_all():
        tap.skip_all("recording the whole machine needs root")
    version, why_not = _make()
    if why_not:
        tap.skip_all(why_not)
    os.environ["NEWEST_PERF"] = FOLDER
    tap.PERF = os.path.join(SUPPORT, "newest_as_old.py")
    tap.note(f"the judge: {version}")


@functools.lru_cache(maxsize=None)
def has_unnamed_slots(module):
    """Whether slots of its PLT belong to functions that are chosen when it is loaded: newer perfs name them, perf 6.1 and tstream
    call them @plt."""
    return "_IRELATIV" in tap.run("readelf", "-Wr", module).out


def but_slot(match):
    return f"@plt{match[1]}" if has_unnamed_slots(match[2]) else match[0]


def comparable(text):
    """Text of script with the addresses of frames cut to their offset in a page (perf 6.1 and tstream print where in its file a
    frame is, newer perfs where in memory), and without the names of slots that only newer perfs name."""
    text = UNNAMED_SLOT.sub("[unknown]", text)
    return SLOT.sub(but_slot, FRAME.sub(lambda match: f"\t{int(match[1], 16) % PAGE:03x}", text))


def check_rows(capture, name, *options, keys="comm,dso,sym"):
    report_equals_perf.compare_rows(capture, f"{name}: rows", "--no-children", "-g", "none", "-n", *options, "-s", keys)


def check_lines(capture, name, *options):
    script_equals_perf.compare(capture, f"{name}: lines and frames of script", options=options, plain=comparable)


def but_numbered(match):
    return match[0] if match[0].startswith("offset_0x") else "@plt"


def chains_of(tool, capture, *options):
    """Status and numbers of samples by chain; perf may have several nodes of the same names, of functions of two processes."""
    status, lines = report_text.text_of(tool, capture, "--no-children", "-g", "folded,0,caller,count", *options)
    sums = collections.Counter()
    for count, chain in (line.split(" ", 1) for line in lines if re.match(r"\d+ \S", line)):
        sums[re.sub(r"[^;]*@plt(?=;|$)", but_numbered, chain)] += int(count)
    return status, sums


def explain_slots(theirs, ours):
    """Takes away chains through slots without a name, which perf names and tstream shows the addresses of."""
    for chain in [chain for chain in theirs if chain not in ours and NAMED_SLOT.search(chain)]:
        pattern = "0x[0-9a-f]+".join(map(re.escape, NAMED_SLOT.split(chain)))
        mine = [other for other in ours if other not in theirs and re.fullmatch(pattern, other)]
        if sum(ours[other] for other in mine) == theirs[chain]:
            for other in mine:
                del ours[other]
            del theirs[chain]


def check_chains(capture, name, *options, key="comm"):
    """Call chains of report, of each row of `key`."""
    (status, theirs), (our_status, ours) = (chains_of(tool, capture, *options, "-s", key) for tool in (tap.PERF, tap.TSTREAM))
    deep = sum(chain.count(";") > 1 for chain in ours)
    explain_slots(theirs, ours)
    tap.ok(status == our_status == 0 and theirs == ours and deep, f"{name}: call chains of report",
           f"status {status} and {our_status}, {deep} deep\nperf: {theirs - ours}\ntstream: {ours - theirs}")


def check_counts(capture, name):
    report_equals_perf.compare_stats(capture, f"{name}: numbers of records")


def check_complaints(capture, name):
    """Of perf over a capture of ours."""
    counts, lines = tap.perf_reads(capture)
    tap.ok(counts and lines and lines >= counts.get("SAMPLE", 0) > 0, f"{name}: perf has no complaints", f"{counts} {lines}")


def own(capture, commands):
    """The option that selects the processes of these names, of a capture of the whole machine. Names are not used to select by:
    newer perfs forget the name of a thread that has ended, whose last samples come behind its end."""
    found = re.findall(r"^ *(\S.*?) +(\d+)/\d+ *$", tap.run(tap.TSTREAM, "script", "-F", "comm,pid,tid", "-G", "-i", capture).out, re.M)
    return "--pid=" + ",".join(sorted({pid for name, pid in found if name in commands}))


def check(capture, name, *options, keys="comm,dso,sym", has_chains=False, is_ours=False):
    """`options` of both select what is compared."""
    checks = [functools.partial(check_counts, capture, name), functools.partial(check_rows, capture, name, *options, keys=keys),
              functools.partial(check_lines, capture, name, *options)]
    if has_chains:
        checks.append(functools.partial(check_chains, capture, name, *options, key=keys.split(",")[0]))
    if is_ours:
        checks.append(functools.partial(check_complaints, capture, name))
    tap.at_once(checks)
