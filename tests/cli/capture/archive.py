#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tstream archive: what is printed of a capture stays the same when the files that it was recorded of are gone."""
import difflib
import os
import re
import shutil
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import perf_file
import tap

BUILT = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/deep_calls")
SHT_SYMTAB = 2
JIT = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/jit_code")


def archive(*arguments):
    return tap.run(tap.TSTREAM, "archive", *arguments)


def symbols(capture):
    return sorted(os.listdir(capture + "/symbols"))


def printed(capture, *options):
    """What report and script print, in which nothing tells of files."""
    return (tap.run(tap.TSTREAM, "report", "--stdio", "-i", capture).out
            + tap.run(tap.TSTREAM, "script", "-i", capture, *options).out)


def unended(text):
    """What is repaired has no end."""
    return text.replace("; the recording did not end", "")


def same_text(got, wanted, sentence):
    """Else the first lines that differ."""
    lines = difflib.unified_diff(wanted.splitlines(), got.splitlines(), "wanted", "got", lineterm="", n=1)
    tap.ok(got == wanted, sentence, "" if got == wanted else "\n".join(list(lines)[:20]))


def explained(capture):
    return tap.run(tap.TSTREAM, "report", "--explain-symbols", "-i", capture).out


def record(capture, *command, options=("--call-graph", "dwarf")):
    made = tap.run(tap.TSTREAM, "record", "-q", "-e", "cpu-clock:u", "-F", "1000", "-m", "8M", *options, "-o", capture, "--", *command)
    tap.ok(made.status == 0, f"{os.path.basename(capture)} is recorded", made.err)


def check_program(what, lines, debug, *options):
    """A program with a debug file of its own, or with all in itself; both are removed when they are archived."""
    folder = tap.path(what)
    os.mkdir(folder)
    program, cap = f"{folder}/program", tap.path(f"{what}.cap")
    if debug:
        for step in (("--only-keep-debug", BUILT, f"{folder}/program.debug"),
                     ("--strip-all", f"--add-gnu-debuglink={folder}/program.debug", BUILT, program)):
            if tap.run("objcopy", *step).status:
                return tap.skip(what, "objcopy is not there")
    else:
        shutil.copy(BUILT, program)
    record(cap, program, "100")
    before = printed(cap, *lines)
    tap.ok("in_handler" in before, f"{what}: names are known", before[:500])
    made = archive(*options, cap)
    tap.ok(made.status == 0 and re.fullmatch(rf"tstream: note: {re.escape(cap)}/symbols: \S+ in \d+ files, of (\d+) of \1 modules\n",
                                             made.err), f"{what}: is archived", made.err)
    same_text(printed(cap, *lines), before, f"{what}: printed as before")
    shutil.rmtree(folder)
    same_text(printed(cap, *lines), before, f"{what}: and when the program is gone")
    tap.ok(f" symbols from .symtab of {cap}/symbols/" in explained(cap), f"{what}: out of the archive", explained(cap))
    if tap.PERF:
        read = tap.run(tap.PERF, "report", "--stdio", "-i", cap, "-g", "none")
        tap.ok(read.status == 0 and "%" in read.out, f"{what}: perf reads the capture", read.err)
    again = archive(*options, cap)
    tap.ok(again.status == 0 and "warning" not in again.err, f"{what}: archived again it has what it had", again.err)
    same_text(printed(cap, *lines), before, f"{what}: and prints the same")
    tap.ok(tap.run(tap.TSTREAM, "check", cap).status == 0, f"{what}: is sound")
    return cap


def check_sharing():
    """Equal files of several captures are one file, also with a store."""
    cap = tap.path("shared")
    record(cap, BUILT, "50")
    others = [tap.path("one"), tap.path("two")]
    store = tap.path("store")
    for other in others:
        shutil.copytree(cap, other)
    made = archive("--store", store, *others)
    files = symbols(others[0])
    tap.ok(made.status == 0 and made.err.count("; shared: ") == 1, "two captures are archived, and a store", made.err)
    tap.equal([symbols(others[1]), sorted(os.listdir(store))], [files, files], "each has every file")
    tap.ok(all(os.stat(f"{folder}/{name}").st_nlink == 3 for folder in (store, others[0] + "/symbols") for name in files), "once")
    shutil.rmtree(others[1])
    tap.run(tap.TSTREAM, "record", "-q", "-o", others[0], "--", "true")
    made = tap.run(tap.TSTREAM, "record", "-q", "-o", others[0], "--", "true")
    tap.ok(made.status == 0 and not os.path.exists(others[0] + ".old/symbols"), "an old capture goes with its symbols", made.err)
    shutil.copytree(cap, others[1] + ".old")
    os.mkdir(others[1] + ".old/symbols")
    with open(others[1] + ".old/symbols/mine.txt", "w") as f:
        f.write("kept\n")
    shutil.copytree(others[0], others[1])
    made = tap.run(tap.TSTREAM, "record", "-q", "-o", others[1], "--", "true")
    tap.ok(made.status == 1 and "it contains symbols, which is not part of a capture" in made.err
           and os.path.exists(others[1] + ".old/symbols/mine.txt"), "but not with a file that is none of a capture's", made.err)


