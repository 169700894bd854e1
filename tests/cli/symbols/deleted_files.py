#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that were deleted or replaced since they were mapped: they are found by their build-id under their old name, in a living
process, in perf's cache; and another file of that name is not taken."""
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import perf_file
import tap

DELETED = " (deleted)"
ID, OTHER, VDSO, KERNEL = (bytes([i] * 20) for i in (0x51, 0x52, 0x53, 0x54))


def program(name, function, build_id):
    return perf_file.Program(tap.path(name), [function], build_id=build_id)


def report(*options, env=None, cap="made.data"):
    return tap.run(tap.TSTREAM, "report", "--stdio", "-s", "sym", "-i", tap.path(cap), *options, env=env).out


def in_cache(cache, build_id, name, path):
    """Lays a file into a cache as perf does: the folder is found through a link."""
    os.makedirs(f"{cache}/some/path/{build_id.hex()}")
    os.makedirs(f"{cache}/.build-id/{build_id.hex()[:2]}", exist_ok=True)
    os.symlink(f"../../some/path/{build_id.hex()}", f"{cache}/.build-id/{build_id.hex()[:2]}/{build_id.hex()[2:]}")
    shutil.copy(path, f"{cache}/some/path/{build_id.hex()}/{name}")


def make():
    """A capture of another kernel, another vdso and a program that was deleted before; the files in the folder "away"."""
    made, mapped = perf_file.PerfFile(flags=perf_file.BUILD_ID), program("prog", "was_there", ID)
    vdso = program("vdso", "of_vdso", VDSO)
    made.thread(10, 10, "made")
    made.map_kernel(0xffffffff81000000, 0x1000000, 0xffffffff81000000, KERNEL)
    places = [mapped.at("was_there"), vdso.at("of_vdso")]
    mapped.path, vdso.path = mapped.path + DELETED, "[vdso]"
    made.map(10, mapped, build_id=ID)
    made.map(10, vdso, build_id=VDSO)
    for place in places:
        made.sample(10, 10, 1000, [place])
    made.sample(10, 10, 1000, [0xffffffff81000123], misc=perf_file.MISC_KERNEL)
    made.write(tap.path("made.data"))
    os.mkdir(tap.path("away"))
    for name in ("prog", "vdso"):
        os.rename(tap.path(name), tap.path(f"away/{name}"))
    with open(tap.path("away/kallsyms"), "w") as f:
        f.write("ffffffff82000000 T _text\nffffffff82000100 t of_another_kernel\nffffffff82000200 t behind\n")


def check_name():
    got = tap.run(tap.TSTREAM, "report", "--no-children", "-s", "sym,srcline", "-i", tap.path("made.data"))
    tap.ok("was_there" not in got.out, "a file that is gone has no names")
    tap.equal([line for line in got.err.splitlines() if "--explain-symbols" in line],
              [f"tstream: note: {rows} no {lack}: 'tstream report --explain-symbols' lists the reasons"
               for rows, lack in (("3 rows have", "name of a function"), ("2 rows have", "source line"))],
              "a note counts the rows without names and lines")
    tap.ok("--explain-symbols" not in tap.run(tap.TSTREAM, "report", "-s", "dso", "-i", tap.path("made.data")).err,
           "but not if none was asked for")
    shutil.copy(tap.path("away/prog"), tap.path("prog"))
    tap.ok("was_there" in report(), "one that is back under its name is taken", report("--explain-symbols"))
    program("prog", "another", OTHER)
    tap.ok("another" not in report(), "but no other build of it")
    os.unlink(tap.path("prog"))


def check_cache():
    home, root = tap.path("home"), tap.path("root")
    for cache in (home + "/.debug", root + "/.debug", tap.path("cache")):
        for build_id, name, path in ((ID, "elf", "prog"), (VDSO, "vdso", "vdso"), (KERNEL, "kallsyms", "kallsyms")):
            in_cache(cache, build_id, name, tap.path("away/" + path))
    names = ("was_there", "of_vdso", "of_another_kernel")
    for what, options, env in (("in the user's home", (), {"HOME": home}), ("below --symfs", ("--symfs", root), None),
                               ("that --buildid-dir names", ("--buildid-dir", tap.path("cache")), None)):
        got = report(*options, env=env)
        tap.ok(all(n in got for n in names), f"program, vdso and kernel are found in perf's cache {what}",
               got + report("--explain-symbols", *options, env=env))
    link = f"{tap.path('cache')}/.build-id/{ID.hex()[:2]}/{ID.hex()[2:]}/elf"
    program("cache/other", "wrong_build", OTHER)
    os.rename(tap.path("cache/other"), link)
    tap.ok("wrong_build" not in report("--buildid-dir", tap.path("cache")), "a file with another build-id is not taken there")
    os.unlink(link)
    os.mkfifo(link)
    got = report("--explain-symbols", "--buildid-dir", tap.path("cache"))
    tap.ok(f"{link}: not a regular file" in got, "nor is a pipe waited for", got)


def check_living(what, link, *loader):
    """A process whose file is deleted before it is recorded; a loader maps the file as it maps libraries."""
    built = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/deep_calls")
    path, cap = tap.path("living"), f"living-{what}"
    shutil.copy(built, path)
    with subprocess.Popen([*loader, path, "600000"]) as process:
        time.sleep(0.2)
        os.unlink(path)
        made = tap.run(tap.TSTREAM, "record", "-q", "-e", "cpu-clock:u", "-F", "1000", "-p", str(process.pid), "-o", tap.path(cap),
                       "--", "sleep", "0.2")
        got = report("--explain-symbols", cap=cap)
        tap.ok(made.status == 0 and "in_handler" in report(cap=cap) and f"/proc/{process.pid}/{link}" in got,
               f"a living process has its {what}", made.err + got)
        shutil.copytree(tap.path(cap), tap.path(cap + "-kept"))
        made = tap.run(tap.TSTREAM, "archive", tap.path(cap + "-kept"))
        process.kill()
    tap.ok("in_handler" not in report(cap=cap), "and no longer")
    tap.ok("in_handler" in report(cap=cap + "-kept"), "the archive has it", made.err)


make()
check_name()
check_cache()
LOADER = "/lib64/ld-linux-x86-64.so.2"
if tap.can_record_all():
    check_living("program", "exe")
    if os.path.exists(LOADER):
        check_living("library", "map_files/", LOADER)
    else:
        tap.skip("a living process has its library", f"there is no {LOADER}")
else:
    tap.skip("a living process has its program", "recording needs root")
tap.done()
