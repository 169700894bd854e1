#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command line of report: where it looks for a capture, what it refuses, its exit statuses, its pager."""
import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402
import terminal  # noqa: E402

SPIN = [sys.executable, "-c", "import time; any(time.process_time() > 0.3 for _ in iter(int, 1))"]


def record(path, *options):
    result = tap.run(tap.TSTREAM, "record", "-q", "-e", "cpu-clock", *options, "-o", path, "--", *SPIN)
    if result.status:
        tap.skip_all(f"cannot record here: {result.err}")


def report(*options, **more):
    return tap.run(tap.TSTREAM, "report", *options, **more)


def check_refusals(capture):
    for sentence, options in [
        ("an unknown sort key", ["-s", "colour"]),
        ("no sort key", ["-s", ","]),
        ("an unknown way to draw", ["-g", "sideways"]),
        ("a percentage over 100", ["-g", "caller,101"]),
        ("a number of branches that is none", ["-g", "1,2x"]),
        ("lines of the source in call graphs", ["-g", "graph,srcline"]),
        ("branch records in call graphs", ["-g", "branch"]),
        ("a pattern that is none", ["-p", "("]),
        ("leaving out what has no parent, of which nothing is said", ["-x"]),
        ("no threads", ["-j", "0"]),
        ("the same capture again", [capture]),
        ("an unknown option", ["--no-such-option"]),
        ("two things in place of rows", ["-D", "--stats"]),
        ("two others", ["--tasks", "--header-only"]),
    ]:
        result = report("-i", capture, *options)
        tap.ok(result.status == 2 and not result.out and result.err, f"{sentence}: status 2, words on stderr only",
               f"{result.status} {result.out} {result.err}")


def check_hints(capture):
    """Mistakes that tell what was meant."""
    for command, options, words in [
        ("report", ["-g", "dwarf"], "give it to record as --call-graph=dwarf, and -g alone to report"),
        ("report", ["--reltime"], "tstream script --reltime"),
        ("report", ["--mem-limit", "100"], "the minimum is 1M"),
        ("report", ["--last", "5x"], "such as 30s, 1.5s or 500ms"),
        ("report", ["--no-childern"], "did you mean --no-children?"),
        ("script", ["--pids=1"], "did you mean --pid?"),
        ("script", ["--json"], "tstream report --json"),
        ("script", ["--sort", "comm"], "tstream report --sort"),
        ("script", ["-D", "--header-only"], "give one of them"),
        ("script", ["-F", "commm"], "did you mean comm?"),
        ("script", ["-F", "colour"], "tstream-script(1) lists them"),
    ]:
        result = tap.run(tap.TSTREAM, command, "-i", capture, *options)
        tap.ok(result.status == 2 and not result.out and words in result.err, f"{command} {' '.join(options)} says what to do",
               f"{result.status} {result.err}")
    for options, words in [
        (["-F", "addr"], "hint: record with -d, or leave addr out"),
        (["-F", "brstack"], "its samples have no branches (record -b)"),
        (["-F", "sym"], "no address is printed: add ip"),
        (["-F", "ipc"], "only processor traces"),
    ]:
        result = tap.run(tap.TSTREAM, "script", "-i", capture, *options)
        tap.ok(words in result.err, f"script {' '.join(options)} says why nothing is printed", result.err)
    result = tap.run(tap.TSTREAM, "script", "-i", capture, "-F", " comm, tid ")
    tap.equal(result.out, tap.run(tap.TSTREAM, "script", "-i", capture, "-F", "comm,tid").out, "blanks in a list of fields are nothing")


def check_parts(capture):
    """Files inside a directory: `data` is the directory, a stream says whose it is."""
    whole, part = report("-i", capture), report("-i", os.path.join(capture, "data"))
    tap.ok(part.status == 0 and part.out == whole.out and "%" in part.out, "the file data of a directory is read as the directory", part.err)
    result = report("-i", os.path.join(capture, "data.0"))
    tap.ok(result.status == 1 and f"it is a stream of the capture {capture}: give the path of that capture" in result.err, "a stream says whose it is", result.err)


