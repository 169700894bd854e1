#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""-M: memory holds the newest, SIGUSR1 saves it while the recording goes on, SIGUSR2 ends it and makes one capture of all.

A process makes numbered calls. Each snapshot has the numbers that were made before it, in order, none twice, up to the last one
before the signal; so has the capture at the end. What a killed recorder held is rescued.
"""
import fcntl
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ["abs_srcdir"], "tests", "support"))
import caller
import tap

CALLS = 3000
MANY = 60000  # of which 8 MiB do not hold a third, uncompressed
LIMIT_S = 60
ROWS = [
    ["-M", "8M"],
    ["-M", "1h", "-a", "--threads=cpu", "--io=pwrite", "-z3"],
    ["-M", "64M", "-z0", "-g", "--threads=numa"],
]


def snapshots(capture):
    return sorted(path for path in glob.glob(capture + ".2*") if not path.endswith((".new", ".old")))


def hold_of(recorder):
    return f"/dev/shm/tstream.{os.getuid()}.{recorder.process.pid}"


def wait_for(recorder, what, is_there):
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end and recorder.process.poll() is None:
        if is_there():
            return
        time.sleep(0.01)
    recorder.process.kill()
    sys.exit(f"{what}: not in {LIMIT_S} s, or the recorder has ended")


def wait_until(is_so):
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end and not is_so():
        time.sleep(0.01)


def numbers_in(capture):
    result = tap.run(tap.TSTREAM, "script", "-F", "comm,event,trace", "-i", capture)
    return caller.numbers_in(result.out), result.err


def wrong_in(capture, last):
    """What is wrong with it, by itself: its numbers go on from the first to `last`."""
    check = tap.run(tap.TSTREAM, "check", "-i", capture)
    numbers, complaints = numbers_in(capture)
    with open(os.path.join(capture, "tstream.json")) as file:
        note = json.load(file)
    wrong = [check.out + check.err] if check.status else []
    if not numbers or numbers != list(range(numbers[0], last + 1)):
        wrong.append(f"{len(numbers)} numbers from {numbers[:1]} to {numbers[-1:]}, not to {last}; {note['ledger']}; {complaints}")
    ours = tap.run(tap.TSTREAM, "report", "--stats", "-i", capture)
    perf = tap.run("timeout", "60", tap.PERF, "report", "--stats", "-i", capture) if tap.PERF else ours
    return wrong + ([] if ours.out == perf.out else [perf.out + ours.out])


def check_row(number, row):
    capture = tap.path(f"row{number}")
    os.mkdir(capture)
    open(capture + "/data", "wb").write(b"PERFILE2" + bytes(96))  # of an earlier recording
    recorder = caller.Recorder(tap.TSTREAM, capture, "-m", "1M", *row)
    lasts = []
    for i in range(2):
        recorder.call(CALLS)
        lasts.append(recorder.calls)
        recorder.process.send_signal(signal.SIGUSR1)
        wait_for(recorder, "a snapshot", lambda: len(snapshots(capture)) > i)
    recorder.call(CALLS)
    lasts.append(recorder.calls)
    hold = hold_of(recorder)
    recorder.process.send_signal(signal.SIGUSR2)
    status, err = recorder.join()
    recorder.end()
    captures = snapshots(capture) + [capture]
    wrong = [f"{path}: {text}" for path, last in zip(captures, lasts) for text in wrong_in(path, last)]
    tap.equal(status, 128 + signal.SIGTERM, f"{' '.join(row)}: it ends, and so does the command")
    tap.ok(len(captures) == 3 and not wrong, "snapshots and the capture have every call once, and perf reads them alike",
           "\n".join(wrong) + err)
    tap.ok(os.path.exists(capture + ".old/data") and not os.path.exists(hold), "OUT.old is the earlier one, memory is free again",
           f"{os.listdir(os.path.dirname(capture))} {hold}")


def size_of(path):
    """0: it has just been renamed or removed, since segments come and go."""
    try:
        return os.path.getsize(path)
    except FileNotFoundError:
        return 0


def check_bound():
    """The oldest go, the newest stay, in bounds."""
    capture = tap.path("bound")
    recorder = caller.Recorder(tap.TSTREAM, capture, "-m", "1M", "-M", "8M", "-z0")
    for _ in range(4):
        recorder.call(MANY)
    held = sum(size_of(path) for path in glob.glob(hold_of(recorder) + "/*/*"))
    recorder.end()
    status, err = recorder.join()
    numbers, _ = numbers_in(capture)
    with open(os.path.join(capture, "tstream.json")) as file:
        lost = sum(json.load(file)["ledger"]["lost"].values())
    tap.ok(status == 0 and numbers and numbers[0] > MANY and numbers[-1] == recorder.calls, "the newest calls are there",
           f"{status} {numbers[:1]} to {numbers[-1:]} of {recorder.calls}\n{err}")
    tap.ok(recorder.calls - numbers[0] + 1 - len(numbers) <= lost, "without a gap that is not accounted for")
    tap.ok(held < 10 << 20, "within what -M allows", f"{held} bytes")


def check_rescue():
    """A killed recorder's memory; its snapshots have what was before."""
    capture, rescued = tap.path("killed"), tap.path("rescued")
    recorder = caller.Recorder(tap.TSTREAM, capture, "-m", "1M", "-M", "8M", "--flush=5ms")
    recorder.call(CALLS)
    hold = hold_of(recorder)
    refused = tap.run(tap.TSTREAM, "rescue", "-o", rescued, hold)
    tap.ok(refused.status == 1 and "its recorder is still running" in refused.err, "nothing is taken from a recorder that lives", refused.err)
    recorder.process.send_signal(signal.SIGUSR1)
    wait_for(recorder, "a snapshot", lambda: snapshots(capture))
    recorder.call(CALLS)
    first = max(numbers_in(snapshots(capture)[0])[0])
    wait_for(recorder, "the next calls", lambda: tap.run(tap.TSTREAM, "report", "--stats", "-i", hold + "/held").status == 0 and
             (numbers_in(hold + "/held")[0] or [0])[-1] > first)
    recorder.process.send_signal(signal.SIGUSR1)  # a snapshot that is killed at whatever moment
    recorder.process.kill()
    recorder.end()
    recorder.join()
    listed = tap.run(tap.TSTREAM, "rescue")
    tap.ok(hold in listed.out and "killed" in listed.out and capture in listed.out, "rescue lists what is held", listed.out)
    other = os.open(hold, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_SH)
    again = tap.run(tap.TSTREAM, "rescue")
    os.close(other)
    tap.equal(again.out, listed.out, "a reader of the hold is not taken for its recorder")
    result = tap.run(tap.TSTREAM, "rescue", hold)
    tap.ok(result.status == 0 and not os.path.exists(hold), "what was held becomes a capture where it was to go", result.err)
    numbers = numbers_in(capture)[0]
    tap.ok(numbers == list(range(1, len(numbers) + 1)) and len(numbers) > first, "with all that had left the rings",
           f"{len(numbers)} {numbers[:3]} {numbers[-3:]}")
    wait_until(lambda: not glob.glob(capture + ".2*.new"))
    unsound = [path for path in snapshots(capture) if tap.run(tap.TSTREAM, "check", "-i", path).status]
    tap.equal(unsound, [], "a snapshot that was being written is complete or not there")
    again = tap.run(tap.TSTREAM, "rescue", hold)
    tap.ok(again.status == 1 and "cannot open" in again.err, "a second time there is nothing", again.err)


