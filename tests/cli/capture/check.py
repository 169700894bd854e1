#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tstream check: sound captures are sound, also killed ones; whatever is changed in a stream or a header is named with file
and offset, once; what tstream.json says of what is not there; status, --json, -q and usage."""
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import damage  # noqa: E402
import stream_doc  # noqa: E402
import tap  # noqa: E402

FAILING = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/failing_call.so")
scene = tap.path("scene")


def check(where, *options):
    return tap.run(tap.TSTREAM, "check", *options, where)


def places(got, where):
    """(file, offset) of each line that -q prints"""
    found = re.findall(r"^(.*?): offset (\d+): ", got.out, re.M)
    return [(os.path.relpath(path, where), int(offset)) for path, offset in found]


def changed(whole, name, at, data):
    """A copy of a capture, some bytes of a file of it replaced."""
    shutil.rmtree(scene, ignore_errors=True)
    shutil.copytree(whole, scene)
    with open(os.path.join(scene, name), "r+b") as f:
        f.seek(at)
        f.write(data)
    return scene


def flipped(whole, name, at):
    with open(os.path.join(whole, name), "rb") as f:
        f.seek(at)
        return changed(whole, name, at, bytes([f.read(1)[0] ^ 0x10]))


def check_flipped(where, name, at):
    """What check -q says of a capture one bit of which is changed as long as it looks."""
    with open(os.path.join(where, name), "r+b") as f:
        f.seek(at)
        byte = f.read(1)
        f.seek(at)
        f.write(bytes([byte[0] ^ 0x10]))
        f.flush()
        got = check(where, "-q")
        f.seek(at)
        f.write(byte)
    return got


def sound():
    for kind in ("plain", "compressed", "example"):
        where, _ = damage.lay(kind)
        got = check(where)
        tap.ok((got.status, got.err) == (0, "") and f"{where}: sound\n" in got.out, f"{kind}: sound", got.out + got.err)
        got = check(where, "-q")
        tap.equal((got.status, got.out, got.err), (0, "", ""), f"{kind}: -q has nothing to say")
    _, states = damage.lay("cut")
    wrong = []
    for n in sorted({*range(0, states, 17), states - 1, states}):
        got = check(damage.lay("cut", str(n))[0])
        if got.status or "sound" not in got.out:
            wrong.append(f"after {n} states: {got.out}{got.err}")
    tap.ok(not wrong, "killed at any instant while a block was laid: sound", "\n".join(wrong[:2]))


def records_of_each_kind(stream):
    """(name, offset, head) of the first chunk header, and of one in the middle of each kind"""
    by_name = {}
    for at, name, head in stream_doc.walk(stream):
        if name in ("chunk header", "padding", "index", "footer"):
            by_name.setdefault(name, []).append((name, at, head))
    return [by_name["chunk header"][0], *(found[len(found) // 2] for found in by_name.values())]


def flips(kind, name, step):
    whole, _ = damage.lay(kind)
    with open(os.path.join(whole, name), "rb") as f:
        stream = f.read()
    wrong, nr = [], 0
    for what, at, head in records_of_each_kind(stream):
        inside = list(range(0, head["size"], step * (31 if head["size"] > 1000 else 1)))
        if what == "chunk header":
            inside += [head["size"] + n for n in range(0, head["payload_bytes"], 29 * step)]
        for byte in inside if what != "padding" else [*range(0, 24, step), 60]:
            got = check_flipped(whole, name, at + byte)
            wanted = (name, at + byte if what == "padding" and byte >= 16 else at)
            nr += 1
            found = places(got, whole)
            # a record of another size ends elsewhere, and what is there instead is named
            is_right = {f for f, _ in found} == {name} if what != "chunk header" and 4 <= byte < 8 else found == [wanted]
            if got.status != 1 or not is_right:
                wrong.append(f"{what} at {at}, byte {byte}: status {got.status}, {got.out}{got.err}, wanted {wanted}")
    tap.ok(not wrong, f"{kind}: each of {nr} bytes that is flipped is named by the place it is in", "\n".join(wrong[:6]))


def headers():
    whole, _ = damage.lay("plain")
    with open(os.path.join(whole, "data"), "rb") as f:
        data = f.read()
    for at, what, sentence in [(0, "magic", "it is no perf.data file"),
                               (8, "size", "its header has"),
                               (17, "attr_size", "it has no events"),
                               (30, "attrs", "it ends within its events"),
                               (46, "data offset", "before its records do"),
                               (54, "data size", "before its records do")]:
        got = check(flipped(whole, "data", at))
        tap.ok(got.status == 1 and sentence in got.out and "data: offset" in got.out, f"data: {what}: {sentence}", got.out + got.err)
    ids = data.index((1001).to_bytes(8, "little"))
    got = check(flipped(whole, "data", ids))
    tap.ok(got.status == 1 and "what EVENT_DESC repeats of them are not the same" in got.out, "data: an id is not what it was", got.out)
    got = check(changed(whole, "data", 0, b"\0" * len(data)))
    tap.ok(got.status == 1 and places(got, scene) == [("data", 0)], "zeros in the place of data: one line", got.out)
    os.truncate(os.path.join(scene, "data.0"), 5000)
    with open(os.path.join(scene, "data.1"), "r+b") as f:
        f.write(b"\0" * 5000)
    got = check(scene, "-q")
    tap.ok([p[0] for p in places(got, scene)][:2] == ["data", "data.1"], "the streams are checked without data, too", got.out)


def notes():
    if not tap.can_record_all():
        tap.skip("tstream.json", "recording all CPUs needs root")
        return
    whole = tap.path("recorded")
    made = tap.run(tap.TSTREAM, "record", "-a", "--threads=cpu", "-m", "2M", "-e", "cpu-clock", "-F", "99", "-o", whole, "--",
                   "sleep", "0.2")
    if made.status:
        sys.exit(made.err)
    got = check(whole)
    tap.ok((got.status, got.err) == (0, "") and f"{whole}: sound\n" in got.out, "a recording is sound", got.out + got.err)
    size = os.path.getsize(os.path.join(whole, "data.0"))
    for sentence, change, wanted in [
            ("cut", lambda: os.truncate(os.path.join(scene, "data.0"), 4096), ("data.0", 4096)),
            ("missing", lambda: os.remove(os.path.join(scene, "data.0")), ("data.0", 0)),
            ("longer", lambda: open(os.path.join(scene, "data.0"), "ab").write(b"\0" * 512), ("data.0", size)),
            ("no JSON", lambda: open(os.path.join(scene, "tstream.json"), "w").write('{"state":'), ("tstream.json", 9)),
            ("no file", lambda: (os.remove(os.path.join(scene, "tstream.json")), os.mkdir(os.path.join(scene, "tstream.json"))),
             ("tstream.json", 0))]:
        shutil.rmtree(scene, ignore_errors=True)
        shutil.copytree(whole, scene)
        change()
        got = check(scene)
        if sentence == "missing" and len(tap.online_cpus()) == 1:
            continue
        tap.ok(got.status == 1 and wanted in places(got, scene), f"{sentence}: {wanted[0]} is named", got.out + got.err)
    shutil.rmtree(scene)
    shutil.copytree(whole, scene)
    os.remove(os.path.join(scene, "tstream.json"))
    got = check(scene)
    tap.ok(got.status == 0 and "there is no tstream.json" in got.out, "without tstream.json it is sound", got.out)


def output():
    whole, _ = damage.lay("plain")
    got = check(whole, "--json")
    tap.ok(got.status == 0 and json.loads(got.out)["sound"] is True, "--json of a sound capture", got.out)
    got = check(flipped(whole, "data.0", 200), "--json")
    said = json.loads(got.out)
    tap.equal((got.status, said["version"], said["sound"], said["damaged_places"], len(said["findings"])), (1, 1, False, 1, 1),
              "--json of a damaged one")
    tap.equal(sorted(said["findings"][0]), ["bytes", "file", "offset", "reason"], "a finding has file, offset, bytes and reason")
    tap.equal([check(whole, "-j", "1").out, check(whole, "-j", "3").out], [check(whole).out] * 2, "any number of threads says the same")
    tap.equal(tap.run(tap.TSTREAM, "check", "-i", whole).status, 0, "-i names it, too")
    for words in (["--json", "-q", whole], ["-j", "0", whole], [whole, whole], ["--nothing"]):
        got = tap.run(tap.TSTREAM, "check", *words)
        tap.ok((got.status, got.out) == (2, "") and got.err, f"{' '.join(words[:2])}: usage", got.err)
    got = check(tap.path("nowhere"))
    tap.ok(got.status == 1 and "No such file" in got.err, "what is not there cannot be checked", got.err)


def without_memory():
    """Each call of malloc() fails once."""
    where = flipped(damage.lay("plain")[0], "data.1", 1 << 20)
    count = tap.path("count")
    env = {"LD_PRELOAD": FAILING, "FAIL_KIND": "malloc"}
    whole = tap.run(tap.TSTREAM, "check", "--json", "-j", "1", where, env=dict(env, FAIL_COUNT=count))
    with open(count, encoding="ascii") as f:
        nr = int(f.read())
    mute = []
    for at in range(1, nr + 1):
        got = tap.run(tap.TSTREAM, "check", "--json", "-j", "1", where, env=dict(env, FAIL_AT=str(at)))
        if got.status != 1 or (got.out != whole.out and not got.err):
            mute.append(at)
    tap.ok(nr and not mute, "without memory for a finding an error says so", f"calls {mute} of {nr}")


sound()
flips("example", "data.0", 3)
flips("plain", "data.1", 17)
flips("compressed", "data.1", 17)
headers()
notes()
output()
if os.environ.get("SANITIZED") or os.environ.get("TSAN_BUILD"):
    tap.skip("findings without memory", "the sanitizer has malloc() for itself")
else:
    without_memory()
tap.done()