def check_mistakes(capture):
    """What is wrong is said in a sentence that tells what to do."""
    text = tap.path("text")
    with open(text, "w") as f:
        f.write("no capture\n")
    for command, options, words in [
        ("report", ["-i", os.path.join(capture, "tstream.json")], f"it is a part of the capture {capture}: give the path of that capture"),
        ("check", [os.path.join(capture, "data.0")], f"it is a stream of the capture {capture}: give the path of that capture"),
        ("report", ["-i", text], "give -i the path that was given to record -o"), ("check", [text], "give -i the path that was given to record -o"),
        ("report", ["-i", capture, "-F", "colour"], "the columns are overhead, "), ("check", [capture, text], "--repair=DIR"),
        ("script", ["-i", capture, "-F", "+"], "give a name after + or -"), ("report", ["-i", capture, "-s", "cgroup"], "record with --all-cgroups"),
    ]:
        result = tap.run(tap.TSTREAM, command, *options)
        tap.ok(result.status in (1, 2) and words in result.err, f"{command} {' '.join(map(os.path.basename, options))}: {words}",
               f"{result.status} {result.err}")


def check_nothing_left(capture):
    """Which filter matches nothing, and what there is."""
    result = report("-i", capture, "-q", "--sort", "comm,dso,sym")
    name = re.search(r"% +(\S+)  +(\S+)", result.out)
    comm, dso = name[1], name[2]
    for options, words in [
        (["--comm", comm + "x"], f"no command is called '{comm}x'; did you mean {comm}?"),
        (["--comm", "nothing-like-it"], "no command is called 'nothing-like-it'; t"),
        (["--dso", dso + "x"], f"no object of a sample is called '{dso}x'; did you mean {dso}?"),
        (["--symbol", "nothing_like_it"], "no function of a sample is called 'nothing_like_it'; t"),
        (["--pid", "4194303"], "it has no process 4194303"),
        (["--tid", "4194303"], "it has no thread 4194303"),
    ]:
        result = report("-i", capture, *options)
        tap.ok(result.status == 0 and f"has no samples that match the selection: {words}" in result.err, f"{' '.join(options)} says why nothing is left", result.err)
    result = tap.run(tap.TSTREAM, "script", "-i", capture, "--comm", comm + "x")
    tap.ok(result.status == 0 and not result.out and f"did you mean {comm}?" in result.err, "script says it, too", result.err)


def check_inputs(capture):
    """What cannot be read: one sentence, status 1."""
    text, fifo, bare = tap.path("text"), tap.path("fifo"), tap.path("bare")
    with open(text, "w") as f:
        f.write("This is no capture.\n" * 50)
    os.mkfifo(fifo)
    os.mkdir(bare)
    open(tap.path("empty"), "w").close()
    for name in ("missing", "text", "fifo", "bare", "empty"):
        result = report("-i", tap.path(name), timeout=20)
        tap.ok(result.status == 1 and not result.out and result.err.startswith("tstream: cannot ") and
               result.err.count("\n") <= 2, f"{name}: one sentence, status 1", f"{result.status} {result.out} {result.err}")
    result = report("-g", "caller", "-i", capture)
    tap.ok(result.status == 1 and "-g" in result.err, "-g without call chains in the capture is refused", result.err)


def check_defaults(capture):
    folder = tap.path("folder")
    os.mkdir(folder)
    result = report(cwd=folder)
    tap.ok(result.status == 1 and "tstream.data" in result.err, "no capture in the folder: status 1, both names said", result.err)
    shutil.copytree(capture, os.path.join(folder, "perf.data"))
    tap.equal(report("--stats", cwd=folder).out, report("--stats", "-i", capture).out, "perf.data is read when it stands alone")
    other = tap.path("other")
    record(other, "-F", "100")
    shutil.copytree(other, os.path.join(folder, "tstream.data"))
    tap.equal(report("--stats", cwd=folder).out, report("--stats", "-i", other).out, "tstream.data comes first")


