# SPDX-License-Identifier: Apache-2.0
"""Commands of which one call fails: the Nth of a kind alone, or all from the Nth on (tests/programs/failing_call.c).

    for command in failing.commands():
        command.nr_calls("malloc")                  how many there are without a failure
        command.run("malloc", 7, is_all=True)       a Run: .wrong is a sentence, or None

A run is right if it ends within 10 s, by no signal, and
- with a status that is not 0, a sentence, and what it has made is whole; or
- with status 0 and the result of a run without a failure, or a note that says what is missing.
The input stays as it is, and no sound capture is called damaged. What a recorder kept can be read.
"""
import atexit
import dataclasses
import errno
import functools
import glob
import os
import re
import shutil
import signal
import subprocess
import threading

import firefox_file
import pprof_file
import tap

KINDS = ("malloc", "open", "read", "write", "mmap", "rename", "unlink", "mkdir", "stat", "truncate", "allocate", "sync",
         "descriptor", "thread")
LIMIT_S = 10
CALLS = 200  # of a recorded command
PRELOAD = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/failing_call.so")
EVENT = "syscalls:sys_enter_kill"
LOOP = f"i=0; while [ $i -lt {CALLS} ]; do i=$((i+1)); kill -0 $$; done"
DAMAGE = re.compile(r"damaged|is not a capture|is no capture|not sound|is cut|corrupt")
# Who crashes or hangs without memory (docs/decisions/0164-faults-of-the-machine.md): a library, and a part of a function's name.
KNOWN = (("libhwloc", ""), ("libc.so", "regcomp"), ("libdw", "dwarf_get_units"), ("libdw", "dwarf_attr"),
         ("libdw", "dwarf_tag"), ("libtraceevent", "tep_parse_event"), ("libtraceevent", "tep_print_event"))
# If all calls behind it fail, too, libdw goes on from here and ends in the assert of dwarf_attr().
KNOWN_ALL = ("libdw", "dwarf_getsrclines")


@dataclasses.dataclass
class Run:
    wrong: str  # what is wrong; None: nothing
    status: object
    err: str
    trace: str  # of the call that failed

    def place(self):
        """Functions that led to the call, the innermost first."""
        return " < ".join(_functions(self.trace)[:5]) or "no call failed"


def _environment(folder):
    return dict(os.environ, HOME=folder, TMPDIR=folder, DEBUGINFOD_URLS="")