def check_store_of_others():
    """An equal file that another user could empty later is copied, not linked: from a store, and from a capture."""
    cap, mine, store, made = (tap.path(name) for name in ("of-others", "of-mine", "store-of-others", "made-of-others"))
    record(cap, BUILT, "50")
    shutil.copytree(cap, mine)
    archive("--store", store, cap)
    names = symbols(cap)
    for what, owner, folder, command in (("a store", 65534, store, ("archive", "--store", store, mine)),
                                         ("a capture", 0, f"{cap}/symbols", ("merge", "-o", made, cap))):
        for name in names:
            os.chown(f"{folder}/{name}", owner, owner)
            os.chmod(f"{folder}/{name}", 0o644 if owner else 0o666)
        got, out = tap.run(tap.TSTREAM, *command), mine if "archive" in command else made
        tap.ok(got.status == 0 and names and symbols(out) == names and not any(os.path.samefile(f"{out}/symbols/{n}", f"{folder}/{n}") for n in names),
               f"what others can change in {what} is copied", got.err)


def check_carried(cap, before):
    """What is made of a capture has its symbols."""
    for what, options in (("merge", (cap,)), ("compact", (cap,)), ("check", ())):
        out = tap.path("made-by-" + what)
        if what == "check":
            made = tap.run(tap.TSTREAM, "check", "--repair=" + out, cap)
        else:
            made = tap.run(tap.TSTREAM, what, "-o", out, *options)
        same = made.status == 0 and symbols(out) == symbols(cap)
        tap.ok(same and all(os.path.samefile(f"{out}/symbols/{n}", f"{cap}/symbols/{n}") for n in symbols(cap)), f"{what} carries them",
               made.err)
        same_text(unended(printed(out)), before, "and it prints the same")


def check_hostile(cap):
    """Files that are none, or of something else, are told and not used."""
    mine = tap.path("hostile")
    shutil.copytree(cap, mine)
    for name in symbols(mine):
        path = f"{mine}/symbols/{name}"
        os.unlink(path)
        if name.endswith(".elf"):
            os.mkfifo(path)
        elif name.endswith(".debug"):
            os.symlink("/dev/zero", path)
        else:
            with open(path, "wb") as f:
                f.write(b"\xff" * 5000)
    got = tap.run("timeout", "60", tap.TSTREAM, "report", "--explain-symbols", "-i", mine)
    tap.ok(got.status == 0 and ".elf: not a regular file" in got.out, "what is no ELF file is told", got.out)
    shutil.rmtree(mine + "/symbols")
    os.symlink(cap + "/symbols", mine + "/symbols")
    tap.ok(f"{mine}/symbols" not in explained(mine), "a link is no folder of symbols")
    made = archive(mine)
    tap.ok(made.status == 1 and made.err.startswith(f"tstream: cannot open {mine}/symbols: "), "and is not written into", made.err)


