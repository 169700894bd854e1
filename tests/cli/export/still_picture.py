#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tstream report --svg`: each box is a share of the report's, for one capture, a selection and two captures; what was lost is in the
picture; names are no markup; what goes wrong."""
import collections
import json
import os
import re
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import dialect as d  # noqa: E402
import perf_file  # noqa: E402
import tap  # noqa: E402

tap.read_few_kernel_symbols()
CALLS = [sys.executable, "-c", "import os\nfor _ in range(30000):\n os.stat('/')\n [i * i for i in range(100)]"]
MAPPED, USER = 0x400000, (1 << 64) - 512
WIDTH = 1180  # of the graph
SVG = "{http://www.w3.org/2000/svg}"
Box = collections.namedtuple("Box", "name text x y width fill kind")


def report(*words):
    return tap.run(tap.TSTREAM, "report", *words)


class Picture:
    def __init__(self, *words):
        self.run = report("--svg=-", *words)
        self.boxes, self.texts, self.warnings = [], [], []
        if self.run.status not in (0, 1) or not self.run.out:
            return
        self.root = xml.etree.ElementTree.fromstring(self.run.out)
        self.title = self.root.find(f"{SVG}title").text
        self.texts = [text.text or "" for text in self.root.findall(f"{SVG}text")]
        for group in self.root.findall(f"{SVG}g"):
            title, rect = group.find(f"{SVG}title"), group.find(f"{SVG}rect")
            if group.get("class") == "warn":
                self.warnings.append(group.find(f"{SVG}text").text)
            elif title is not None:
                name, text = re.fullmatch(r"(.*): (\d+ samples?, .*)", title.text, re.S).groups()
                self.boxes.append(Box(name, text, float(rect.get("x")), float(rect.get("y")), float(rect.get("width")), rect.get("fill"),
                                      group.get("class")))

    def rows(self):
        return sorted({box.y for box in self.boxes})


def percent(box):
    return float(re.search(r"([0-9.]+)%", box.text)[1])


def samples(box):
    return int(re.match(r"\d+", box.text)[0])


def totals(*words):
    """Samples by command, of report."""
    told = json.loads(report("--json", "-s", "comm", "-g", "none", "--no-children", *words).out)
    return {row["keys"]["comm"]: row["self"]["samples"] for table in told["tables"][:1] for row in table["rows"]}


def record(name, *more):
    made = tap.run(tap.TSTREAM, "record", "-q", "-F", "999", "-e", "cpu-clock:u" if os.geteuid() else "cpu-clock", "-g", "-o", tap.path(name), *more)
    assert made.status == 0, made.err
    return tap.path(name)


def check_recorded(cap):
    picture = Picture(cap)
    rows, wanted = picture.rows(), totals("-i", cap)
    ground = [box for box in picture.boxes if box.y == rows[-1]]
    tap.ok(picture.run.status == 0 and {box.name: samples(box) for box in ground} == wanted, "commands stand at the base, with the samples of report",
           f"{ground} {wanted} {picture.run.err}")
    tap.ok(all(box.kind == "command" for box in ground) and {"user", "kernel" if not os.geteuid() else "user"} <= {box.kind for box in picture.boxes},
           "boxes have the classes of their kinds")
    whole = sum(map(percent, ground))
    tap.ok(abs(whole - 100) < 0.1 and abs(sum(box.width for box in ground) - WIDTH) < 3, "they fill the width", f"{whole}")
    wrong = [box for box in picture.boxes if abs(box.width - WIDTH * percent(box) / 100) > 0.7]
    tap.ok(not wrong, "a box is as wide as its share", f"{wrong[:3]}")
    folded = tap.run(tap.TSTREAM, "export", "--format=folded", "-o", "-", cap).out
    through = collections.Counter()
    for line in folded.splitlines():
        for name in set(line.rpartition(" ")[0].split(";")):
            through[name] += int(line.rpartition(" ")[2])
    name = max((box for box in picture.boxes if box.kind != "command"), key=samples).name.split(" (")[0]
    shown = sum(samples(box) for box in picture.boxes if box.name.split(" (")[0] == name and
                not any(other.name.split(" (")[0] == name and other.x <= box.x and box.x + box.width <= other.x + other.width + 1 and other.y > box.y
                        for other in picture.boxes))
    tap.ok(0.98 * through[name] <= shown <= through[name] and shown > 10, f"all boxes of {name} together have its samples, but for the narrowest",
           f"{shown} {through[name]}")
    tap.ok("os.stat('/')" in picture.title and picture.texts[0][:20] == picture.title[:20] and f"{sum(wanted.values())} samples in " in picture.texts[1], "head: the command line, event and samples",
           f"{picture.texts[:2]}")
    ice = Picture("--icicle", cap)
    tap.ok([box.name for box in ice.boxes if box.y == ice.rows()[0]] == [box.name for box in ground], "--icicle: commands are on top")
    leaves = Picture("-G", cap)
    top = [box for box in leaves.boxes if box.y == leaves.rows()[-1]]
    tap.ok(top and not any(box.kind == "command" for box in top), "-G: the sampled functions stand at the base")
    part = Picture("--time", "0%-50%", cap)
    tap.ok(sum(samples(box) for box in part.boxes if box.kind == "command") == sum(totals("-i", cap, "--time", "0%-50%").values()) and
           "Selected: time 0%-50%" in part.texts[1], "a selection is drawn, and said", f"{part.texts[:2]}")
    tap.ok(not re.search(r"<script|href|url\(|on\w+=", picture.run.out), "there is no script and no link in it")


def check_comparison(cap, other):
    picture = Picture("--diff", other, cap)
    ground = [box for box in picture.boxes if box.y == picture.rows()[-1]]
    old = totals("-i", other)
    shown = {box.name: int(re.search(r"before: (\d+)", box.text)[1]) for box in ground}
    tap.ok(picture.run.status == 0 and {k: v for k, v in shown.items() if v} == old, "--diff: samples of the older capture are those of its report",
           f"{shown} {old} {picture.run.err}")
    new = totals("-i", cap)
    tap.ok({box.name: samples(box) for box in ground if samples(box)} == new, "and those of the newer one", f"{ground} {new}")
    signs = {box.name: float(re.search(r"\(([-+0-9.]+)\)$", box.text)[1]) for box in ground}
    tap.ok(abs(sum(signs.values())) < 0.1, "changes of shares add up to nothing", f"{signs}")
    red = {box.name: int(box.fill[1:3], 16) - int(box.fill[5:7], 16) for box in ground}
    tap.ok(all(red[name] > 0 if signs[name] > 0 else red[name] < 0 for name in signs if abs(signs[name]) > 1), "more is orange, less is blue", f"{red} {signs}")
    same = Picture("--diff", cap, cap.rstrip("/") + "/data")
    tap.ok(all("(+0.00)" in box.text and box.fill == "#e6e6e6" for box in same.boxes) and same.boxes, "a capture and itself: no change", f"{same.run.err}")


def write(name, events, records):
    with open(tap.path(name), "wb") as f:
        f.write(d.file(events, records, d.usual_features(events)))
    return tap.path(name)


def check_events():
    """Two captures of which each has an event of its own; one without samples; one that perf never ended."""
    one, two, none = (d.Event(d.USUAL, name=name) for name in ("cycles", "faults", "cycles"))
    first, second = write("first", [one], one.comm() + one.mmap() + one.sample(MAPPED, 1000) * 3), write("second", [two], two.sample(MAPPED, 1001) * 2)
    empty = write("empty", [none], none.comm())
    for event, nr in (("cycles", 3), ("faults", 2)):
        picture = Picture("-e", event, first, second)
        tap.ok(sum(samples(box) for box in picture.boxes if box.kind == "command") == nr and f"{nr} samples of {first} and {second}" in picture.texts[1],
               f"several captures, -e {event}: its samples", f"{picture.texts[:2]} {picture.run.err}")
    picture = Picture(empty, second)
    tap.ok(picture.run.status == 0 and picture.boxes, "the first has no samples: the event of the second is drawn", picture.run.err)
    for old, new in ((empty, first), (first, empty)):
        picture = Picture("--diff", old, new)
        whole = sum(box.width for box in picture.boxes if box.y == picture.rows()[-1])
        tap.ok(picture.run.status == 0 and abs(whole - WIDTH) < 2 and any("has no samples here" in line for line in picture.warnings),
               "a comparison of which one side is empty fills the width, and says so", f"{whole} {picture.warnings}")
    refused = Picture("--diff", second, first).run
    tap.ok(refused.status == 1 and f"cannot compare with {second}" in refused.err and "no such event" in refused.err, "an older one without the event",
           refused.err)
    with open(first, "r+b") as f:
        f.seek(48)
        f.write(bytes(8))  # the size of the data
    picture = Picture(first)
    tap.ok(any("perf has not ended it" in line for line in picture.warnings), "a capture that perf has not ended: a warning", f"{picture.warnings}")
    huge = write("huge", [one], one.comm() + one.mmap() + one.sample(MAPPED, 1, period=1 << 63) + one.sample(MAPPED + 999, 2, period=(1 << 63) + 1))
    picture = Picture(huge)
    tap.ok(picture.boxes and all(0 <= box.width <= WIDTH and 0 <= percent(box) <= 100 for box in picture.boxes), "periods too large to add up",
           f"{picture.boxes}")


def check_names():
    event = d.Event(d.USUAL | d.CALLCHAIN)
    path = tap.path("names")
    comms = ["</title>", "a&b\"'", "\x1b[31m", "ümlaut", "<script>"]
    records = b"".join(event.comm(pid=i + 1, name=name) + event.mmap(pid=i + 1) + event.sample(MAPPED + 8, 1000 + i, pid=i + 1, chain=[USER, MAPPED + 8])
                       for i, name in enumerate(comms)) + event.sample(MAPPED, 2000, pid=9, chain=[USER] + [MAPPED + 16 * i for i in range(500)])
    with open(path, "wb") as f:
        f.write(d.file([event], records, d.usual_features([event])))
    picture = Picture("--max-stack", "600", path)
    names = {box.name for box in picture.boxes if box.kind == "command"}
    tap.ok({"</title>", "a&b\"'", "?[31m", "ümlaut", "<script>"} <= names, "names are text", f"{names} {picture.run.err}")
    tap.ok(len(picture.rows()) == 2 and any(box.name == "[unknown] (500 frames)" for box in picture.boxes), "500 unknown frames are one row", f"{picture.rows()}")
    picture = Picture("--max-stack", "600", towers("deep", [0], 499))
    tap.ok(len(picture.rows()) == 501, "a stack of 500 functions has as many rows", f"{len(picture.rows())}")
    one = tap.path("one")
    with open(one, "wb") as f:
        f.write(d.file([event], event.sample(MAPPED, 1, chain=[USER, MAPPED]), d.usual_features([event])))
    picture = Picture(one)
    tap.ok(picture.run.status == 0 and [samples(box) for box in picture.boxes] == [1, 1] and picture.boxes[0].width > 1170, "one sample is a picture",
           f"{picture.boxes}")


PROGRAM = perf_file.Program(tap.path("prog.so"), [f"f{i}" for i in range(499)] + ["leaf"])


def towers(name, heights, nr_functions=1):
    """The path of a capture with a sample for each number of unknown callers of the last function; the first ones call them."""
    capture = perf_file.PerfFile()
    capture.thread(7, 7, "name")
    capture.map(7, PROGRAM)
    for height in heights:
        callers = [PROGRAM.at(f"f{i}") for i in reversed(range(nr_functions))]
        capture.sample(7, 7, 1000, [PROGRAM.at("leaf"), *[0x7000 + i for i in range(height)], *callers])
    capture.write(tap.path(name))
    return tap.path(name)


def check_unknown():
    """Unknown frames that follow each other are one box, in comparisons, too, and upside down."""
    new, old = towers("new", [2, 60, 7, 0]), towers("old", [23, 0])
    for words in ([], ["-G"], ["--icicle"]):
        picture = Picture(*words, new)
        found = {(box.name, samples(box)) for box in picture.boxes if box.kind == "unknown"}
        tap.ok(found == {("[unknown] (2 to 60 frames)", 3)} and picture.run.out.count(">[unknown] (2 to 60 frames)</text>") == 1,
               f"{' '.join(words)}: unknown frames of several lengths are one box", f"{found} {picture.run.err}")
    picture = Picture("--diff", old, new)
    tap.ok(any(box.name == "[unknown] (2 to 60 frames)" and "3 samples, 75.00%; before: 1, 50.00%" in box.text for box in picture.boxes),
           "those of both captures, in a comparison", f"{picture.boxes}")
    names = [box.name for box in Picture(old).boxes]
    tap.ok("[unknown] (23 frames)" in names and not any("(1 " in name for name in names), "of one length: how many", names)


def check_lost(cap):
    """A stream that is cut short."""
    torn = tap.path("torn")
    tap.run("cp", "-r", cap, torn)
    stream = max((os.path.join(torn, name) for name in os.listdir(torn) if name.startswith("data.")), key=os.path.getsize)
    os.truncate(stream, os.path.getsize(stream) // 2)
    picture = Picture(torn)
    tap.ok(picture.run.status == 1 and any("Damaged" in line for line in picture.warnings), "damage is in the picture, and the status is 1",
           f"{picture.run.status} {picture.warnings}")
    tap.ok(not Picture(cap).warnings, "a sound capture has no warning")


def check_refusals(cap):
    out = tap.path("cap.svg")
    made = report("--svg", cap)
    tap.ok(made.status == 0 and os.path.getsize(out) > 1000 and not made.out and "a browser opens it" in made.err, "without a name it is CAPTURE.svg",
           made.out + made.err)
    notes = tap.path("notes")
    with open(notes, "w", encoding="utf-8") as f:
        f.write("notes")
    for words, status, said in (([f"--svg={notes}"], 1, "--force"), (["--svg=" + tap.path("x.svg"), "--comm", "nobody"], 1, "no command is called"),
                                (["--svg=" + tap.path("x.svg"), "-e", "none"], 1, "no such event"), (["--icicle"], 2, "give --svg"), (["-e", "cycles"], 2, "give --svg"),
                                (["--diff", cap], 2, "give --svg"), (["--svg", "--stats"], 2, "at once"), (["--svg", "--json"], 2, "as JSON"),
                                (["--svg", "--follow"], 2, "only rows are followed"), (["--svg", "-s", "dso"], 2, "cannot draw with --sort"),
                                (["--svg", "-x"], 2, "cannot draw with --exclude-other"), (["--svg", "--header"], 2, "cannot draw with --header"),
                                (["--svg", "-g"], 2, "cannot draw with --call-graph"), ([f"--svg={cap}"], 1, "directory")):
        result = report(*words, "-i", cap)
        tap.ok(result.status == status and said in result.err and not os.path.exists(tap.path("x.svg")) and not os.path.exists(tap.path("x.svg.new")),
               f"{' '.join(words).replace(tap.scratch, '')}: a sentence", f"{result.status} {result.err}")
    many = report("--svg=-", "--diff", cap, *[f"{tap.scratch}/{i}" for i in range(256)])
    tap.ok(many.status == 2 and "cannot compare several captures" in many.err, "256 captures and an older one", many.err)
    gone = report("--svg=-", "--diff", tap.path("gone"), "-i", cap)
    tap.ok(gone.status == 1 and "gone" in gone.err, "an older capture that is not there", gone.err)
    tap.ok(report(f"--svg={notes}", "-f", cap).status == 0 and os.path.getsize(notes) > 1000, "--force replaces a file")


cap, other = record("cap", "--", *CALLS), record("other", "--", *CALLS[:2], "[str(i) for i in range(900000)]")
check_recorded(cap)
check_comparison(cap, other)
check_events()
check_names()
check_unknown()
check_lost(cap)
check_refusals(cap)
tap.done()
