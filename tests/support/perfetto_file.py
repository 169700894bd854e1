# SPDX-License-Identifier: Apache-2.0
"""Reads a Perfetto trace: protos/perfetto/trace of github.com/google/perfetto, the fields that tstream writes.

    t = perfetto_file.Trace(bytes)
    t.samples       .sequence .time .cpu .pid .tid .mode .count .stack: frames from the outermost one, (name, path, kind, build-id)
    t.processes     {pid: name}
    t.threads       {(pid, tid): name}
    t.slices        (name of the track, name, begin, end, {argument: value})
    t.lost          {sequence: records}
    t.clocks        {number of a clock: its time}, at one moment; t.clock: that of the trace
    t.timebases     {sequence: .name .counter .period .frequency}

A number that leads nowhere, one that is given twice, a frame without a mapping, and a packet without its sequence fail here.
"""
import collections
import subprocess
import types

from protobuf_fields import fields, first, message, packed, text
import tap

BEGINS, NEEDS = 1, 2  # sequence_flags
CLOCK_SNAPSHOT, TIMESTAMP, SEQUENCE, TRACK_EVENT, INTERNED, FLAGS, DEFAULTS, TRACK, SAMPLE = 6, 8, 10, 11, 12, 13, 59, 60, 66
NAMES, FRAMES, STACKS, BUILD_IDS, PATHS, MAPPINGS = 5, 6, 7, 16, 17, 19
KINDS = {0: "", 1: "native", 2: "kernel", 4: "JIT"}
MODES = {0: "", 1: "kernel", 2: "user"}


def is_built():
    """Whether this tstream can write the format."""
    return "built without" not in tap.run(tap.TSTREAM, "export", "--format=perfetto", "-o", "-", "/none").err


