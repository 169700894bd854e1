# SPDX-License-Identifier: Apache-2.0
"""A profile for the Firefox profiler, taken apart: threads with their samples as (time in ns, stack, weight)."""
import decimal
import gzip
import json

import tap


def is_built():
    """Whether this tstream can write the format."""
    return "built without" not in tap.run(tap.TSTREAM, "export", "--format=firefox", "-o", "-", "/none").err


class Thread:
    def __init__(self, profile, thread):
        self.name, self.process, self.pid, self.tid, self.is_main = (thread[key] for key in ("name", "processName", "pid", "tid", "isMainThread"))
        self.markers, self.samples = thread["markers"], []
        table, time_ms = thread["samples"], decimal.Decimal(0)
        weights = table["weight"] or [1] * table["length"]
        for stack, delta, weight in zip(table["stack"], table["timeDeltas"], weights, strict=True):
            time_ms += delta
            self.samples.append((int(time_ms * 1000000), profile.stack(stack), weight))
        self.weight_type, self.cpu_ns = table["weightType"], table.get("threadCPUDelta")
        assert len(self.samples) == table["length"]


class Profile:
    """Every index is followed, so one that leads nowhere fails here."""

    def __init__(self, path):
        with gzip.open(path) as f:
            self.json = json.load(f, parse_float=decimal.Decimal)
        self.meta, self.shared, self.libs = self.json["meta"], self.json["shared"], self.json["libs"]
        self.strings, self.stacks = self.shared["stringArray"], {}
        for name in ("stackTable", "frameTable", "funcTable", "resourceTable", "nativeSymbols", "sources"):
            table = self.shared[name]
            assert all(len(column) == table["length"] for key, column in table.items() if key != "length"), name
        self.threads = [Thread(self, thread) for thread in self.json["threads"]]

    def frame(self, number):
        """(function, object, category)"""
        frames, funcs = self.shared["frameTable"], self.shared["funcTable"]
        func = frames["func"][number]
        resource = funcs["resource"][func]
        lib = self.libs[self.shared["resourceTable"]["lib"][resource]]["path"] if resource >= 0 else ""
        return self.strings[funcs["name"][func]], lib, self.meta["categories"][frames["category"][number]]["name"]

    def stack(self, number):
        """Frames from the outermost one."""
        if number not in self.stacks:
            prefix = self.shared["stackTable"]["prefix"][number]
            assert prefix is None or prefix < number, "a prefix stands before its stacks"
            before = self.stack(prefix) if prefix is not None else ()
            self.stacks[number] = (*before, self.frame(self.shared["stackTable"]["frame"][number]))
        return self.stacks[number]

    def samples(self):
        return [sample for thread in self.threads for sample in thread.samples]
