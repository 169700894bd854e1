# SPDX-License-Identifier: Apache-2.0
"""TAP for test scripts in Python, and what they need to run tstream and to ask perf.

    sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
    import tap

    result = tap.run(tap.TSTREAM, "record", ...)     .status .out .err
    tap.ok(condition, "sentence", "what to show when it is false")
    tap.equal(got, wanted, "sentence")
    tap.skip("sentence", "reason")
    tap.at_once([function, ...])                     their results; what they say comes in their order
    tap.done()

tap.scratch is a folder of the script's own, removed at its end, and when it is told to end (SIGTERM).
"""
import atexit
import concurrent.futures
import functools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import types

TSTREAM = os.environ.get("TSTREAM", os.path.abspath("tstream"))
scratch = tempfile.mkdtemp(prefix="tstream-test.")
os.chmod(scratch, 0o755)
atexit.register(shutil.rmtree, scratch, True)
_owner = os.getpid()


def _told_to_end(*_):
    if os.getpid() == _owner:
        sys.exit(143)
    os._exit(143)


signal.signal(signal.SIGTERM, _told_to_end)
_number = 0
_speaker = threading.local()  # .later: what a function of at_once() has to say, else there is none


def _say(print_it):
    later = getattr(_speaker, "later", None)
    if later is None:
        print_it()
    else:
        later.append(print_it)


def _print_result(condition, sentence, show):
    global _number
    _number += 1
    print(f"{'ok' if condition else 'not ok'} {_number} - {sentence}")
    if not condition:
        _print_note(show)
    sys.stdout.flush()


def _print_note(text):
    for line in str(text).splitlines():
        print("#", line)


def ok(condition, sentence, show=""):
    _say(functools.partial(_print_result, condition, sentence, show))
    return condition


def final(text):
    """A comment that says of a failure that a second run would not make it good (tests/check.sh)."""
    note("final: " + text)


def note(text):
    """A comment, for whoever reads the output of a test."""
    _say(functools.partial(_print_note, text))


def _heard(function):
    """Its result, and what it says."""
    _speaker.later = []
    result = function()
    return result, _speaker.later


def at_once(functions):
    """Runs functions at the same time, as many as there are CPUs; what they say comes in their order, as do the results. They
    read captures: recorders would see each other."""
    results = []
    pool = concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0)))
    try:
        for result, said in pool.map(_heard, functions):
            results.append(result)
            for print_it in said:
                _say(print_it)
    finally:
        pool.shutdown(cancel_futures=True)
    return results


def equal(got, wanted, sentence):
    return ok(got == wanted, sentence, f"got:    {got}\nwanted: {wanted}")


def skip(sentence, reason):
    ok(True, f"{sentence} # SKIP {reason}")


def skip_all(reason):
    print(f"1..0 # SKIP {reason}")
    sys.exit(0)


def done():
    print(f"1..{_number}")


def run(*command, **options):
    """Runs a command to its end; a list of strings, or one string for the shell. Where perf reads it may try twice more: perf
    6.1 crashes now and then over captures that are sound."""
    result = _run(*command, **options)
    for _ in range(2):
        if len(command) < 2 or command[0] != PERF or command[1] not in ("report", "script") or result.status not in CRASHES:
            break
        result = _run(*command, **options)
    return result


def _run(*command, timeout=120, env=None, **options):
    result = _run_once(command, timeout, env, options)
    if result.status == "timeout":
        final(f"{command[:2]} did not end within {timeout} s")
    elif result.status in CRASHES and command[0] != PERF:
        final(f"{command[:2]} was ended by signal {-result.status}")
    return result


def _run_once(command, timeout, env, options):
    shell = len(command) == 1 and " " in command[0]
    merged = dict(os.environ, **(env or {}))
    try:
        p = subprocess.run(command[0] if shell else command, shell=shell, env=merged, timeout=timeout,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    except subprocess.TimeoutExpired as late:
        return types.SimpleNamespace(status="timeout", out=(late.stdout or b"").decode(errors="replace"),
                                     err=(late.stderr or b"").decode(errors="replace"))
    return types.SimpleNamespace(status=p.returncode, out=p.stdout.decode(errors="replace"),
                                 err=p.stderr.decode(errors="replace"))


def start_recorder(command, **more):
    """Starts `tstream record` of these words and waits until it records: from then on it answers."""
    told, answer = os.pipe(), os.pipe()
    p = subprocess.Popen([*command[:2], "--control", f"fd:{told[0]},{answer[1]}", *command[2:]], pass_fds=(told[0], answer[1]),
                         stdin=subprocess.DEVNULL, **more)
    os.close(told[0])
    os.close(answer[1])
    os.write(told[1], b"ping\n")
    os.read(answer[0], 5)
    p.control = told[1], answer[0]  # open as long as it is
    return p


def without_names(err):
    """Errors without the notes that count rows without names: made captures name files that are not there."""
    return "".join(line for line in err.splitlines(True) if "--explain-symbols' lists the reasons" not in line)


def path(name):
    return os.path.join(scratch, name)


def online_cpus():
    cpus = []
    with open("/sys/devices/system/cpu/online") as f:
        for part in f.read().strip().split(","):
            first, _, last = part.partition("-")
            cpus += range(int(first), int(last or first) + 1)
    return cpus


def can_record_all():
    """Whether this user may record everything: else a script that needs it says skip_all()."""
    return os.geteuid() == 0


def has_tracepoints():
    """Whether tracefs is there and may be read: bootstrap mounts it for root."""
    return os.access("/sys/kernel/tracing/events/raw_syscalls", os.R_OK)


@functools.lru_cache(maxsize=1)
def read_few_kernel_symbols():
    """From now on this script and what it starts see each 16th of the kernel's symbols, if this user may mount: perf and tstream would
    read all 120,000 for each report, which takes longer than the rest of it. For scripts with many reports, whose subject is none of
    them."""
    import ctypes  # which few scripts need
    begins = re.compile(r"_?_?[se]\w*text(_\w*)?|_text|_end|__(init|start)_\w*|startup_64")
    if not can_record_all() or not os.path.exists("/proc/kallsyms"):
        return
    with open("/proc/kallsyms", encoding="utf-8") as f:
        few = [line for number, line in enumerate(f) if number % 16 == 0 or begins.fullmatch(line.split()[2]) or "[" in line]
    with open(path("kallsyms"), "w", encoding="utf-8") as f:
        f.writelines(few)
    libc = ctypes.CDLL(None)
    if libc.unshare(CLONE_NEWNS) == 0 and libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None) == 0:
        libc.mount(path("kallsyms").encode(), b"/proc/kallsyms", None, MS_BIND, None)


