#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every option that `perf record -h` tells of is taken, or refused in one sentence that says what to do instead; the
manual names each. What options add to samples is what perf reads, and -u records one user's processes."""
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import perf_options  # noqa: E402
import registers  # noqa: E402
import tap  # noqa: E402

# Values that are taken, or are at least to be refused for what they ask; else a 1.
VALUES = {"--switch-output-event": "dummy", "--cpu": "0", "--event": "cpu-clock", "--pid": str(os.getpid()), "--tid": str(os.getpid()), "--uid": str(os.getuid()),
          "--output": "/dev/null", "--affinity": "cpu", "--call-graph": "fp", "--control": "fd:0", "--clockid": "mono",
          "--threads": "cpu", "--filter": "x", "--switch-output": "1s", "--branch-filter": "any", "--synth": "no",
          "--intr-regs": registers.IP or "1", "--user-regs": registers.SP or "1", "--cgroup": "/"}
USER = 64999  # which nobody is


def try_option(name, takes_value, is_optional, manual):
    values = [f"{name}={VALUES.get(name, '1')}"] if takes_value else []
    for words in values + ([name] if is_optional else []):
        result = tap.run(tap.TSTREAM, "record", "-e", "cpu-clock", "--dry-run", words, "--", "true")
        sentences = [line for line in result.err.splitlines() if not line.startswith(("tstream: note: ", "  hint: "))]
        refusal = (1, 2) if os.geteuid() else (2,)  # 1: what this user may not
        good = result.status == 0 and not sentences or result.status in refusal and len(sentences) == 1 and \
            sentences[0].startswith("tstream: cannot ")
        tap.ok(good and not perf_options.GETOPT.search(result.err), f"{words} is taken or refused in a sentence of our own",
               f"status {result.status}\n{result.err}")
    tap.ok(name in manual, f"the manual tells of {name}")


def dumped(tool, capture):
    """What a dump tells of samples beside the first line of each, and of counts."""
    text = tap.run(tool, "report", "-D", "-i", capture).out
    lines = re.findall(r"^(?:\.\.\. (?!thread:|unit:|scale:|id:  ).*| \.(?:\.)? .*|.*PERF_RECORD_READ.*)$", text, re.M)
    return sorted(re.sub(r".*PERF_RECORD_READ", "READ", line) for line in lines if " idx: " not in line and "dso:" not in line)


def register_fields():
    """Options, and what a dump begins with where a sample has them."""
    if not registers.ALL:
        tap.skip("registers of samples", registers.REASON)
        return ()
    ip, sp, first = registers.IP, registers.SP.upper(), registers.FIRST
    return ((("-I",), f"... intr regs: mask 0x{registers.ALL:x}"),
            ((f"--intr-regs={ip},{sp}",), f"... intr regs: mask 0x{registers.mask(ip, sp):x}"),
            ((f"--user-regs={first}",), f"... user regs: mask 0x{registers.mask(first):x} "))


def check_fields():
    threads = ("import threading\nfor _ in range(3):\n"
               "    t = threading.Thread(target=bytearray, args=(9000000,)); t.start(); t.join()")
    for options, shown in ((("-W",), "... weight: "), (("-d", "--phys-data"), " .. phys_addr: 0x"),
                           (("--data-page-size",), " .. data page size: "),
                           (("--code-page-size",), " .. code page size: 4K"),
                           (("--transaction",), "... transaction: "), (("-s",), "READ: "), (("-n", "-s"), "READ: "),
                           *register_fields()):
        capture = tap.path("cap")
        tap.run("rm", "-rf", capture, capture + ".old")
        result = tap.run(tap.TSTREAM, "record", "-q", "-e", "page-faults", "-c", "1", *options, "-o", capture, "--",
                         sys.executable, "-S", "-c", threads)
        ours, theirs = dumped(tap.TSTREAM, capture), dumped(tap.PERF, capture)
        tap.ok(result.status == 0 and ours == theirs and any(line.startswith(shown) for line in ours),
               f"{' '.join(options)}: perf reads the same", f"{result.err}\n{ours[:9]}\n{theirs[:9]}")
        samples = tap.perf_counts(capture) or {}
        tap.ok(("SAMPLE" in samples) == ("-n" not in options), f"{' '.join(options)}: there are samples, but with -n", samples)


def check_beside():
    """What goes beside the samples: the names of their cgroups, and switches."""
    capture = tap.path("cap")
    tap.run("rm", "-rf", capture, capture + ".old")
    result = tap.run(tap.TSTREAM, "record", "-q", "-e", "page-faults", "-c", "1", "--all-cgroups", "--switch-events", "-o", capture,
                     "--", "sh", "-c", "for i in 1 2 3; do sleep 0.01; done")
    counts = tap.perf_counts(capture) or {}
    tap.ok(result.status == 0 and counts.get("SWITCH", 0) >= 6 and counts.get("CGROUP", 0) >= 1,
           "--all-cgroups and --switch-events: perf finds both", f"{result.err}\n{counts}")
    texts = [tap.run(tool, "report", "-i", capture, "--stdio", "--sort", "cgroup").out for tool in (tap.TSTREAM, tap.PERF)]
    rows = [re.findall(r"^ +[\d.]+% +\S+", text, re.M) for text in texts]
    tap.ok(rows[0] and rows[0] == rows[1] and "/" in rows[0][0], "each sample has its cgroup, as perf reads it", texts)