def _execute(words, folder, env=None):
    """(status or 'timeout', stdout, stderr); it and all that it started are gone afterwards."""
    p = subprocess.Popen(words, cwd=folder, env=dict(_environment(folder), **(env or {})), stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    try:
        out, err = p.communicate(timeout=LIMIT_S)
        status = p.returncode
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        out, err = p.communicate()
        status = "timeout"
    shutil.rmtree(f"/dev/shm/tstream.{os.geteuid()}.{p.pid}", True)  # what a recorder holds, if a snapshot failed
    return status, out.decode(errors="replace"), err.decode(errors="replace")


@functools.lru_cache(maxsize=None)
def _functions_at(offsets):
    said = tap.run("addr2line", "-f", "-e", tap.TSTREAM, *offsets) if offsets and shutil.which("addr2line") else None
    return said.out.split("\n")[0:2 * len(offsets):2] if said and said.status == 0 else offsets


def _frames(trace):
    """(object, function, offset) of the lines of backtrace_symbols_fd(), without the preload's own."""
    found = (re.match(r"(.*)\(([^+)]*)\+?([0-9a-fx]*)\)\[", line) for line in trace.splitlines())
    return [(os.path.basename(f[1]), f[2], f[3]) for f in found if f and "failing_call" not in f[1]]


def _functions_of_others(trace):
    return [f"{name}:{function}" for name, function, _ in _frames(trace) if name != "tstream"]


def _functions(trace):
    """The name, or the library where it is unknown."""
    frames = _frames(trace)
    offsets = tuple(offset for name, function, offset in frames if name == "tstream" and not function)
    names = dict(zip(offsets, _functions_at(offsets)))
    return [(function or names[offset] or "?") if name == "tstream" else f"{name}:{function}" for name, function, offset in frames]


def _contents(folder, only=""):
    """Names and bytes of the files of a capture."""
    found = {}
    for path in glob.glob(os.path.join(glob.escape(folder), "**"), recursive=True) if os.path.isdir(folder) else [folder]:
        if os.path.isfile(path) and os.path.relpath(path, folder).startswith(only):
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


def _but_times(out):
    return re.sub(r"[0-9.]+ m?s\b", "", out)


def _notes(err):
    return {re.sub(r"\d+", "N", line) for line in err.splitlines()}


class Command:
    """A command that reads captures, the folders `inputs`; `makes` is the name of what it makes."""

    normal_status = 0

    def __init__(self, name, words, inputs, makes=None):
        self.name, self.words, self.inputs, self.makes = name, words, inputs, makes
        self.more_env = {}
        self.lock = threading.Lock()
        self.normal = None
        self.counts = {}

    def _start(self, kind, at, is_all, with_trace):
        """Runs it in a folder of its own: (folder, status, out, err, count, trace)."""
        folder = os.path.join(tap.scratch, f"{threading.get_ident()}.{self.name.replace(' ', '')}")
        shutil.rmtree(folder, True)
        os.mkdir(folder)
        for name in self.inputs:
            shutil.copytree(tap.path(name), os.path.join(folder, name))
        env = {"LD_PRELOAD": PRELOAD, "FAIL_KIND": kind, "FAIL_AT": str(at), "FAIL_COUNT": tap.path(f"{threading.get_ident()}.count"),
               "FAIL_TRACE": tap.path(f"{threading.get_ident()}.trace"), **self.more_env}
        if is_all:
            env["FAIL_ALL"] = "1"
        if not with_trace:
            del env["FAIL_TRACE"]
        return (folder, *_execute([tap.TSTREAM, *self.words], folder, env), _take(env["FAIL_COUNT"]), _take(env.get("FAIL_TRACE", "")))

    def nr_calls(self, kind):
        with self.lock:
            if kind not in self.counts:
                folder, status, out, err, count, _ = self._start(kind, 0, False, False)
                self.counts[kind] = int(count or 0)
                if self.normal is None:
                    assert status == self.normal_status, f"{self.name}: status {status}: {err}"
                    self.normal = out, err, self.made(folder)
                shutil.rmtree(folder)
        return self.counts[kind]

    def run(self, kind, at, is_all=False):
        self.nr_calls(kind)
        folder, status, out, err, _, trace = self._start(kind, at, is_all, True)
        wrong = self.judge(kind, folder, status, out, err)
        if wrong and status != 0 and self.is_known(folder, trace, is_all and status == -signal.SIGABRT):
            wrong = None
        shutil.rmtree(folder)
        return Run(wrong, status, err, trace)

    def is_known(self, folder, trace, may_be_later):
        """Others crashed or hang, before anything was made."""
        known = (*KNOWN, KNOWN_ALL) if may_be_later else KNOWN
        others = [name for name in _functions_of_others(trace) for library, function in known if name.startswith(library) and function in name]
        return others and not self.made(folder)

    # --- what is right ---

    def made(self, folder):
        return _contents(os.path.join(folder, self.makes)) if self.makes else {}

    def judge(self, kind, folder, status, out, err):
        if status == "timeout":
            return f"not ended within {LIMIT_S} s"
        if status < 0:
            return f"ended by signal {-status}"
        if not self.normal_status and any(DAMAGE.search(line) and os.strerror(errno.EIO) not in line for line in err.splitlines()):
            return "a sound capture is called damaged"
        if not self.is_input_same(folder):
            return "the input has changed"
        if status:
            return self.judge_failure(folder, out, err)
        return self.judge_success(kind, folder, out, err)

    def is_input_same(self, folder):
        return all(_contents(os.path.join(folder, name)) == _contents(tap.path(name)) for name in self.inputs)

    def judge_failure(self, folder, out, err):
        if not self.is_said(out, err):
            return "it failed without a sentence"
        made = self.made(folder)
        is_partial = b'"state":"repaired"' in made.get("tstream.json", b"")
        return "it failed, and what it made is not whole" if made and made != self.normal[2] and not is_partial else None

    def is_said(self, out, err):
        return re.search(r"^\S*tstream: .*\S", err, re.M) or (self.words[0] == "check" and ": " in out)

    def judge_success(self, kind, folder, out, err):
        is_said = kind != "malloc" and _notes(err) - _notes(self.normal[1])
        is_same = (_but_times(out), self.made(folder)) == (_but_times(self.normal[0]), self.normal[2])
        return None if is_same or is_said else "status 0, and the result is another"


class Shown(Command):
    """Its result is made of what can be read, and says what cannot."""

    def judge_failure(self, folder, out, err):
        if DAMAGE.search(err) and os.strerror(errno.EIO) in err:
            return None
        return super().judge_failure(folder, out, err)


class Archive(Command):
    """Puts files into its capture."""

    def is_input_same(self, folder):
        return all(_contents(os.path.join(folder, name), "data") == _contents(tap.path(name), "data") for name in self.inputs)

    def made(self, folder):
        return _contents(os.path.join(folder, self.inputs[0], "symbols"))

    def judge_failure(self, folder, out, err):
        wrong = super().judge_failure(folder, out, err)
        made, whole = self.made(folder), self.normal[2]
        return None if wrong and all(whole.get(name) == made[name] for name in made) else wrong


class Repair(Command):
    """Its capture is damaged, so the status is never 0."""

    normal_status = 1

    def judge_failure(self, folder, out, err):
        if (out, self.made(folder)) == (self.normal[0], self.normal[2]):
            return None
        if re.search(r"^ ", out, re.M):
            return "a finding has no place"
        if not _notes(out + err) - _notes(self.normal[0] + self.normal[1]):
            return "it failed without a sentence of its own"
        return super().judge_failure(folder, out, err)

    def judge_success(self, kind, folder, out, err):
        return "a damaged capture has status 0"


class Recorder(Command):
    """Its command makes nr_calls calls. Captures of two runs differ; calls are counted. Calls fail from when the command has
    made the file `since`: it makes `ran` at its end."""

    def __init__(self, name, options, command=LOOP, nr_calls=CALLS, since=None):
        words = ["record", *options, "-e", EVENT, "-o", "out", "--", "sh", "-c", f"{command}; :>ran"]
        super().__init__(name, words, ())
        self.nr_recorded = nr_calls
        self.is_held = "-M" in options
        self.more_env = {"FAIL_SINCE": since} if since else {}

    def made(self, folder):
        """The newest last."""
        found = glob.glob(os.path.join(folder, "out.*")) + glob.glob(os.path.join(folder, "out"))
        return [name for name in sorted(found, key=lambda n: (n.endswith("/out"), n)) if os.path.exists(os.path.join(name, "data"))]

    def judge_failure(self, folder, out, err):
        if not self.is_said(out, err):
            return "it failed without a sentence"
        return self._unreadable(folder)[0]

    def judge_success(self, kind, folder, out, err):
        wrong, nr, nr_lost = self._unreadable(folder)
        is_all = nr + nr_lost == self.nr_recorded
        is_whole = is_all and os.path.exists(os.path.join(folder, "ran"))
        return wrong or (None if is_whole else f"status 0, and {nr} calls are kept, {nr_lost} lost")

    def _unreadable(self, folder):
        """(what is wrong, kept calls, lost calls)"""
        nr = nr_lost = 0
        for capture in self.made(folder):
            if self.is_held:  # the last has all that is in the snapshots before it
                nr = nr_lost = 0
            status, out, err = _execute([tap.TSTREAM, "script", "-i", capture, "-F", "comm,event"], folder)
            nr += out.count(EVENT)
            nr_lost += sum(int(n) for n in re.findall(r"(\d+) records were lost", err))
            if status:
                return f"what it kept cannot be read: {err}", nr, nr_lost
            status, out, err = _execute([tap.TSTREAM, "check", "-q", "-i", capture], folder)
            if status:
                return f"what it kept is not sound: {out}{err}", nr, nr_lost
        return None, nr, nr_lost


def _take(path):
    """The text of a file, which is removed."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        os.unlink(path)
    except OSError:
        text = ""
    return text


def skip_where_impossible():
    if not tap.can_record_all() or not tap.has_tracepoints():
        tap.skip_all("needs the right to record tracepoints")
    if os.environ.get("SANITIZED") or os.environ.get("TSAN_BUILD"):
        tap.skip_all("the sanitizer has malloc() for itself")


# --- the commands, with captures that are made once ---

def _record(name, *words):
    said = tap.run(tap.TSTREAM, "record", "-q", "-o", tap.path(name), *words)
    assert said.status == 0, said.err


def _damage(name):
    """A bit of the largest stream is wrong."""
    path = max(glob.glob(tap.path(name) + "/data.*"), key=os.path.getsize)
    with open(path, "r+b") as file:
        file.seek(os.path.getsize(path) // 2)
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 4]))


def _forget_maps(name):
    """At the end, the map that the recorded process has left in /tmp."""
    for pid in set(tap.run(tap.TSTREAM, "script", "-i", tap.path(name), "-F", "pid").out.split()):
        atexit.register(lambda path=f"/tmp/perf-{pid}.map": os.path.exists(path) and os.unlink(path))


def _make_captures():
    programs = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs")
    _record("dumps", "-F", "500", "-e", "cpu-clock:u", "--call-graph", "dwarf,2048", "--", f"{programs}/deep_calls", "100")
    _record("lines", "-F", "500", "-e", "cpu-clock:u", "-g", "--", f"{programs}/inlined_calls", "100")
    _record("calls", "-e", EVENT, "--", "sh", "-c", LOOP)
    _record("parts", "-e", EVENT, "--switch-output", "--", "sh", "-c", f"{LOOP}; kill -USR2 $PPID; sleep 0.3; {LOOP}")
    for number, part in enumerate(sorted(glob.glob(tap.path("parts") + ".*"))):
        os.rename(part, tap.path(f"part{number}"))
    shutil.copytree(tap.path("calls"), tap.path("damaged"))
    _damage("damaged")
    if os.uname().machine == "x86_64":
        os.mkdir(tap.path("made"))
        _record("jit", "-F", "500", "-e", "cpu-clock:u", "--call-graph", "dwarf", "--", f"{programs}/jit_dump", tap.path("made"), "10", "nested")
        _record("map", "-F", "500", "-e", "cpu-clock:u", "--call-graph", "dwarf", "--", f"{programs}/jit_code", "20")
        _forget_maps("map")


def _of_made_code():
    """Names of code made at run time, of a jitdump file and of /tmp/perf-PID.map; the programs make x86-64's."""
    if os.uname().machine != "x86_64":
        return []
    return [command for name in ("jit", "map") for command in (
        Command(f"report {name}", ["report", "-s", "dso,sym,srcline", "-i", name], [name]),
        Command(f"script {name}", ["script", "-F", "+srcline", "-i", name], [name]),
        Command(f"compact {name}", ["compact", "-o", "out", name], [name], "out"),
        Archive(f"archive {name}", ["archive", name], [name]))]


def second_snapshot():
    """-M; calls fail from the second snapshot on."""
    command = f"{LOOP}; kill -USR1 $PPID; sleep 0.1; {LOOP}; :>now; kill -USR1 $PPID; sleep 0.1; {LOOP}"
    return Recorder("record snapshot", ["-M", "8M"], command, 3 * CALLS + 2, "now")


def end_of_memory():
    """-M; calls fail from the end of the command on."""
    return Recorder("record end", ["-M", "8M"], since="ran")


def commands():
    """All of them; the recorders need the right to record tracepoints."""
    _make_captures()
    twice = f"{LOOP}; kill -USR1 $PPID; sleep 0.1; {LOOP}"
    cut = f"{LOOP}; kill -USR2 $PPID; sleep 0.1; {LOOP}"
    return [
        Command("report", ["report", "-i", "dumps"], ["dumps"]),
        Command("report lines", ["report", "--inline", "-s", "sym,srcline,parent", "-i", "lines"], ["lines"]),
        Command("report lines dso", ["report", "--inline", "-s", "sym,srcline,dso", "-i", "lines"], ["lines"]),
        Command("report lines comm", ["report", "-s", "comm,srcfile,cpu", "-i", "lines"], ["lines"]),
        Command("report field", ["report", "-s", "comm,sig", "-i", "calls"], ["calls"]),
        Command("report fields", ["report", "-s", "trace_fields,trace", "-i", "calls"], ["calls"]),
        Command("report json", ["report", "--json", "-i", "dumps"], ["dumps"]),
        Shown("export", ["export", "--format=folded", "--annotate", "-o", "out", "dumps"], ["dumps"], "out"),
        Shown("export lines", ["export", "--format=folded", "--inline", "-o", "-", "lines"], ["lines"]),
        *([Shown(f"export {name}", ["export", f"--format={name}", "-o", "out", "dumps"], ["dumps"], "out") for name in ("firefox", "speedscope", "chrome")]
          if firefox_file.is_built() else ()),
        *([Shown("export pprof", ["export", "--format=pprof", "--inline", "-o", "out", "lines"], ["lines"], "out")] if pprof_file.is_built() else ()),
        Command("export perf.data", ["export", "--format=perf.data", "-o", "out", "calls"], ["calls"], "out"),
        Shown("report svg", ["report", "--svg=out", "-i", "dumps"], ["dumps"], "out"),
        Shown("report diff", ["report", "--svg=out", "--diff", "lines", "-i", "dumps"], ["dumps", "lines"], "out"),
        Command("script", ["script", "-i", "dumps"], ["dumps"]),
        Command("script lines", ["script", "--inline", "-F", "+srcline", "-i", "lines"], ["lines"]),
        Command("script trace", ["script", "-i", "calls"], ["calls"]),
        *_of_made_code(),
        Command("repair sound", ["check", "--repair=out", "-i", "calls"], ["calls"], "out"),
        Repair("repair damaged", ["check", "--repair=out", "-i", "damaged"], ["damaged"], "out"),
        Command("check", ["check", "-i", "dumps"], ["dumps"]),
        Command("merge", ["merge", "-o", "out", "part0", "part1"], ["part0", "part1"], "out"),
        Command("merge single", ["merge", "--single", "-o", "out", "part0", "part1"], ["part0", "part1"], "out"),
        Command("compact", ["compact", "-o", "out", "dumps"], ["dumps"], "out"),
        Archive("archive", ["archive", "dumps"], ["dumps"]),
        Archive("archive lines", ["archive", "--lines", "lines"], ["lines"]),
        Recorder("record", []),
        Recorder("record z", ["-z"]),
        Recorder("record threads", ["--threads=cpu"]),
        Recorder("record memory", ["-M", "8M"], twice, 2 * CALLS + 1),
        Recorder("record rotation", ["--switch-output"], cut, 2 * CALLS + 1),
        Recorder("record overwrite", ["--overwrite"], cut, 2 * CALLS + 1),
    ]