CLONE_NEWNS, MS_BIND, MS_REC, MS_PRIVATE = 0x20000, 4096, 16384, 1 << 18
PERF = shutil.which("perf")
CRASHES = (-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS, -signal.SIGFPE)


def is_counted(event):
    """Whether this machine counts a hardware event; False where perf is not there to say so."""
    said = run(PERF, "stat", "-x,", "-e", event, "--", "true").err if PERF else "<not"
    return "<not" not in said and event in said


def without_pmu():
    """For env: hardware counters are taken away from what is run so."""
    path = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/without_pmu.so")
    return {"LD_PRELOAD": path, "ASAN_OPTIONS": "verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", "")}


def max_sample_rate():
    """The kernel lowers it while samples take it long, under whoever records."""
    with open("/proc/sys/kernel/perf_event_max_sample_rate") as f:
        return f.read()


def but_losses(err):
    """What report or script, perf's or ours, said on stderr, but for what was lost while recording and rows without a name."""
    err = re.sub(r"^tstream: warning: \d+ records were lost while recording: .*\n?", "", err, flags=re.M)
    err = re.sub(r"Warning:\nProcessed \d+ (events|samples) and lost [\d.]+( chunks|%)!\n", "", err)
    return without_names(re.sub(r"Check IO/CPU overload!\n", "", err)).strip()


def lost_said(err):
    """How many records report or script said on stderr were lost while recording."""
    return sum(map(int, re.findall(r"^tstream: warning: (\d+) records were lost while recording: ", err, re.M)))


def but_disorder(err):
    """The same but for perf's warning that its own file has records of an earlier time behind those of a later one: rounds of
    reading, after which it takes records to be in order, end too early on a busy machine."""
    return re.sub(r"Warning:\n\d+ out of order events recorded\.\n?", "", err).strip()


def _complaints(result, capture):
    """What perf said on stderr, but for its warning of losses that the capture owns up to."""
    try:
        with open(os.path.join(capture, "tstream.json")) as f:
            lost = sum(json.load(f)["ledger"]["lost"].values())
    except (OSError, KeyError):
        lost = 0
    return but_losses(result.err) if lost else result.err.strip()


def _is_content(result, command, capture):
    complaints = _complaints(result, capture)
    if result.status == 0 and not complaints:
        return True
    note("\n".join([f"{command} -i {capture}: status {result.status}", *complaints.splitlines()[:10]]))
    return False


def same_but_cut(theirs, ours):
    """Lists of rows that are the same, but that perf cuts a command to the width of its column where a thread had a longer name
    before (docs/differences.md)."""
    def is_same(a, b):
        a, b = a.split(), b.split()
        return len(a) == len(b) and all(x == y or (i == 1 and y.startswith(x)) for i, (x, y) in enumerate(zip(a, b)))

    return theirs == ours or (len(theirs) == len(ours) and all(map(is_same, theirs, ours)))


def a_cpu_of(capture):
    """The number of a CPU that has samples."""
    return str(int(run(TSTREAM, "script", "-F", "cpu", "-i", capture).out.split("]")[0].strip(" [")))


def perf_counts(capture):
    """What `perf report --stats` counts, by record type; None (and a note) when perf was not content."""
    result = run(PERF, "report", "--stats", "-i", capture)
    total = result.out.split("stats:\n")[1] if "Aggregated stats:\n" in result.out else ""
    counts = dict((name, int(n)) for name, n in re.findall(r"^\s*(\w+) events:\s+(\d+)", total, re.M))
    return counts if _is_content(result, "perf report --stats", capture) and counts else None


def perf_script_lines(capture):
    """How many lines `perf script` prints; None when it was not content.

    perf 6.1 was seen to crash once in many runs on the same capture ("stack smashing detected", util/build-id.c), so
    a crash is tried again: one that the capture is the cause of comes again.
    """
    for _ in range(3):
        result = run(PERF, "script", "-i", capture, "-F", "comm,tid,cpu,time,event")
        if result.status == "timeout" or 0 <= result.status < 128:
            break
    return result.out.count("\n") if _is_content(result, "perf script", capture) else None


def perf_reads(capture):
    """perf_counts() and perf_script_lines() of a capture."""
    return at_once([functools.partial(perf_counts, capture), functools.partial(perf_script_lines, capture)])
