# SPDX-License-Identifier: Apache-2.0
"""Reads what `report --html` writes: meta, columns, tree, and what follows from them.

Only the page itself is read, by rules of its own, so that it can be compared with what the report says."""
import base64
import collections
import hashlib
import html.parser
import json
import zlib

import tap


class Elements(html.parser.HTMLParser):
    """The elements of the page: (tag, attributes, text) of each script, style and title; the markup of noscript."""

    RAW = "script", "style", "title"

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.found, self.tags, self.open = [], [], None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag in self.RAW and not self.is_in_picture():
            self.open = [tag, dict(attrs), ""]

    def is_in_picture(self):
        return self.open is not None

    def handle_data(self, data):
        if self.open:
            self.open[2] += data

    def handle_endtag(self, tag):
        if self.open and tag == self.open[0]:
            self.found.append(tuple(self.open))
            self.open = None


def is_built():
    """Whether this tstream can write a page."""
    return "built without" not in tap.run(tap.TSTREAM, "report", "--html=-", "-i", "/none").err


def hash_of(text):
    """As a policy names it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def varints(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7f) << shift
        shift += 7
        if not byte & 0x80:
            yield value
            value = shift = 0


class Page:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        self.text = self.bytes.decode("utf-8")
        self.elements = Elements(self.text)
        self.data, self.scripts, self.styles, self.meta, self.title = {}, [], [], None, None
        for tag, attributes, text in self.elements.found:
            kind = attributes.get("type")
            if tag == "script" and kind == "application/json":
                self.meta = json.loads(text)
            elif tag == "script" and kind == "application/octet-stream":
                self.data[attributes["id"]] = zlib.decompress(base64.b64decode(text, validate=True))
            elif tag == "script":
                self.scripts.append(text)
            elif tag == "style":
                self.styles.append(text)
            elif self.title is None:
                self.title = text
        self.read_tree()
        self.read_rows()

    def column(self, name, planes, nr):
        """The numbers of a column that is cut into planes of bytes."""
        numbers = [0] * nr
        for plane in range(planes):
            data = self.data[f"{name}.{plane}"]
            assert len(data) == nr, (name, plane, len(data), nr)
            numbers = [number | byte << 8 * plane for number, byte in zip(numbers, data)]
        assert f"{name}.{planes}" not in self.data
        return numbers

    def lines(self, name):
        text = self.data[name].decode("utf-8")
        assert not text or text.endswith("\n")
        return text.split("\n")[:-1]

    def read_tree(self):
        meta = self.meta
        self.names, self.objects, kinds = self.lines("look.name"), self.lines("object.name"), self.data["look.kind"]
        objects = self.column("look.object", meta["planes"]["object"], meta["looks"])
        assert len(self.names) == len(kinds) == meta["looks"] and self.objects[0] == ""
        self.looks = [(name, self.objects[number], meta["kinds"][kind]["name"]) for name, number, kind in zip(self.names, objects, kinds)]
        self.look_of = self.column("tree.look", meta["planes"]["look"], meta["nodes"])
        texts = self.lines("run.text")
        self.run_of = [texts[number] for number in self.column("tree.run", meta["planes"]["run"], meta["nodes"])]
        up = list(varints(self.data["tree.parent"]))
        assert len(up) == meta["nodes"]
        self.parent = [node - more if more else None for node, more in enumerate(up)]
        assert all(parent is None or 0 <= parent < node for node, parent in enumerate(self.parent))
        self.node_of, node = [], 0
        for number, more in enumerate(varints(self.data["stack.node"])):
            assert more or not number, "each node once"
            node += more
            self.node_of.append(node)
        assert len(self.node_of) == meta["stacks"]

    def read_rows(self):
        """(thread, time in ns, stack, cpu, event, period, samples) of each row. cpu None: unknown."""
        meta, columns, nr = self.meta, self.meta["columns"], self.meta["rows"]
        raw = {name: self.column(f"row.{name}", columns[name], nr) for name in columns}
        assert sum(meta["threads"]["rows"]) == nr
        self.rows, at = [], 0
        for thread, rows in enumerate(meta["threads"]["rows"]):
            time = 0
            for row in range(at, at + rows):
                time += raw["time"][row]
                event, count = raw["event"][row], raw["count"][row] + 1
                one = meta["events"][event]["one_period"]
                period = raw["period"][row] if columns["period"] else one * count
                self.rows.append((thread, time * meta["time_unit_ns"], raw["stack"][row], raw["cpu"][row] - 1 if raw["cpu"][row] else None,
                                  event, period, count))
            at += rows

    def path(self, stack):
        """Numbers of looks, the command first."""
        looks, node = [], self.node_of[stack]
        while node is not None:
            looks.append(self.look_of[node])
            node = self.parent[node]
        return looks[::-1]

    def event(self, name):
        return [event["name"] for event in self.meta["events"]].index(name)

    def sums(self, key, wanted=lambda row: True):
        """{key(row): [samples, period]} of the rows that are wanted."""
        found = collections.defaultdict(lambda: [0, 0])
        for row in self.rows:
            if wanted(row):
                sums = found[key(row)]
                sums[0] += row[6]
                sums[1] += row[5]
        return dict(found)