def check_made():
    """A capture of another kernel and another vdso than this machine has."""
    ids = [bytes([i] * 20) for i in (0x11, 0x22, 0x33)]
    made, cap = perf_file.PerfFile(flags=perf_file.BUILD_ID), tap.path("made")
    program = perf_file.Program(tap.path("made.elf"), ["archived", "other"], build_id=ids[0])
    vdso = perf_file.Program(tap.path("vdso.elf"), ["of_vdso"], build_id=ids[1])
    vdso.path = "[vdso]"
    made.thread(10, 10, "made")
    made.map_kernel(0xffffffff81000000, 0x1000000, 0xffffffff81000000, ids[2])
    made.map(10, program, build_id=ids[0])
    made.map(10, vdso, build_id=ids[1])
    for place in (program.at("archived"), vdso.at("of_vdso")):
        made.sample(10, 10, 1000, [place])
    made.sample(10, 10, 1000, [0xffffffff81000123], misc=perf_file.MISC_KERNEL)
    os.mkdir(cap)
    made.write(cap + "/data")
    made = archive(cap)
    tap.ok(made.status == 0 and made.err.count("warning") == 2 and "of 1 of 3 modules" in made.err, "what is not here is told", made.err)
    os.rename(tap.path("vdso.elf"), f"{cap}/symbols/{ids[1].hex()}.elf")
    with open(f"{cap}/symbols/{ids[2].hex()}.kallsyms", "w") as f:
        f.write("ffffffff82000000 T _text\nffffffff82000100 t of_another_kernel\nffffffff82000200 t behind\n")
    os.unlink(tap.path("made.elf"))
    rows = tap.run(tap.TSTREAM, "report", "--stdio", "-s", "sym", "-i", cap).out
    tap.ok(all(name in rows for name in ("archived", "of_vdso", "of_another_kernel")),
           "kernel, vdso and programs of another machine have their names", rows + explained(cap))


def check_damaged():
    """An ELF file whose sections reach beyond its end costs itself."""
    made, cap, ids = perf_file.PerfFile(flags=perf_file.BUILD_ID), tap.path("damaged"), [bytes([i] * 20) for i in (0x55, 0x66)]
    programs = [perf_file.Program(tap.path(f"damaged{i}.elf"), [f"of_{i}"], build_id=id) for i, id in enumerate(ids)]
    made.thread(10, 10, "made")
    for program, id in zip(programs, ids):
        made.map(10, program, build_id=id)
        made.sample(10, 10, 1000, [program.at(program.functions[0])])
    os.mkdir(cap)
    made.write(cap + "/data")
    with open(programs[0].path, "r+b") as f:
        data = bytearray(f.read())
        table, number = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<H", data, 60)[0]
        for at in range(table, table + number * 64, 64):
            if struct.unpack_from("<I", data, at + 4)[0] == SHT_SYMTAB:
                struct.pack_into("<Q", data, at + 32, 1 << 40)
        f.seek(0)
        f.write(data)
    got = archive(cap)
    tap.ok(got.status == 0 and "its sections are damaged" in got.err and symbols(cap) == [f"{ids[1].hex()}.elf"],
           "a damaged program costs itself", got.err)


def check_refusals():
    single = tap.path("single.data")
    shutil.copy(tap.path("made/data"), single)
    got = archive(single)
    tap.ok(got.status == 1 and "it is a single file" in got.err and "tstream merge -o" in got.err, "a single file is refused", got.err)
    tap.equal(archive().status, 2, "and nothing")
    got = archive(tap.path("nowhere"))
    tap.ok(got.status == 1 and "No such file or directory" in got.err, "and what is not there", got.err)
    line = 'mount -t tmpfs -o size=24k none "$1" && cp -r "$2/data" "$1" && "$0" archive "$1"; s=$?; ls "$1/symbols"; exit $s'
    os.makedirs(tap.path("full"))
    program = perf_file.Program(tap.path("large.elf"), [f"function_{i}" for i in range(3000)], build_id=bytes([0x44] * 20))
    made = perf_file.PerfFile(flags=perf_file.BUILD_ID)
    made.thread(10, 10, "made")
    made.map(10, program, build_id=bytes([0x44] * 20))
    made.sample(10, 10, 1000, [program.at("function_7")])
    os.mkdir(tap.path("large"))
    made.write(tap.path("large/data"))
    got = tap.run("unshare", "--mount", "sh", "-c", line, tap.TSTREAM, tap.path("full"), tap.path("large"))
    if "mount" in got.err or "unshare" in got.err:
        return tap.skip("a full disk", "nothing can be mounted here")
    return tap.ok(got.status == 1 and "cannot write " in got.err and "No space left on device" in got.err and not got.out,
                  "a full disk is told, and nothing is left", got.out + got.err)