def check_strange_file():
    """A file in a hold that is not ours stays, and so does the hold."""
    capture = tap.path("strange")
    recorder = caller.Recorder(tap.TSTREAM, capture, "-M", "8M", "--flush=5ms")
    hold = hold_of(recorder)
    recorder.process.kill()
    recorder.end()
    recorder.join()
    with open(hold + "/strange", "w"):
        pass
    result = tap.run(tap.TSTREAM, "rescue", hold)
    tap.ok(result.status == 1 and f"cannot remove {hold}" in result.err and os.path.exists(capture) and os.path.exists(hold + "/strange"),
           "a hold with a file that is not ours is not removed, and the status says so", f"{result.status} {result.err}")
    shutil.rmtree(hold)


def check_empty_hold():
    """What a recorder leaves that is killed before its first segment is complete can be removed."""
    for name, files in (("bare", ()), ("named", ("out",)), ("cut", ("out", "tmp-out")), ("unborn", ("out", "held.new/data.0"))):
        hold = f"/dev/shm/tstream.{os.geteuid()}.{os.getpid()}-{name}"
        for file in ("", *files):
            os.makedirs(os.path.dirname(f"{hold}/{file}"), 0o700, exist_ok=True)
            if file:
                with open(f"{hold}/{file}", "w") as out:
                    out.write("/nowhere/cap\n" if file == "out" else "")
        listed, result = tap.run(tap.TSTREAM, "rescue"), tap.run(tap.TSTREAM, "rescue", hold)
        tap.ok(hold in listed.out and result.status == 0 and f"{hold} had no capture: it was removed" in result.err and not os.path.exists(hold),
               f"a hold without a capture is removed ({name})", f"{listed.out} {result.status} {result.err}")
        shutil.rmtree(hold, ignore_errors=True)
    hold = f"/dev/shm/tstream.{os.geteuid()}.{os.getpid()}"
    os.makedirs(hold + "/held")
    with open(hold + "/held/precious", "w"):
        pass
    result = tap.run(tap.TSTREAM, "rescue", hold)
    tap.ok(result.status == 1 and "held in it is not a capture" in result.err and os.path.exists(hold + "/held/precious"), "unless something else is in it",
           result.err)
    shutil.rmtree(hold)