def check_forms(capture):
    plain = report("-i", capture).out
    tap.equal(report("--stdio", "-i", capture).out, plain, "--stdio changes nothing")
    tap.equal(report("-s", "comm,dso,symbol", "-i", capture).out, plain, "symbol is sym, and the keys are the default ones")
    head = report("--header-only", "-i", capture)
    tap.ok(head.status == 0 and head.out.startswith("# ========\n") and "# cmdline : " in head.out and
           "# Overhead" not in head.out, "--header-only shows the header and nothing else", head.out)
    tap.ok(report("--header", "-i", capture).out.startswith(head.out), "--header shows it first")
    rows = report("-q", "-i", capture).out
    tap.ok(rows and "#" not in rows.replace("[k] #", ""), "-q leaves comments out", rows[:300])
    dump = report("-D", "--header", "-i", capture)
    tap.ok(dump.status == 0 and dump.out.startswith("# ========\n") and "PERF_RECORD_SAMPLE" in dump.out,
           "-D --header shows the header and every record", dump.out[:300] + dump.err)


def check_header_like_perf(capture):
    if not tap.PERF:
        tap.skip("--header-only is perf's text", "perf is not installed")
        return
    perf = tap.run(tap.PERF, "report", "--header-only", "-i", capture)
    tap.equal(report("--header-only", "-i", capture).out, perf.out, "--header-only is perf's text")


def damage(capture, name):
    """A copy with one byte changed in the first chunk of its largest stream."""
    copy = tap.path(name)
    shutil.copytree(capture, copy)
    streams = [os.path.join(copy, f) for f in os.listdir(copy) if f.startswith("data.")]
    path = max(streams, key=os.path.getsize)
    with open(path, "r+b") as f:
        f.seek(1000)
        byte = f.read(1)
        f.seek(-1, os.SEEK_CUR)
        f.write(bytes([byte[0] ^ 0xff]))
    return copy, path


def check_damage(capture):
    copy, path = damage(capture, "damaged")
    for options in (["--stats"], ["--stdio"]):
        result = report(*options, "-i", copy)
        tap.ok(result.status == 1 and path in result.err and "offset" in result.err and result.out,
               f"{options[0]}: damage is named, the rest is shown, status 1", f"{result.status} {result.err}")


def check_interrupt(capture):
    """A report that nobody reads waits on its output, of which a page fits into the pipe; ^C ends it with 130."""
    p = subprocess.Popen([tap.TSTREAM, "report", "-D", "-i", capture], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         bufsize=0)
    fcntl.fcntl(p.stdout, fcntl.F_SETPIPE_SZ, 4096)
    p.stdout.read(1)
    p.send_signal(signal.SIGINT)
    try:
        status = p.wait(timeout=20)
    except subprocess.TimeoutExpired:
        p.kill()
        status = "still there"
    tap.equal(status, 130, "^C ends with status 130")
    p.stdout.close()


def on_terminal(capture, pager):
    """What a report writes to a terminal, with this $PAGER."""
    return terminal.written([tap.TSTREAM, "report", "-i", capture], env=dict(os.environ, PAGER=pager))


def check_pager(capture):
    plain = report("-i", capture).out
    status, text = on_terminal(capture, "sed s/^/paged:/")
    tap.ok(status == 0 and re.fullmatch(r"(paged:.*\n)+", text), "a terminal gets the output of $PAGER", text[:300])
    tap.equal(on_terminal(capture, ""), (0, plain), "an empty $PAGER means none")
    result = report("-i", capture, env={"PAGER": "sed s/^/paged:/"})
    tap.equal(result.out, plain, "what is no terminal gets no pager")
    status, text = on_terminal(capture, "true")
    tap.equal(status, 0, "a pager that leaves at once is no failure")


def main():
    capture = tap.path("capture")
    record(capture, "-F", "4000")
    check_refusals(capture)
    check_hints(capture)
    check_parts(capture)
    check_mistakes(capture)
    check_nothing_left(capture)
    check_inputs(capture)
    check_defaults(capture)
    check_forms(capture)
    check_header_like_perf(capture)
    check_damage(capture)
    check_interrupt(capture)
    check_pager(capture)
    tap.done()


main()