def check_vanished(cap, path):
    """The map can be read, and not again when it is to be copied, as when its process ends in a container."""
    sentence, trace = "a file that vanishes while archive runs costs itself", tap.path("vanished")
    if not shutil.which("strace"):
        return tap.skip(sentence, "strace is not installed")
    made = tap.run("strace", "-f", "-qq", "-o", trace, "-P", path, "-e", "trace=fstatfs", "-e", "inject=fstatfs:error=ENOENT:when=2+",
                   tap.TSTREAM, "archive", cap)
    with open(trace) as f:
        if "INJECTED" not in f.read():
            return tap.skip(sentence, "strace may not trace here")
    tap.ok(made.status == 0 and f"cannot open {path}" in made.err and "cap/symbols: " in made.err and
           not os.path.exists(os.path.join(cap, "symbols", os.path.basename(path))), sentence, f"{made.status} {made.err}")
    return None


def check_map():
    cap = tap.path("jit.cap")
    record(cap, JIT, "100", options=())
    before = printed(cap)
    path = "/tmp/perf-%s.map" % tap.run(tap.TSTREAM, "script", "-i", cap, "-F", "pid").out.split()[-1].rstrip(":")
    try:
        check_vanished(cap, path)
        made = archive(cap)
    finally:
        os.unlink(path)
    tap.ok("jitted_work" in before and made.status == 0 and os.path.basename(path) in symbols(cap), "a map is archived", made.err)
    same_text(printed(cap), before, "and printed as before when it is gone")


def check_recorded():
    """record --archive: each finished directory has its symbols before --on-snapshot is told of it."""
    cap, told, hook = tap.path("at-once"), tap.path("told"), tap.path("hook")
    made = tap.run(tap.TSTREAM, "record", "-q", "--archive", "-e", "cpu-clock:u", "-F", "1000", "-o", cap, "--", JIT, "100")
    path = "/tmp/perf-%s.map" % tap.run(tap.TSTREAM, "script", "-i", cap, "-F", "pid").out.split()[-1].rstrip(":")
    os.unlink(path)
    tap.ok(made.status == 0 and not made.err and os.path.basename(path) in symbols(cap) and "jitted_work" in printed(cap),
           "record --archive keeps the names of code made at run time", made.err)
    with open(hook, "w") as f:
        f.write(f'#!/bin/sh\nls "$1/symbols" | grep -c elf >>{told}\n')
    os.chmod(hook, 0o755)
    for number, options in enumerate((["--timestamp-filename"], ["--switch-output=64K"], ["-M", "8M"])):
        made = tap.run(tap.TSTREAM, "record", "--archive", "--on-snapshot", hook, *options, "-e", "cpu-clock:u", "-F", "1000", "-o",
                       tap.path(f"recorded{number}"), "--", BUILT, "150")
        with open(told) as f:
            counts = f.read().split()
        os.unlink(told)
        tap.ok(made.status == 0 and counts and counts[0] != "0", f"with {options[0]} before the program is told", (counts, made.err))
    rings = tap.path("rings")
    made = tap.run(tap.TSTREAM, "record", "-q", "--archive", "--overwrite", "-e", "cpu-clock:u", "-o", rings, "--", BUILT, "50")
    tap.ok(made.status == 0 and any(n.endswith(".elf") for n in symbols(rings)), "and with --overwrite", made.err)
    made = tap.run(tap.TSTREAM, "record", "--archive", "-o", "/dev/null", "--", "true")
    tap.ok(made.status == 0 and "--archive changes nothing" in made.err, "with -o /dev/null it changes nothing", made.err)
    daemon = tap.path("daemon")
    made = tap.run(tap.TSTREAM, "record", "--archive", "-e", "cpu-clock:u", "--daemon", "-o", daemon, "-p", str(os.getpid()))
    ended, until = tap.run(tap.TSTREAM, "ctl", daemon, "stop"), time.monotonic() + 60
    while os.path.exists(daemon + ".ctl") and time.monotonic() < until:
        time.sleep(0.02)
    tap.ok(made.status == 0 and ended.status == 0 and os.path.isdir(daemon + "/symbols"), "and by a daemon, before it ends",
           made.err + ended.err)


check_made()
check_damaged()
check_refusals()
if not tap.can_record_all() or os.uname().machine != "x86_64":
    tap.skip("programs that are gone", "unwinding them needs root and x86-64")
    tap.done()
    sys.exit()
check_map()
check_recorded()
check_program("debug", (), True)
plain = check_program("plain", ("-F", "+srcline"), False, "--lines")
check_program("whole", ("-F", "+srcline"), True, "--whole")
check_carried(plain, printed(plain))
check_sharing()
check_store_of_others()
check_hostile(plain)
tap.done()
