# SPDX-License-Identifier: Apache-2.0
"""Reads profiles of OTLP: opentelemetry/proto/profiles/v1development/profiles.proto 1.11.0, the fields that tstream writes.

    p = otlp_file.Profiles(bytes)
    p.profiles      .host .about .type: (name, unit) .period_type .period .start .duration .samples
    a sample        .stack: frames from the outermost one, (name, path, build-id, type) .attributes: {key: value} .values .times

What the text of the format demands of a file fails here: empty first entries, entries that are there twice or that nothing needs,
indices without an entry, samples of different shapes, times outside of their profile.
"""
import subprocess
import types

from protobuf_fields import first, fixed, message, packed, signed, text
import tap

MAPPINGS, LOCATIONS, FUNCTIONS, LINKS, STRINGS, ATTRIBUTES, STACKS = range(1, 8)


def is_built():
    """Whether this tstream can write the format."""
    return "built without" not in tap.run(tap.TSTREAM, "export", "--format=otlp-development", "-o", "-", "/none").err


def export(*words):
    """(status, profiles or None, bytes, stderr) of an export to standard output."""
    result = subprocess.run([tap.TSTREAM, "export", "--format=otlp-development", "-o", "-", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, timeout=120, check=False)
    return result.returncode, Profiles(result.stdout) if result.stdout else None, result.stdout, result.stderr.decode(errors="replace")


def numbers(values):
    return [number for data in values for number in (packed(data) if isinstance(data, bytes) else [data])]


def any_value(data):
    found = message(data)
    if found[5]:
        return [any_value(one) for one in message(found[5][0])[1]]
    return text(found, 1) if found[1] else signed(first(found, 3))


class Profiles:
    def __init__(self, data):
        top = message(data)
        if set(top) - {1, 2} or not top[1]:
            raise ValueError("no profiles, or other fields")
        self._tables = message(b"".join(top[2]))  # its parts are one message
        self._needed = {number: {0} for number in range(1, 8)}
        self._read_tables()
        self.profiles = [self._resource(message(one)) for one in top[1]]
        for number, needed in self._needed.items():
            if len(needed) != len(self._tables[number]):
                raise ValueError(f"table {number} has {len(self._tables[number])} entries, and {len(needed)} are needed")

    def _read_tables(self):
        for number in range(1, 8):
            entries = self._tables[number]
            if not entries or entries[0] or len(set(entries)) != len(entries):
                raise ValueError(f"table {number} does not begin with an empty entry, or has one twice: {entries[:3]}")
        self.strings = [one.decode("utf-8") for one in self._tables[STRINGS]]
        self._tables[ATTRIBUTES][1:] = [self._attribute(message(one)) for one in self._tables[ATTRIBUTES][1:]]
        for number, read in ((MAPPINGS, self._mapping), (FUNCTIONS, self._function), (LOCATIONS, self._location), (STACKS, self._stack)):
            self._tables[number][1:] = [read(message(one)) for one in self._tables[number][1:]]

    def _get(self, table, index):
        self._needed[table].add(index)
        return self.strings[index] if table == STRINGS else self._tables[table][index]

    def _attribute(self, found):
        return self._get(STRINGS, first(found, 1)), any_value(found[2][0])

    def _attributes(self, values):
        pairs = [self._get(ATTRIBUTES, index) for index in numbers(values)]
        if len(dict(pairs)) != len(pairs):
            raise ValueError(f"a key twice: {pairs}")
        return dict(pairs)

    def _mapping(self, found):
        return self._get(STRINGS, first(found, 4)), self._attributes(found[5]).get("process.executable.build_id.gnu", "")

    def _function(self, found):
        return self._get(STRINGS, first(found, 1))

    def _location(self, found):
        """Its frames, the outermost one first."""
        path, build_id = self._get(MAPPINGS, first(found, 1)) or ("", "")
        kind = self._attributes(found[4]).get("profile.frame.type", "")
        names = [self._get(FUNCTIONS, first(message(line), 1)) for line in found[3]]
        return [(name, path, build_id, kind) for name in reversed(names)]

    def _stack(self, found):
        return tuple(frame for index in reversed(numbers(found[1])) for frame in self._get(LOCATIONS, index))

    def _type(self, found, number):
        kind = message(found[number][0]) if found[number] else {1: [0], 2: [0]}
        return self._get(STRINGS, first(kind, 1)), self._get(STRINGS, first(kind, 2))

    def _resource(self, found):
        resource, scopes = message(found[1][0]), [message(one) for one in found[2]]
        attributes = {text(one, 1): any_value(one[2][0]) for one in map(message, resource[1])}
        scope, profiles = message(scopes[0][1][0]), [message(one) for one in scopes[0][2]]
        if len(scopes) != 1 or len(profiles) != 1 or text(scope, 1) != "tstream":
            raise ValueError("other than one scope of tstream with one profile")
        about = {text(one, 1): any_value(one[2][0]) for one in map(message, scope[3])}
        return self._profile(profiles[0], attributes.get("host.name", ""), about["tstream.about"])

    def _profile(self, found, host, about):
        profile = types.SimpleNamespace(host=host, about=about, type=self._type(found, 1), period_type=self._type(found, 5), period=first(found, 6),
                                        start=first(found, 3), duration=first(found, 4), samples=[])
        profile.samples = [self._sample(message(one), profile) for one in found[2]]
        if len({(bool(s.values), bool(s.times)) for s in profile.samples}) != 1:
            raise ValueError("samples of different shapes, or none")
        return profile

    def _sample(self, found, profile):
        values, times = numbers(found[4]), [time for data in found[5] for time in fixed(data)]
        if not values or len(values) != (len(times) or 1) or times != sorted(times):
            raise ValueError(f"{len(values)} values, {len(times)} times")
        if any(not profile.start <= time < profile.start + profile.duration for time in times):
            raise ValueError("a time outside of the profile")
        return types.SimpleNamespace(stack=self._get(STACKS, first(found, 1)), attributes=self._attributes(found[2]), values=values, times=times)