def remove_cgroup(folder):
    """What just ended in it may still be listed."""
    for _ in range(100):
        try:
            return os.rmdir(folder)
        except OSError:
            time.sleep(0.1)
    return None


def check_cgroup():
    """A command moves into a cgroup of the test's own; only from then on it is recorded."""
    mounts = [line.split() for line in open("/proc/self/mounts", encoding="utf-8")]
    own = [m[1] for m in mounts if m[2] == "cgroup" and "perf_event" in m[3].split(",")]
    place = (own + [m[1] for m in mounts if m[2] == "cgroup2"] + [""])[0]
    name, capture = f"tstream-test.{os.getpid()}", tap.path("cap")
    folder = os.path.join(place, name)
    try:
        os.mkdir(folder)
    except OSError as error:
        tap.skip("-G records one cgroup", f"cannot make one: {error}")
        return
    tap.run("rm", "-rf", capture, capture + ".old")
    try:
        result = tap.run(tap.TSTREAM, "record", "-q", "-a", "-e", "page-faults,minor-faults", "-c", "1", "-G", name + ",", "-o", capture, "--",
                         "sh", "-c", f"uname; echo $$ >{folder}/cgroup.procs; date; echo $$ >{place}/cgroup.procs; uname")
    finally:
        remove_cgroup(folder)
    seen = {event: set(re.findall(r"^ *(\S+) .* " + event + ":", tap.run(tap.TSTREAM, "script", "-i", capture).out, re.M))
            for event in ("page-faults", "minor-faults")}
    tap.ok(result.status == 0 and "date" in seen["page-faults"] <= {"sh", "date"} and {"uname", "date"} <= seen["minor-faults"],
           "-G records what runs in that cgroup", f"{result.err}\n{seen}")
    tap.ok("cannot use --cgroup" in tap.run(tap.TSTREAM, "record", "-e", "page-faults", "-G", "/", "--", "true").err,
           "-G without -a is refused")
    tap.ok("cannot record cgroup" in tap.run(tap.TSTREAM, "record", "-a", "-e", "page-faults", "-G", "no/such", "--", "true").err,
           "-G of a cgroup that is none is refused")


def check_user():
    """A process of a user waits at a gate that the command of the recording opens."""
    capture, gate = tap.path("cap"), tap.path("gate")
    tap.run("rm", "-rf", capture, capture + ".old")
    os.mkfifo(gate)
    os.chmod(gate, 0o644)
    target = subprocess.Popen(["setpriv", f"--reuid={USER}", "--clear-groups", "sh", "-c", f"read x <{gate}; exec true"])
    # so that it belongs to another user before it is looked for
    end = time.monotonic() + 60
    while target.poll() is None and os.stat(f"/proc/{target.pid}").st_uid != USER and time.monotonic() < end:
        time.sleep(0.01)
    ended = f"grep -q '^State:.Z' /proc/{target.pid}/status"
    command = f"echo x >{gate}; until {ended}; do sleep 0.05; done"
    result = tap.run(tap.TSTREAM, "record", "-q", "-u", str(USER), "-e", "page-faults", "-c", "1", "-o", capture, "--", "sh",
                     "-c", command)
    target.wait()
    pids = set(tap.run(tap.TSTREAM, "script", "-i", capture).out.split("\n"))
    pids = {int(line.split()[1]) for line in pids if line.strip()}
    # The recording ends with its target, and ends the command (143) if that has not seen it yet.
    tap.ok(result.status in (0, 143) and pids == {target.pid}, "-u records that user's process alone",
           f"{result.status} {pids} {target.pid}\n{result.err}")
    result = tap.run(tap.TSTREAM, "record", "-u", str(USER), "-o", capture, "--", "true")
    tap.ok(result.status == 1 and "this user has no process" in result.err, "-u of a user without a process is refused", result.err)


if not tap.PERF:
    tap.skip_all("perf is not installed (package linux-perf)")
with open(os.path.join(os.environ.get("abs_srcdir", "."), "docs/tstream-record.1"), encoding="utf-8") as page:
    manual_text = page.read().replace("\\-", "-")
options_found = list(perf_options.options_of_perf("record"))
tap.ok(len(options_found) > 60, "perf tells its options", options_found)
for name, _, takes_value, is_optional in options_found:
    try_option(name, takes_value, is_optional, manual_text)
tap.equal(tap.run(tap.TSTREAM, "record", "--dry-run", "--sample", "--", "true").status, 0,
          "a beginning that several options without an effect share is taken")
got = tap.run(tap.TSTREAM, "record", "--dry-run", "--buildid", "--", "true")
tap.ok(got.status == 2 and "buildid" in got.err, "a beginning of options that have different effects is refused", got.err)
if not tap.can_record_all():
    tap.skip("what options add to samples", "needs root")
else:
    check_fields()
    check_beside()
    check_cgroup()
    check_user()
tap.done()
