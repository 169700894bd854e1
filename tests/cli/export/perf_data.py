#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tstream export --format=perf.data`: the bytes of `merge --single`, which perf reports alike; what it refuses; places that it may take;
damage, an interrupted copy."""
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import perf_file  # noqa: E402
import tap  # noqa: E402

EVENT = "cpu-clock:u" if os.geteuid() else "cpu-clock"
CHUNK_MAGIC, CHUNK_HEADER_BYTES = b"\x89TSchnk\n", 152  # docs/format.md
LOOP = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done"


def export(*words):
    return tap.run(tap.TSTREAM, "export", "--format=perf.data", *words)


def bytes_of(path):
    with open(path, "rb") as f:
        return f.read()


def record():
    cap = tap.path("cap")
    made = tap.run(tap.TSTREAM, "record", "-q", "-F", "999", "-e", EVENT, "-g", "-o", cap, "--", "sh", "-c", f"{LOOP}; ls /usr/lib >{tap.path('list')}")
    tap.ok(made.status == 0, "a recording", made.err)
    return cap


def check_same(cap):
    single, copy = tap.path("single"), tap.path("cap.perf.data")
    merged = tap.run(tap.TSTREAM, "merge", "--single", "-o", single, cap)
    made = export(cap)
    tap.ok(merged.status == made.status == 0 and bytes_of(copy) == bytes_of(single), "the file beside the capture has the bytes of merge --single", made.err)
    tap.ok(os.stat(copy).st_mode & 0o777 == 0o600 and "perf report -i FILE" in made.err and " records; " in made.err, "its owner alone can read it, and a line says how", made.err)
    if not tap.PERF:
        tap.skip("perf reports both alike", "perf is missing")
        return
    said = [[line for line in tap.run(tap.PERF, "report", "--stdio", "-i", path).out.splitlines() if line[:1] != "#"] for path in (single, copy)]
    tap.ok(said[0] == said[1] and any("sh " in line for line in said[0]), "perf reports both alike", f"{said}"[:500])


def check_refused(cap):
    for words, wanted in ((["--time=0%-50%"], "it has all records as they are"), (["--cpu=0"], "it has all records"), (["--comm=sh"], "it has all records"),
                          (["-e", EVENT], "it has all records"), (["--inline"], "no symbols"), (["--max-stack=3"], "as they are"), (["--unwind=no"], "as they are"),
                          (["--symfs", tap.scratch], "no symbols"), (["--weight=period"], "samples and their periods"),
                          (["--annotate"], "cannot annotate"), (["/none"], "several captures"), (["-o", "-"], "tstream merge --single -o -")):
        result = export(*words, *([] if "-o" in words else ["-o", tap.path("none")]), cap)
        tap.ok(result.status == 2 and wanted in result.err and not os.path.exists(tap.path("none")), f"{' '.join(words)} is refused", result.err)
    result = export("-o", tap.path("none"), tap.path("missing"))
    tap.ok(result.status == 1 and not os.path.exists(tap.path("none")) and not os.path.exists(tap.path("none.new")), "a capture that is not there", result.err)


def check_places(cap):
    copy = tap.path("cap.perf.data")
    before = bytes_of(copy)
    check_older(cap, copy, before)
    text = tap.path("text")
    with open(text, "w", encoding="ascii") as f:
        f.write("notes\n")
    tap.ok(export("-o", text, cap).status == 1 and bytes_of(text) == b"notes\n", "a file of others stays")
    tap.ok(export("--force", "-o", text, cap).status == 0 and bytes_of(text) == before, "unless --force is given")
    usual = subprocess.run([tap.TSTREAM, "export", "--format=perf.data", "-q", "-o", "of.usual"], cwd=tap.scratch, stderr=subprocess.PIPE, text=True, check=False)
    tap.ok(usual.returncode == 1 and "no tstream.data or perf.data" in usual.stderr, "without a name the usual capture is meant", usual.stderr)
    os.rename(cap, tap.path("tstream.data"))
    usual = subprocess.run([tap.TSTREAM, "export", "--format=perf.data", "-q", "-o", "of.usual"], cwd=tap.scratch, stderr=subprocess.PIPE, text=True, check=False)
    tap.ok(usual.returncode == 0 and not usual.stderr and bytes_of(tap.path("of.usual")) == before, "and copied if it is there", usual.stderr)
    os.rename(tap.path("tstream.data"), cap)


def keeps_marks(path):
    try:
        return bool(os.getxattr(path, "user.tstream.result"))
    except OSError:
        return False


def check_older(cap, copy, whole):
    """An older copy is replaced, a recording by force only, and the exported capture never."""
    if keeps_marks(copy):
        before, result = os.stat(copy).st_ino, export(cap)
        tap.ok(result.status == 0 and os.stat(copy).st_ino != before and bytes_of(copy) == whole, "an older copy is replaced", result.err)
    else:
        tap.skip("an older copy is replaced", "this filesystem has no extended attributes")
    for words in ([], ["--force"]):
        result = export(*words, "-o", copy, copy)
        tap.ok(result.status == 1 and "it is the capture that is exported" in result.err and bytes_of(copy) == whole, f"but not by itself {' '.join(words)}", result.err)
    for name in ("folded", "firefox"):
        result = tap.run(tap.TSTREAM, "export", "--format=" + name, "--force", "-o", copy, cap)
        tap.ok(result.status != 0 and bytes_of(copy) == whole and ("it is a capture" in result.err or "built without" in result.err),
               f"nor by the format {name}, by force either", result.err)
    recorded = tap.path("recorded")
    tap.run(tap.TSTREAM, "merge", "--single", "-q", "-o", recorded, cap)  # as perf leaves one: without a mark
    with open(recorded, "ab") as f:
        f.write(b"more")
    kept = bytes_of(recorded)
    result = export("-o", recorded, cap)
    tap.ok(result.status == 1 and "it is a capture, and no export of it" in result.err and "--force" in result.err and bytes_of(recorded) == kept,
           "a recording stays", result.err)
    with open(copy, "ab") as f:
        f.write(b"more")
    result = export(cap)
    tap.ok(result.status == 1 and "no export of it" in result.err and bytes_of(copy) == whole + b"more", "so does a copy that somebody has written to", result.err)
    os.truncate(copy, len(whole))
    tap.ok(export(cap).status == 1 and export("--force", cap).status == 0 and bytes_of(copy) == whole, "until --force is given")
    result = export("--force", "-o", recorded, cap)
    tap.ok(result.status == 0 and bytes_of(recorded) == whole, "by force a recording of one file is replaced", result.err)
    result = export("--force", "-o", os.path.join(cap, "data"), cap)
    tap.ok(result.status == 1 and "a file of one" in result.err, "a file of a capture is not", result.err)
    result = export("--force", "-o", cap, cap)
    tap.ok(result.status == 1 and "directory" in result.err and os.path.isdir(cap), "nor a directory", result.err)


def check_single():
    """A file of perf becomes one, too."""
    program = perf_file.Program(tap.path("prog.so"), ["main"])
    capture = perf_file.PerfFile(chains=False)
    capture.thread(7, 7, "name")
    capture.map(7, program)
    for i in range(20):
        capture.sample(7, 7, 10 ** 9 + i, [program.at("main")])
    capture.write(tap.path("file"))
    result = export("-o", tap.path("of.file"), tap.path("file"))
    tap.run(tap.TSTREAM, "merge", "--single", "-q", "-o", tap.path("single.file"), tap.path("file"))
    tap.ok(result.status == 0 and bytes_of(tap.path("of.file")) == bytes_of(tap.path("single.file")), "a single file", result.err)


def check_damaged(cap):
    stream = max((os.path.join(cap, name) for name in os.listdir(cap) if name.startswith("data.")), key=os.path.getsize)
    at = bytes_of(stream).index(CHUNK_MAGIC) + CHUNK_HEADER_BYTES + 64
    with open(stream, "r+b") as f:
        f.seek(at)
        byte = f.read(1)[0]
        f.seek(at)
        f.write(bytes([byte ^ 4]))
    result = export("-o", tap.path("of.damaged"), cap)
    merged = tap.run(tap.TSTREAM, "merge", "--single", "-o", tap.path("single.damaged"), cap)
    tap.ok(result.status == merged.status == 1 and "damaged" in result.err and bytes_of(tap.path("of.damaged")) == bytes_of(tap.path("single.damaged")),
           "of a damaged capture the sound records, with a warning", result.err)


def check_stopped(cap):
    """Most often it is stopped while it works; whenever that is, there is all or nothing."""
    process = subprocess.Popen([tap.TSTREAM, "export", "--format=perf.data", "-o", tap.path("stopped"), cap], stderr=subprocess.PIPE)
    time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.communicate()
    tap.ok(process.returncode in (0, 1, 130, -signal.SIGINT) and os.path.exists(tap.path("stopped")) == (process.returncode in (0, 1)), "stopped: all or nothing", process.returncode)


capture_made = record()
check_same(capture_made)
check_refused(capture_made)
check_places(capture_made)
check_single()
check_stopped(capture_made)
check_damaged(capture_made)
tap.done()
