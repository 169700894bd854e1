# SPDX-License-Identifier: Apache-2.0
"""A Chrome trace taken apart, and the slices that one must have, made of the samples of the Firefox format."""
import collections
import decimal
import gzip
import json
import re
import types

import firefox_file
import tap

CAPTURE = 1 << 22  # numbers of tasks of the next capture are so much higher
OWN = 256 * CAPTURE  # the process with words and losses
KINDS = {"User": "user", "Kernel": "kernel", "Inlined": "inlined", "JIT": "JIT", "Unknown": "unknown", "Thread": "thread"}

GAP = decimal.Decimal("0.125")  # of microseconds: every slice ends so much before the time that it stands for
Slice = collections.namedtuple("Slice", "tid depth name kind from_us until_us")


class Trace:
    def __init__(self, path):
        with gzip.open(path) as f:
            self.json = json.load(f, parse_float=decimal.Decimal)
        self.events = self.json["traceEvents"]
        self.labels = {(e["name"], e["pid"], e["tid"]): e["args"].get("name", e["args"].get("sort_index")) for e in self.events if e["ph"] == "M"}
        self.about = next(e["args"]["about"] for e in self.events if e["ph"] == "i")
        self.losses = [e for e in self.events if e["ph"] == "X" and e["pid"] == OWN]
        self.slices = self._nested()

    def names(self, kind):
        """The labels process_name or thread_name of the captures, by number."""
        return {number: name for (label, pid, tid), name in self.labels.items() for number in [pid if kind == "process_name" else tid]
                if label == kind and pid < OWN}

    def _nested(self):
        """Every slice; one that begins with others stands behind those that it is in."""
        found, open_of = collections.Counter(), collections.defaultdict(list)
        for e in sorted((e for e in self.events if e["ph"] == "X" and e["pid"] < OWN), key=lambda e: e["ts"]):
            stack, until = open_of[e["pid"], e["tid"]], e["ts"] + e["dur"] + GAP
            while stack and stack[-1] <= e["ts"]:
                stack.pop()
            assert e["dur"] > 0 and until == int(until) and (not stack or until <= stack[-1]), f"{e} does not nest"
            found[Slice(e["tid"], len(stack), e["name"], e["cat"], e["ts"], int(until))] += 1
            stack.append(until)
        return found

    def total_us(self, name=None, tid=None):
        """The time of a function, or of all, in a thread, or in all: slices within one of the same name do not count again."""
        total, until = 0, collections.Counter()
        for s in sorted(self.slices, key=lambda s: (s.from_us, s.depth)):
            if name in (None, s.name) and tid in (None, s.tid) and s.from_us >= until[s.tid]:
                until[s.tid] = s.until_us
                total += s.until_us - s.from_us
        return total


def _widths(thread, usual_ns, most_ns):
    """(time, width, whether it begins where the sample before is) of each sample."""
    times = [time for time, _, _ in thread.samples]
    periods = [int(ns) for ns in thread.cpu_ns] if thread.cpu_ns else [0] * len(times)
    for before, time, period in zip([None, *times], times, periods):
        width = min(max(period or usual_ns, 1000), most_ns)
        yield time, width, before is not None and 4 * (time - before) <= 5 * width + 3


def _slices_of(thread, widths, lead_us):
    """Forwards, in contrast to the program."""
    opened, before_us, before_tid, tid_of = [], 0, None, list(getattr(thread, "tids", ()))
    for (time, width, is_near), (_, stack, _) in zip(widths, thread.samples):
        frames = [(name, KINDS[kind]) for name, _, kind in stack]
        from_us = before_us if is_near else lead_us + time // 1000 - width // 1000
        shared, tid = 0, tid_of.pop(0) if tid_of else None
        is_same, before_tid = tid == before_tid, tid
        while is_near and is_same and shared < min(len(opened), len(frames)) and opened[shared][0] == frames[shared]:
            shared += 1
        for depth in range(shared, len(opened)):
            yield Slice(thread.tid, depth, *opened[depth][0], opened[depth][1], before_us)
        opened = opened[:shared] + [(frame, from_us) for frame in frames[shared:]]
        before_us = lead_us + time // 1000
    for depth, (frame, from_us) in enumerate(opened):
        yield Slice(thread.tid, depth, *frame, from_us, before_us)


def _cpus(threads, path, words):
    """Each CPU like a thread, whose stacks begin with the thread that ran; CPUs are those of `script`."""
    text = tap.run(tap.TSTREAM, "script", "--ns", "-F", "tid,cpu,time", *words, "-i", path).out
    said = [(int(tid), int(cpu), int(s) * 10**9 + int(ns)) for tid, cpu, s, ns in re.findall(r"(\d+) +\[(\d+)\] +(\d+)\.(\d{9}):", text)]
    first = min(time for _, _, time in said)
    cpu_of, found = {(tid, time - first): cpu for tid, cpu, time in said}, collections.defaultdict(list)
    for thread in threads:
        periods = [int(ns) for ns in thread.cpu_ns] if thread.cpu_ns else [0] * len(thread.samples)
        for (time, stack, _), period in zip(thread.samples, periods):
            found[cpu_of[thread.tid, time]].append((time, thread.tid, ((thread.name, "", "Thread"), *stack), period))
    for cpu, samples in sorted(found.items()):
        samples.sort(key=lambda s: s[0])
        yield types.SimpleNamespace(tid=cpu, samples=[(time, stack, 1) for time, _, stack, _ in samples], tids=[s[1] for s in samples],
                                    cpu_ns=[s[3] for s in samples])


def wanted(*words, usual_ns=0, by_cpu=False):
    """The slices of one capture, which is the last word. usual_ns: between samples, for events that are no clocks."""
    path = tap.path("wanted.json.gz")
    tap.run(tap.TSTREAM, "export", "--format=firefox", "-f", "-o", path, *words)
    threads = firefox_file.Profile(path).threads
    if by_cpu:
        threads = list(_cpus(threads, words[-1], words[:-1]))
    most_ns = min(max(10 ** 9, max(time for thread in threads for time, _, _ in thread.samples)), 3600 * 10 ** 9)
    widths = [list(_widths(thread, usual_ns, most_ns)) for thread in threads]
    lead_us = max(max(0, of[0][1] // 1000 - of[0][0] // 1000) for of in widths)
    return collections.Counter(s for thread, of in zip(threads, widths) for s in _slices_of(thread, of, lead_us) if s.from_us < s.until_us)