def make_unnamed(age_s, file=None):
    """What a recorder leaves that is killed before its hold has a name. Its name says nothing about its recorder."""
    path = tempfile.mkdtemp(prefix=".tstream.", dir="/dev/shm")
    unnamed = f"/dev/shm/.tstream.{os.path.basename(path)[-6:]}"
    os.rename(path, unnamed)
    if file:
        with open(f"{unnamed}/{file}", "w"):
            pass
    os.utime(unnamed, (time.time() - age_s,) * 2)
    return unnamed


def rescue_unnamed(path, is_listed, says, sentence):
    listed, result = tap.run(tap.TSTREAM, "rescue"), tap.run(tap.TSTREAM, "rescue", path)
    tap.ok((f"{path}  left by a recorder that was killed" in listed.out) == is_listed and (path in listed.out) == is_listed and
           result.status == (0 if is_listed else 1) and says in result.err and os.path.lexists(path) != is_listed, sentence,
           f"{listed.out}{listed.err}\n{result.status} {result.err} {os.path.lexists(path)}")


def check_unnamed():
    """The empty folder that a recorder makes, locks and names is removed only if that recorder is dead."""
    old = make_unnamed(60)
    rescue_unnamed(old, True, f"{old} had no capture: it was removed", "a folder that never became a hold is listed and removed")
    ahead = make_unnamed(-3600)
    rescue_unnamed(ahead, True, f"{ahead} had no capture: it was removed", "so is one that was made before the clock was set back")
    young = make_unnamed(0)
    rescue_unnamed(young, False, "its recorder may be starting", "a young one is left: its recorder may be about to name it")
    os.utime(young, (time.time() - 60,) * 2)
    lock = os.open(young, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    rescue_unnamed(young, False, "its recorder may be starting", "so is one that is locked")
    os.close(lock)
    os.rmdir(young)
    full = make_unnamed(60, "precious")
    rescue_unnamed(full, False, "precious in it is not a capture", "so is one with something in it")
    shutil.rmtree(full)
    link, target = make_unnamed(60), make_unnamed(60)
    os.rmdir(link)
    os.symlink(target, link)
    rescue_unnamed(link, False, "cannot open", "a link is none")
    os.unlink(link)
    if not os.geteuid():
        os.chown(target, 65534, 65534)
        rescue_unnamed(target, False, "it belongs to another user", "one of another user is left")
    os.rmdir(target)


def check_no_lock():
    """A hold that cannot be locked may have a recorder."""
    if not shutil.which("strace"):
        return tap.skip("rescue leaves a hold that it cannot lock", "no strace here")
    hold = f"/dev/shm/tstream.{os.geteuid()}.{os.getpid()}"
    os.mkdir(hold)
    for path in (hold, make_unnamed(60)):
        result = tap.run("strace", "-qq", "-o", os.devnull, "-e", "trace=flock", "-e", "inject=flock:error=ENOLCK", tap.TSTREAM, "rescue", path)
        tap.ok(result.status == 1 and f"cannot rescue {path}: it cannot be locked: No locks available" in result.err and os.path.isdir(path),
               f"rescue leaves a hold that it cannot lock: {'with' if path == hold else 'without'} a name", f"{result.status} {result.err}")
        if os.path.isdir(path):
            os.rmdir(path)
    return None


def traced(name, *inject):
    """A recorder with faults of strace in its calls."""
    words = ["strace", "-D", "-qq", "-o", os.devnull, "-e", "trace=flock,renameat2", "-e", f"inject={','.join(inject)}", tap.TSTREAM, "record",
             "-M", "8M", "-e", "cpu-clock:u", "-o", tap.path(name), "--", "true"]
    return subprocess.Popen(words, stderr=subprocess.PIPE, text=True)


def unnamed_of(process):
    """The folder that the process has open and that has no other name yet."""
    while process.poll() is None:
        for fd in glob.glob(f"/proc/{process.pid}/fd/*"):
            try:
                path = os.readlink(fd)
            except OSError:
                continue
            if path.startswith("/dev/shm/.tstream.") and "deleted" not in path:
                return path
    return None


def check_killed_unnamed():
    if not shutil.which("strace"):
        return tap.skip("rescue removes what a recorder left before its hold had a name", "no strace here")
    before = set(glob.glob("/dev/shm/.tstream.*"))
    process = traced("unnamed", "renameat2:delay_enter=2000000")
    path = unnamed_of(process)
    process.kill()
    process.communicate()
    if not tap.ok(path and path not in before and os.path.isdir(path), "a recorder that is killed before its hold has a name leaves a folder", path):
        return None
    os.utime(path, (time.time() - 60,) * 2)
    return rescue_unnamed(path, True, f"{path} had no capture: it was removed", "rescue removes it")


def check_rescued_unnamed():
    """A recorder that stood still for so long that its folder was taken for one of a killed recorder makes another."""
    def remove(path):
        os.utime(path, (time.time() - 60,) * 2)
        return tap.run(tap.TSTREAM, "rescue", path).status == 0 and not os.path.exists(path)

    def lock(path):
        fd = os.open(path, os.O_RDONLY)
        fcntl.flock(fd, fcntl.LOCK_EX)
        return True

    for take in (remove, lock):
        if not shutil.which("strace"):
            tap.skip(f"a recorder makes another folder: {take.__name__}", "no strace here")
            continue
        process = traced(f"stood.{take.__name__}", "flock:delay_enter=1000000")
        path = unnamed_of(process)
        taken = path and take(path)
        err = process.communicate()[1]
        tap.ok(taken and process.returncode == 0 and os.path.exists(tap.path(f"stood.{take.__name__}/data")) and not os.path.exists(path),
               f"a recorder whose folder was taken makes another: {take.__name__}", f"{path} {taken} {process.returncode} {err}")


def check_start():
    """A hold that is found while its recorder starts is not taken for one of a killed recorder."""
    if not shutil.which("strace"):
        return tap.skip("rescue leaves the hold of a recorder that starts", "no strace here")
    slow = ["strace", "-D", "-qq", "-o", os.devnull, "-e", "trace=flock", "-e", "inject=flock:delay_enter=200000"]
    process = subprocess.Popen([*slow, tap.TSTREAM, "record", "-M", "8M", "-e", "cpu-clock:u", "-o", tap.path("starts"), "--", "true"],
                               stderr=subprocess.PIPE, text=True)
    found = []
    while process.poll() is None:
        for hold in glob.glob(f"/dev/shm/tstream.{os.geteuid()}.{process.pid}"):
            found.append(tap.run(tap.TSTREAM, "rescue", hold).err)
    err = process.stderr.read()
    return tap.ok(process.returncode == 0 and found and not any("removed" in text for text in found),
                  "rescue leaves the hold of a recorder that starts", f"{process.returncode} {err} {found}")


def check_elsewhere():
    """A path that leads away from /dev/shm is no hold, and an empty directory there stays."""
    hold, other = f"/dev/shm/tstream.{os.geteuid()}.{os.getpid()}", tap.path("elsewhere")
    os.mkdir(hold)
    os.mkdir(other)
    for path in (f"{hold}/../../..{other}", f"{hold}/.."):
        result = tap.run(tap.TSTREAM, "rescue", path)
        tap.ok(result.status == 1 and f"{path}: it is not the hold of a recorder" in result.err and os.path.exists(other), "a path through a hold is none",
               result.err)
    os.rmdir(hold)


def check_nothing():
    """Where nothing was sampled, the capture is whole all the same."""
    capture = tap.path("nothing")
    result = tap.run(tap.TSTREAM, "record", "-M", "8M", "-D", "-1", "-e", "cpu-clock:u", "-o", capture, "--", "true")
    check = tap.run(tap.TSTREAM, "check", "-i", capture)
    tap.ok(result.status == 0 and check.status == 0, "nothing was held: the capture is empty and sound", result.err + check.out + check.err)


def check_number():
    """A hold of the recorder's own number may be there: a killed one's, or one of another container."""
    capture = tap.path("number")
    result = tap.run("sh", "-c", 'hold=/dev/shm/tstream.$(id -u).$$; mkdir "$hold"; echo "$hold"; '
                     'exec "$0" record -M 8M -e cpu-clock:u -o "$1" -- true', tap.TSTREAM, capture)
    hold = result.out.strip()
    tap.ok(result.status == 0 and glob.glob(hold + "*") == [hold], "where its number is taken a hold gets another", result.err)
    os.rmdir(hold)


def check_before():
    """--before: a snapshot has the newest of what is held, the capture has all."""
    capture = tap.path("before")
    recorder = caller.Recorder(tap.TSTREAM, capture, "-m", "1M", "-M", "16s", "--before=100ms")
    recorder.call(1)
    time.sleep(1.2)  # a segment has a second
    recorder.call(1)
    recorder.process.send_signal(signal.SIGUSR1)
    wait_for(recorder, "a snapshot", lambda: snapshots(capture))
    recorder.end()
    status, err = recorder.join()
    numbers, all_of_them = (numbers_in(path)[0] for path in (snapshots(capture) + [capture] * 2)[:2])
    tap.ok(status == 0 and numbers in ([2], []) and all_of_them == [1, 2], "--before bounds snapshots, not what is held",
           f"{numbers} {all_of_them}\n{err}")


def check_refusals():
    result = tap.run(tap.TSTREAM, "record", "--before=1s", "-o", tap.path("none"), "--", "true")
    tap.ok(result.status == 2 and "cannot use --before" in result.err and "-M" in result.err, "--before wants -M", result.err)
    for options, word in [(["--overwrite"], "--overwrite"), (["--switch-output"], "--switch-output"), (["--max-size=9M"], "--max-size")]:
        result = tap.run(tap.TSTREAM, "record", "-M", "8M", "-o", tap.path("none"), *options, "--", "true")
        tap.ok(result.status == 2 and f"cannot use -M with {word}" in result.err, f"-M is refused with {word}", result.err)
    for size in ["1M", "5s", "8", "-3M", "999999G"]:
        result = tap.run(tap.TSTREAM, "record", "-M", size, "-o", tap.path("none"), "--", "true")
        tap.ok(result.status != 0 and "cannot " in result.err and not os.path.exists(tap.path("none")), f"so is -M {size}", result.err)


caller.skip_all_where_impossible()
for number, row in enumerate(ROWS):
    check_row(number, row)
check_bound()
check_rescue()
check_strange_file()
check_empty_hold()
check_unnamed()
check_no_lock()
check_killed_unnamed()
check_rescued_unnamed()
check_start()
check_elsewhere()
check_nothing()
check_number()
check_before()
check_refusals()
tap.done()
