# SPDX-License-Identifier: Apache-2.0
"""Reads a pprof profile: profile.proto of github.com/google/pprof, the fields that tstream writes.

    p = pprof_file.Profile(bytes)
    p.types                      [("samples", "count"), ("cpu", "nanoseconds")]
    p.stacks(1)                  {(comm, outermost function, ..., leaf): sum of the values of type 1}
"""
import collections
import gzip
import subprocess
import sys
import types
import zlib

from protobuf_fields import first, message, packed
import tap


def is_built():
    """Whether this tstream can write pprof's format."""
    return "built without" not in tap.run(tap.TSTREAM, "export", "--format=pprof", "-o", "-", "/none").err


class Profile:
    def __init__(self, data):
        unpacker = zlib.decompressobj(31)
        self.raw = unpacker.decompress(data)
        if not unpacker.eof or unpacker.unused_data:
            raise ValueError("not one gzip member")
        assert gzip.decompress(data) == self.raw
        top = message(self.raw)
        self.strings = [text.decode("utf-8") for text in top[6]]
        if self.strings[0]:
            raise ValueError("the first text is not empty")
        self.types = [self._type(one) for one in top[1]]
        self.default = self.strings[first(top, 14)]
        self.period, self.period_type = first(top, 12), self._type(top[11][0]) if top[11] else None
        self.time_ns, self.duration_ns = first(top, 9), first(top, 10)
        self.comments = [self.strings[number] for values in top[13] for number in packed(values)]
        self.functions = {first(f, 1): self.strings[first(f, 2)] for f in map(message, top[5])}
        self.mappings = {first(m, 1): types.SimpleNamespace(path=self.strings[first(m, 5)], build_id=self.strings[first(m, 6)],
                                                            has_functions=first(m, 7)) for m in map(message, top[3])}
        self.locations = {first(one, 1): types.SimpleNamespace(mapping=self.mappings.get(first(one, 2)),
                                                               lines=[self.functions[first(message(line), 1)] for line in one[4]])
                          for one in map(message, top[4])}
        self.samples = [self._sample(message(one)) for one in top[2]]
        if 0 in self.functions or 0 in self.mappings or 0 in self.locations:
            raise ValueError("an id is 0")

    def _type(self, data):
        found = message(data)
        return self.strings[first(found, 1)], self.strings[first(found, 2)]

    def _sample(self, found):
        labels = {self.strings[first(label, 1)]: self.strings[first(label, 2)] for label in map(message, found[3])}
        values = [value for values in found[2] for value in packed(values)]
        if len(values) != len(self.types):
            raise ValueError("a sample with another number of values")
        return types.SimpleNamespace(locations=[self.locations[number] for ids in found[1] for number in packed(ids)], values=values, labels=labels)

    def stacks(self, kind):
        found = collections.Counter()
        for sample in self.samples:
            names = [name for location in sample.locations for name in location.lines]
            found[(sample.labels["comm"], *reversed(names))] += sample.values[kind]
        return found

    def rows(self, kind):
        """{function: (self, total)}"""
        own, total = collections.Counter(), collections.Counter()
        for (_, *names), value in self.stacks(kind).items():
            own[names[-1]] += value
            for name in set(names):
                total[name] += value
        return {name: (own[name], total[name]) for name in total}


def export(*words):
    """(status, profile or None, bytes, stderr) of an export to standard output."""
    result = subprocess.run([tap.TSTREAM, "export", "--format=pprof", "-o", "-", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, timeout=120, check=False)
    return result.returncode, Profile(result.stdout) if result.stdout else None, result.stdout, result.stderr.decode(errors="replace")


if __name__ == "__main__":
    for stack, weight in Profile(sys.stdin.buffer.read()).stacks(0).items():
        print(";".join(stack), weight)
