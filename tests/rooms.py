#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The law of the rooms: docs/rooms.md against what sources include and what objects of this build link.

The objects are those of abs_builddir. In a build without the reader its rooms are judged by their includes alone."""
import collections
import graphlib
import os
import re
import subprocess
import sys

ROOT = os.environ.get("abs_srcdir", ".")
BUILD = os.environ.get("abs_builddir", ".")
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "support"))
import tap  # noqa: E402

LAW = "docs/rooms.md"
MOST_MODULES = 25
SIDES = "streamer", "reader"
TOPS = ("common", *SIDES)
FRONT = "tstream"  # tstream.c: it stands above all rooms
TO_COME, ONE_SIDE = "## Rooms to come", "## Modules of common"
ROW = re.compile(r"^\| ((?:common|streamer|reader)/\w+(?:/\w+)?) \| ([\w, ]*) ?\| (.+) \|$")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"(?:\.\./)*((?:common|streamer|reader|tests)/[^"]+)"', re.M)
FRONT_DOOR = re.compile(r"common/base/(spelling|environment)\.h|common/options/completion\.h|(streamer|reader)/\w+/cmd_\w+\.h")
ALONE = "tests_recorder_alone-"  # objects of the recorder that has no reader beside it


class Law:
    """What docs/rooms.md says: rooms and what each may use, the same of those to come, modules of common of one side."""

    def __init__(self):
        self.uses, self.to_come, self.one_side = {}, {}, {}
        heading = ""
        for line in read(LAW).splitlines():
            heading = line if line.startswith("## ") else heading
            row = ROW.match(line)
            if row and heading.startswith(ONE_SIDE):
                self.one_side[row[1]] = row[2].strip()
            elif row:
                rooms = self.to_come if heading == TO_COME else self.uses
                rooms[row[1]] = [f"{top_of(row[1])}/{name}" for name in re.findall(r"\w+", row[2])]

    def allows(self, user, used):
        return user == used or (top_of(used) == "common" != top_of(user)) or used in self.uses.get(user, ())


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def top_of(path):
    return path.split("/")[0]


def room_of(path):
    return os.path.dirname(path)


def sources():
    """All of them, as paths from the top."""
    for top in TOPS:
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            yield from sorted(os.path.relpath(os.path.join(folder, name), ROOT) for name in names if name.endswith((".c", ".h")) and ".pb-c." not in name and ".made." not in name)


def symbols(kind, objects):
    """(module, symbol) of what objects define or need."""
    if not objects:
        return
    lines = subprocess.run(["nm", "-A", "-g", kind, *objects], capture_output=True, text=True, check=True).stdout.splitlines()
    for line in lines:
        path, _, rest = line.partition(":")
        yield module_of(path), rest.split()[-1]


def module_of(object_path):
    return os.path.relpath(object_path, BUILD)[:-len(".o")].replace(ALONE, "")


def links(modules):
    """{module: {module that it needs: the symbols}} by the objects of this build."""
    objects = [os.path.join(folder, name) for top in TOPS for folder, _, names in os.walk(os.path.join(BUILD, top))
               for name in sorted(names) if name.endswith(".o")]
    objects = [path for path in [*objects, os.path.join(BUILD, FRONT + ".o")] if module_of(path) in modules and os.path.exists(path)]
    home = {symbol: module for module, symbol in symbols("--defined-only", objects)}
    found = collections.defaultdict(lambda: collections.defaultdict(set))
    for module, symbol in symbols("--undefined-only", objects):
        if home.get(symbol, module) != module:
            found[module][home[symbol]].add(symbol)
    return found, {module_of(path) for path in objects}


def forbidden(law, includes, linked):
    for path, headers in includes.items():
        for header in headers:
            if not law.allows(room_of(path), room_of(header)):
                yield f"{path} includes {header}: {room_of(path)} may not use {room_of(header)}"
    for module, needs in linked.items():
        for other, names in needs.items():
            if module != FRONT and not law.allows(room_of(module), room_of(other)):
                yield (f"{module}.c needs {', '.join(sorted(names))} of {other}.c: "
                       f"{room_of(module)} may not use {room_of(other)}")


def unused(law, includes, linked, is_judged):
    arrows = {(room_of(path), room_of(header)) for path, headers in includes.items() for header in headers}
    arrows |= {(room_of(module), room_of(other)) for module, needs in linked.items() for other in needs}
    for room, others in law.uses.items():
        for other in others:
            if is_judged(room) and (room, other) not in arrows:
                yield f"{room} may use {other}, but nothing there does"


def upwards(law):
    above = []
    for room, others in law.uses.items():
        yield from (f"{room} may use {other}, which does not stand above it" for other in others if other not in above)
        above.append(room)
    for room, others in law.to_come.items():
        yield from (f"{room} may use {other}, which is no room" for other in others if other not in above and other not in law.to_come)


def unknown(law, paths):
    """Folders that the law does not know, rows that have no folder."""
    rooms = {room_of(path) for path in paths}
    for room in sorted(rooms | {os.path.relpath(room, "tests") for room in test_rooms()}):
        if room in law.to_come:
            yield f"{room} is there, but stands among the rooms to come"
        elif room not in law.uses:
            yield f"{room} is no room"
    yield from (f"{room} has no source" for room in law.uses if room not in rooms)


def test_rooms():
    """Folders of unit tests, which are called like the rooms that they test."""
    for top in TOPS:
        for folder, _, names in os.walk(os.path.join(ROOT, "tests", top)):
            if any(name.endswith(".c") for name in names):
                yield os.path.relpath(folder, ROOT)


def crowded(paths):
    modules = collections.defaultdict(set)
    for path in paths:
        modules[room_of(path)].add(os.path.splitext(path)[0])
    return [f"{room} has {len(names)} modules, {MOST_MODULES} are the most" for room, names in sorted(modules.items())
            if len(names) > MOST_MODULES]


def reached(side, linked):
    """Modules of common that a side, or tstream.c, links, also by way of others of common."""
    seen, todo = set(), [other for module in linked if top_of(module) == side for other in linked[module]]
    while todo:
        module = todo.pop()
        if top_of(module) == "common" and module not in seen:
            seen.add(module)
            todo += linked.get(module, ())
    return seen


def one_sided(law, linked, built):
    """Modules of common that one of them links, and no row tells why; rows that are not true any more."""
    by_side = {side: reached(side, linked) for side in (*SIDES, FRONT)}
    for module in sorted(module for module in built if top_of(module) == "common"):
        sides = [side for side in by_side if module in by_side[side]]
        told = law.one_side.get(module)
        if len(sides) == 1 and told != sides[0]:
            yield f"{module} is linked by {sides[0]} alone: it belongs there, or {LAW} says why not"
        elif len(sides) != 1 and told:
            yield f"{module} is linked by {' and '.join(sides) or 'nobody'}, not by {told} alone"
        elif not sides:
            yield f"{module} is linked by nobody"


def circles(needs):
    """Each way of a module back to itself; of {module: those that it needs}. An arrow of each that was found is left out then."""
    graph = {module: list(others) for module, others in needs.items()}
    while True:
        try:
            graphlib.TopologicalSorter(graph).prepare()
            return
        except graphlib.CycleError as error:
            way = error.args[1][::-1]
            graph[way[0]].remove(way[1])
            yield way


def object_circles(linked):
    """Inside rooms: between them no arrow leads back."""
    inside = {module: sorted(other for other in linked[module] if room_of(other) == room_of(module)) for module in sorted(linked)}
    for way in circles(inside):
        yield " -> ".join([f"{way[0]}.c", *(f"{', '.join(sorted(linked[a][b]))} of {b}.c" for a, b in zip(way, way[1:]))])


def header_circles(includes):
    yield from (" includes ".join(way) for way in circles({path: names for path, names in includes.items() if path.endswith(".h")}))


def front_door():
    yield from (f"tstream.c includes {header}" for header in INCLUDE.findall(read("tstream.c")) if not FRONT_DOOR.fullmatch(header))


def judge(sentence, offenders):
    offenders = list(offenders)
    tap.ok(not offenders, sentence, "\n".join(offenders))


def main():
    law, paths = Law(), list(sources())
    includes = {path: INCLUDE.findall(read(path)) for path in paths}
    linked, built = links({os.path.splitext(path)[0] for path in paths} | {FRONT})
    has_side = {side: any(top_of(module) == side for module in built) for side in SIDES}
    tap.ok(built and has_side["streamer"], "the objects of this build are there", f"none in {BUILD}")
    judge("each room uses those that its row names, and no other", forbidden(law, includes, linked))
    judge("each room uses all that its row names",
          unused(law, includes, linked, lambda room: has_side.get(top_of(room), True)))
    judge("rows name rooms above them", upwards(law))
    judge("each folder is a room, and each room a folder", unknown(law, paths))
    judge("no room is crowded", crowded(paths))
    if all(has_side.values()):
        judge("what one side links alone is not common, but where the law says why", one_sided(law, linked, built))
    else:
        tap.skip("what one side links alone is not common, but where the law says why", "this build has no reader")
    judge("no object needs itself by way of others", object_circles(linked))
    judge("no header includes itself by way of others", header_circles(includes))
    judge("tstream.c includes the headers of commands, and what it does itself", front_door())
    tap.done()


if __name__ == "__main__":
    main()