def export(*words):
    """(status, trace or None, bytes, stderr) of an export to standard output."""
    result = subprocess.run([tap.TSTREAM, "export", "--format=perfetto", "-o", "-", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, timeout=120, check=False)
    return result.returncode, Trace(result.stdout) if result.stdout else None, result.stdout, result.stderr.decode(errors="replace")


def argument(data):
    """(name, value) of a debug annotation: a number, a text, or a list."""
    found = message(data)
    if found[12]:
        return text(found, 10), [argument(one)[1] for one in found[12]]
    return text(found, 10), text(found, 6) if found[6] else first(found, 3)


class Sequence:
    """Its interned data and defaults."""

    def __init__(self):
        self.tables = {number: {} for number in (NAMES, FRAMES, STACKS, BUILD_IDS, PATHS, MAPPINGS)}
        self.clock = None

    def take(self, data):
        for number, value in fields(data):
            found = message(value)
            iid = first(found, 1)
            if not iid or iid in self.tables[number]:
                raise ValueError(f"number {iid} of field {number} is 0 or there twice")
            self.tables[number][iid] = getattr(self, f"_take_{number}")(found)

    def _get(self, number, iid):
        return self.tables[number][iid] if iid else None

    @staticmethod
    def _bytes(found):
        return found[2][0]

    _take_16 = _bytes

    @staticmethod
    def _take_5(found):
        return found[2][0].decode()

    _take_17 = _take_5

    def _take_19(self, found):
        return "/".join(["", *(self._get(PATHS, one) for one in found[7])]), self._get(BUILD_IDS, first(found, 2)) or b""

    def _take_6(self, found):
        path, build_id = self.tables[MAPPINGS][first(found, 3)]
        if not found[4]:
            raise ValueError("a frame without rel_pc")
        if found[7] and found[8]:
            raise ValueError("a frame of two kinds")
        return self._get(NAMES, first(found, 2)), path, text(found, 8) or KINDS[first(found, 7)], build_id

    def _take_7(self, found):
        frames = [number for number in found[2] if isinstance(number, int)] + [n for ids in found[2] if isinstance(ids, bytes) for n in packed(ids)]
        return tuple(self._get(FRAMES, number) for number in frames)


class Trace:
    def __init__(self, data):
        self.samples, self.processes, self.threads, self.slices, self.lost = [], {}, {}, [], collections.Counter()
        self.clocks, self.clock, self.timebases, self.nr_packets = {}, None, {}, 0
        self._sequences, self._tracks, self._open = {}, {}, {}
        for number, packet in fields(data):
            if number != 1:
                raise ValueError(f"field {number} of a trace")
            self._take(message(packet))
            self.nr_packets += 1
        if self._open or {pid for pid, _ in self.threads} != set(self.processes):
            raise ValueError("slices without an end, or threads without a process")

    def _take(self, found):
        number, flags = first(found, SEQUENCE), first(found, FLAGS)
        if not number or not flags:
            raise ValueError("a packet of no sequence")
        if flags & BEGINS:
            if number in self._sequences and self._sequences[number].clock:
                raise ValueError("a sequence that begins twice")
            self._sequences[number] = Sequence()
        elif number not in self._sequences:
            raise ValueError("a sequence that does not begin")
        sequence = self._sequences[number]
        for kind, take in ((CLOCK_SNAPSHOT, self._take_clocks), (DEFAULTS, self._take_defaults), (TRACK, self._take_track),
                           (TRACK_EVENT, self._take_event), (SAMPLE, self._take_sample)):
            for one in found[kind]:
                take(message(one), sequence, number, found)
        for one in found[INTERNED]:
            sequence.take(one)

    def _take_clocks(self, found, *_):
        for clock in map(message, found[1]):
            self.clocks[first(clock, 1)] = first(clock, 2)
        self.clock = first(found, 2)

    def _take_defaults(self, found, sequence, number, _):
        sequence.clock = first(found, 58)
        timebase = message(first(message(first(found, 12)), 1))
        self.timebases[number] = types.SimpleNamespace(name=text(timebase, 10), counter=first(timebase, 4), period=first(timebase, 1),
                                                       frequency=first(timebase, 2))

    def _take_track(self, found, *_):
        uuid = first(found, 1)
        if not uuid or uuid in self._tracks:
            raise ValueError(f"track {uuid} is 0 or there twice")
        self._tracks[uuid] = text(found, 2)
        for process in map(message, found[3]):
            if first(process, 1) in self.processes:
                raise ValueError("a process that has two names")
            self.processes[first(process, 1)] = text(process, 6)
        for thread in map(message, found[4]):
            task = first(thread, 1), first(thread, 2)
            if task in self.threads:
                raise ValueError(f"thread {task} is there twice")
            self.threads[task] = text(thread, 5)

    def _time(self, sequence, packet):
        if sequence.clock != self.clock or not packet[TIMESTAMP]:
            raise ValueError("a packet without a time of the trace's clock")
        return packet[TIMESTAMP][0]

    def _take_event(self, found, sequence, _, packet):
        uuid, time = first(found, 11), self._time(sequence, packet)
        if first(found, 9) == 1:
            self._open[uuid] = self._tracks[uuid], text(found, 23), time, dict(map(argument, found[4]))
        else:
            track, name, begin, arguments = self._open.pop(uuid)
            self.slices.append((track, name, begin, time, arguments))

    def _take_sample(self, found, sequence, number, packet):
        time = self._time(sequence, packet)
        if found[17]:
            self.lost[number] += found[17][0]
            return
        self.samples.append(types.SimpleNamespace(
            sequence=number, time=time, cpu=found[1][0] if found[1] else None, pid=first(found, 2), tid=first(found, 3),
            mode=MODES[first(found, 5)], count=first(found, 6), stack=sequence.tables[STACKS][first(found, 4)]))

    def periods(self):
        """The period of each sample: by how much the counter of its CPU has grown. Samples of a CPU are in the order of time."""
        before, found = collections.Counter(), []
        for sample in self.samples:
            found.append(sample.count - before[sample.sequence, sample.cpu])
            before[sample.sequence, sample.cpu] = sample.count
        return found
