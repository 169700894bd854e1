#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""file://FILE of --comms, --dsos, --symbols and --stop-bt may be a pipe, which can be read only once: the list is the same as that of
a regular file, for one capture and for several. Waiting for its writer ends with ^C, and a list without an end is refused."""
import collections
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import perf_file  # noqa: E402
import tap  # noqa: E402

LIMIT_S = 60
OTHER = 65534
NAMES = {"--comms": ["one", "two", "three"], "--dsos": ["first", "second", "third"], "--symbols": ["main", "work", "wait"]}
LISTS = {option: [name, "no such name", "", other] for option, (name, other, _) in NAMES.items()}


def make(path, nr):
    """Of every command, in every object, in every function some samples: no two sums of them are equal."""
    made, number = perf_file.PerfFile(chains=True, flags=perf_file.EXCLUDE_KERNEL), 0
    for pid, comm in enumerate(NAMES["--comms"], 10):
        made.thread(pid, pid, comm)
        for program in programs:
            made.map(pid, program)
            for function in program.functions:
                made.sample(pid, pid, 100 + number, [program.at(function, 4), program.at("main", 8)], period=nr << number)
                number += 1
    made.write(path)


def text_of(lines):
    return "".join(line + "\n" for line in lines)


def in_pipe(lines):
    """A descriptor to read the lines from; they fit into a pipe."""
    read_end, write_end = os.pipe()
    os.write(write_end, text_of(lines).encode())
    os.close(write_end)
    return read_end


def run_with_pipes(words, lists):
    """lists: lines by option. Each is given as /dev/fd/N, as a shell does for <(COMMAND)."""
    ends = {option: in_pipe(lines) for option, lines in lists.items()}
    given = [word for option, end in ends.items() for word in (option, f"file:///dev/fd/{end}")]
    result = tap.run(*words, *given, pass_fds=list(ends.values()), timeout=LIMIT_S)
    for end in ends.values():
        os.close(end)
    return result


def without_comments(text):
    """A comment has the selection as it was given."""
    return [line for line in text.splitlines() if not line.startswith("# Selected")]


def check_equal(words, lists):
    given = []
    for option, lines in lists.items():
        path = tap.path(f"list{option}")
        with open(path, "w") as file:
            file.write(text_of(lines))
        given += [option, f"file://{path}"]
    wanted = tap.run(tap.TSTREAM, *words, *given)
    got = run_with_pipes([tap.TSTREAM, *words], lists)
    tap.ok(wanted.status == 0 and len(without_comments(wanted.out)) > 2, f"{' '.join(lists)} select samples", wanted.err + wanted.out)
    tap.ok(got.status == wanted.status and without_comments(got.out) == without_comments(wanted.out),
           f"{words[0]}: {' '.join(lists)}, from pipes: as from files", f"{got.status} {got.err}\n{got.out}\nwanted:\n{wanted.out}")


def check_perf(capture):
    if not tap.PERF:
        return tap.skip("perf reads lists from pipes", "perf is not installed")
    words = ["script", "-i", capture, "-F", "comm,sym,period"]
    found = [collections.Counter(run_with_pipes([tool, *words], {"--comms": LISTS["--comms"]}).out.split()) for tool in (tap.TSTREAM, tap.PERF)]
    tap.ok(found[0] == found[1] and found[0], "perf reads a list from a pipe, too", found)


def check_named_fifo(capture):
    """The writer comes later."""
    fifo = tap.path("fifo")
    os.mkfifo(fifo)
    p = subprocess.Popen([tap.TSTREAM, "script", "-i", capture, "-c", f"file://{fifo}"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
    time.sleep(0.3)
    waits = p.poll() is None
    if waits:
        with open(fifo, "w") as file:
            file.write("two\n")
    out, err = p.communicate(timeout=LIMIT_S)
    tap.ok(waits and p.returncode == 0 and {line.split()[0] for line in out.splitlines() if ":" in line} == {"two"},
           "a FIFO without a writer is waited for", f"{waits} {p.returncode} {err}{out[:300]}")
    return fifo


def check_interrupt(capture, fifo):
    for command in ("report", "script"):
        p = subprocess.Popen([tap.TSTREAM, command, "-i", capture, "-c", f"file://{fifo}"], stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(0.3)
        waits = p.poll() is None
        p.send_signal(signal.SIGINT)
        try:
            p.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            p.kill()
            p.communicate()
        tap.ok(waits and p.returncode == -signal.SIGINT, f"{command}: ^C ends the waiting", f"{waits} {p.returncode}")


def check_anothers(capture, fifo):
    """In a folder that others can write to, another user may have made it. A pipe that was inherited may be of any user."""
    if os.geteuid():
        return tap.skip("a FIFO of another user is refused", "only root can be two users")
    os.chown(fifo, OTHER, OTHER)
    result = tap.run(tap.TSTREAM, "script", "-i", capture, "-c", f"file://{fifo}", timeout=LIMIT_S)
    tap.ok(result.status == 2 and f"{fifo}: it is a FIFO of another user" in result.err, "a FIFO of another user is refused",
           f"{result.status} {result.err}")
    end = in_pipe(["two"])
    os.fchown(end, OTHER, OTHER)
    result = tap.run(tap.TSTREAM, "script", "-i", capture, "-F", "comm", "-c", f"file:///dev/fd/{end}", pass_fds=[end], timeout=LIMIT_S)
    os.close(end)
    return tap.equal(set(result.out.split()), {"two"}, "an inherited pipe of another user is read")


def check_endless(capture):
    for text in ("name", ""):
        writer = subprocess.Popen(["yes", text], stdout=subprocess.PIPE)
        result = tap.run(tap.TSTREAM, "report", "-i", capture, "-S", f"file:///dev/fd/{writer.stdout.fileno()}",
                         pass_fds=[writer.stdout.fileno()], timeout=LIMIT_S)
        writer.stdout.close()
        writer.wait()
        tap.ok(result.status == 2 and not result.out and "more than 16 MiB" in result.err, f"a list without an end is refused: '{text}'",
               f"{result.status} {result.err}")


def check_zeros(capture):
    """A name ends with the first zero, as in perf; the other names stay."""
    for lines in (["nobody", "one\0two", "three"], ["\0one", "three"]):
        result = run_with_pipes([tap.TSTREAM, "script", "-i", capture, "-F", "comm"], {"--comms": lines})
        wanted = {line.split("\0")[0] for line in lines} - {"", "nobody"}
        tap.equal(set(result.out.split()), wanted, f"names with a zero: {lines}")


programs = []
for name in NAMES["--dsos"]:
    programs.append(perf_file.Program(tap.path(name), NAMES["--symbols"]))
captures = [tap.path("cap1"), tap.path("cap2")]
for i, capture in enumerate(captures):
    make(capture, i + 1)
for option, lines in LISTS.items():
    check_equal(["report", "-i", captures[0]], {option: lines})
    check_equal(["script", "-i", captures[0]], {option: lines})
check_equal(["report", *captures], LISTS)
check_equal(["report", "--hierarchy", "-i", captures[0]], LISTS)
check_equal(["script", "-i", captures[0]], {**LISTS, "--stop-bt": ["work"]})
check_perf(captures[0])
named = check_named_fifo(captures[0])
check_interrupt(captures[0], named)
check_anothers(captures[0], named)
check_endless(captures[0])
check_zeros(captures[0])
tap.done()
