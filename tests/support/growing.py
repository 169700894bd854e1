# SPDX-License-Identifier: Apache-2.0
"""Captures that grow in one kind of thing (forks, maps, names, events, times that run backwards), and what reading them costs.

    growing.KINDS[name](n, path)          writes a capture with n of them; growing.remove(path) removes it
    growing.compare(name, n, commands)    says whether 4 n of them cost at most six times as much as n
"""
import itertools
import json
import os
import random
import resource
import shutil
import struct
import subprocess
import types

import dialect as d
import firefox_file
import pprof_file
import tap
import xxh3

FORK, EXIT, LOST, THROTTLE, READ, ITRACE, LOST_SAMPLES, SWITCH_CPU, NAMESPACES, KSYMBOL, BPF, CGROUP, POKE = \
    7, 4, 2, 5, 8, 12, 13, 15, 16, 17, 18, 19, 20
AUX, GROUP_DESC, CMDLINE, PMU, BUILD_IDS, TRACING = 11, 17, 11, 16, 2, 1
EXEC = 1 << 13
USER, KERNEL = 2 ** 64 - 512, 2 ** 64 - 128
BASE = 0x400000
KINDS = {}
usual = d.Event()
chains = d.Event(d.USUAL | d.CALLCHAIN)


def kind(function):
    KINDS[function.__name__] = function
    return function


def capture(function, events=None):
    """A kind whose records a generator function yields, as a perf.data file."""
    def write(n, path, features=None):
        with open(path, "wb") as f:
            f.write(d.file(events or [usual], b"".join(function(n)), features))
    write.__name__ = function.__name__
    return kind(write)


def of_chains(function):
    return capture(function, [chains])


def padded(text):
    raw = text.encode() + b"\0"
    return raw + bytes(-len(raw) % 8)


def comm(name, pid, tid, time, misc=0):
    return usual.record(d.COMM, struct.pack("<II", pid, tid) + padded(name) + usual.trailer(pid, time), misc)


def fork(child, parent, time, thread=None, parent_thread=None, what=FORK):
    body = struct.pack("<IIIIQ", child, parent, thread or child, parent_thread or parent, time)
    return usual.record(what, body + usual.trailer(parent, time))


def mapped(pid, start, length, path, time, build_id=None, misc=2):
    file = struct.pack("<BBH20s", 20, 0, 0, build_id) if build_id else struct.pack("<IIQQ", 1, 0, 1, 1)
    body = struct.pack("<IIQQQ", pid, pid, start, length, 0) + file + struct.pack("<II", 5, 2)
    return usual.record(d.MMAP2, body + padded(path) + usual.trailer(pid, time), misc | (1 << 14 if build_id else 0))


def simple(what, form, *values, rest=b"", time=0, misc=0):
    return usual.record(what, struct.pack("<" + form, *values) + rest + usual.trailer(1, time), misc)


def ksymbol(start, length, name, time, flags=0):
    return simple(KSYMBOL, "QIHH", start, length, 1, flags, rest=padded(name), time=time)


# --- tasks ---

@capture
def forks_in_a_chain(n):
    yield comm("a", 1, 1, 1) + mapped(1, BASE, 1 << 20, "/none/a", 1)
    yield from (fork(i + 2, i + 1, 2 + i) for i in range(n))
    yield from (usual.sample(BASE + i, 1 << 30 | i, i + 2) for i in range(n))


@capture
def end_of_a_chain(n):
    yield comm("a", 1, 1, 1)
    yield from (fork(i + 2, i + 1, 2 + i) for i in range(n))
    yield from (usual.sample(BASE + 16 * i, 1 << 30 | i, n + 1) for i in range(n))


@capture
def chain_with_maps(n):
    yield comm("a", 1, 1, 1)
    for i in range(n):
        yield fork(i + 2, i + 1, 2 + i) + mapped(i + 2, BASE + i * 4096, 4096, f"/none/{i}", 2 + i)
    yield from (usual.sample(BASE + (i * 7919 % n) * 4096, 1 << 30 | i, n + 1) for i in range(n))


@capture
def children_of_one(n):
    yield comm("a", 1, 1, 1)
    yield from (mapped(1, BASE + i * 4096, 4096, "/none/a", 1) for i in range(n // 2))
    yield from (fork(i + 2, 1, 2 + i) for i in range(n // 2))
    yield from (usual.sample(BASE + i * 4096, 1 << 30 | i, i + 2) for i in range(n // 2))


@capture
def children_with_a_map(n):
    yield comm("a", 1, 1, 1)
    yield from (mapped(1, BASE + i * 4096, 4096, "/none/a", 1) for i in range(n // 2))
    yield from (fork(i + 2, 1, 2 + i) + mapped(i + 2, 4096, 4096, "/none/b", 2 + i) for i in range(n // 2))
    yield from (usual.sample(BASE + i * 4096, 1 << 30 | i, i + 2) for i in range(n // 2))


@capture
def threads_in_a_chain(n):
    yield comm("a", 1, 1, 1)
    yield from (fork(1, 1, 2 + i, i + 2, i + 1) for i in range(n))
    for i in range(n):
        yield usual.sample(BASE + i, 1 << 30 | i, 1)[:24] + struct.pack("<II", 1, i + 2) + usual.sample(BASE + i, 1 << 30 | i, 1)[32:]


@capture
def threads_with_maps(n):
    yield comm("a", 1, 1, 1)
    yield from (mapped(1, BASE + i * 4096, 4096, f"/none/{i}", 1) for i in range(n // 2))
    yield from (fork(1, 1, 2 + i, i + 2, 1) for i in range(n // 2))
    yield usual.sample(BASE, 1 << 30, 1)


@capture
def threads_with_long_paths(n):
    yield comm("a", 1, 1, 1)
    yield from (mapped(1, BASE + i * 4096, 4096, "/none/" + f"{i}/" * (4000 // len(f"{i}/")), 1) for i in range(n // 32))
    yield from (fork(1, 1, 2 + i, i + 2, 1) for i in range(n // 2))
    yield usual.sample(BASE, 1 << 30, 1)


def near(n, hash_of, candidates):
    """The first n of the candidates whose hashes fall into an eighth of a table for n things."""
    mask = (1 << (4 * n - 1).bit_length()) - 1
    return list(itertools.islice((c for c in candidates if hash_of(c) & mask < mask // 8), n))


@capture
def colliding_names(n):
    names = near(n // 4, lambda name: xxh3.xxh3_64(name.encode()), (f"n{i}" for i in itertools.count()))
    yield from (comm(name, i + 1, i + 1, 1) for i, name in enumerate(names))
    yield from (usual.sample(BASE, 2, i + 1) for i in range(len(names)))


@capture
def colliding_addresses(n):
    def unkeyed(address):
        product = (address ^ address >> 29) * 0x9e3779b97f4a7c15 % 2 ** 64
        return product ^ product >> 32
    yield from (usual.sample(address, 2, 1) for address in near(n, unkeyed, itertools.count(BASE, 16)))


@capture
def lives_of_one_number(n):
    for i in range(n):
        yield fork(2, 1, 4 * i) + comm(f"n{i}", 2, 2, 4 * i + 1, EXEC) + usual.sample(BASE + i, 4 * i + 2, 2) + fork(2, 1, 4 * i + 3, what=EXIT)


@capture
def names_of_a_thread(n):
    yield from (comm(f"n{i}", 1, 1, 1000 + i) for i in range(n))
    yield from (usual.sample(BASE, 1000 + i, 1) for i in range(n))


@capture
def one_name(n):
    yield from (comm("a", i + 1, i + 1, 1000) for i in range(n))
    yield from (usual.sample(BASE, 2000 + i, i + 1) for i in range(n))


@capture
def execs(n):
    for i in range(n):
        yield comm(f"n{i % 7}", 1, 1, 3 * i, EXEC) + mapped(1, BASE, 1 << 20, f"/none/{i}", 3 * i + 1) + usual.sample(BASE + i, 3 * i + 2, 1)


@capture
def namespaces(n):
    yield from (simple(NAMESPACES, "IIQ", i % 99, i % 99, 7, rest=struct.pack("<14Q", *range(i, i + 14)), time=i) for i in range(n))
    yield usual.sample(BASE, n, 1)


@capture
def exits(n):
    yield from (fork(i + 2, 1, 2 + i, what=EXIT) for i in range(n))
    yield usual.sample(BASE, n, 1)


# --- maps ---

def samples_in(n, pid=1, step=4096):
    yield from (usual.sample(BASE + (i * 7919 % n) * step, 1 << 40 | i, pid) for i in range(n))


@capture
def maps_upwards(n):
    yield from (mapped(1, BASE + i * 4096, 4096, f"/none/{i}", i) for i in range(n))
    yield from samples_in(n)


@capture
def maps_downwards(n):
    yield from (mapped(1, BASE + (n - i) * 4096, 4096, f"/none/{i}", i) for i in range(n))
    yield from samples_in(n)


@capture
def maps_inside_each_other(n):
    yield from (mapped(1, BASE + i * 4096, (2 * n - 2 * i) * 4096, f"/none/{i}", i) for i in range(n))
    yield from samples_in(n)


@capture
def maps_over_each_other(n):
    yield from (mapped(1, BASE + (n - i) * 4096, 2 * i * 4096 + 4096, f"/none/{i}", i) for i in range(n))
    yield from samples_in(n)


@capture
def maps_in_turn(n):
    for i in range(n):
        yield mapped(1, BASE + (i * 7919 % n) * 4096, 1 << 20, f"/none/{i}", 2 * i) + usual.sample(BASE + 4096 * i, 2 * i + 1, 1)


@capture
def one_map_again(n):
    yield from (mapped(1, BASE, 4096, "/none/a", 2 * i) + usual.sample(BASE, 2 * i + 1, 1) for i in range(n))


@capture
def build_ids_of_a_path(n):
    yield from (mapped(1, BASE + i * 4096, 4096, "/none/a", 1, struct.pack("<QQI", i, 0, 7)) for i in range(n))
    yield from samples_in(n)


@capture
def long_paths(n):
    yield from (mapped(1, BASE + i * 4096, 4096, "/none/" + f"{i}/" * (4000 // len(f"{i}/")), i) for i in range(n // 16))
    yield from samples_in(n // 16)


@capture
def jitdumps_gone(n):
    yield from (mapped(1, BASE, 4096, f"/none/jit-{i}.dump", i) for i in range(n))
    yield from samples_in(n)


@capture
def jit_areas(n):
    yield from (mapped(i % 50, BASE + i * 4096, 4096, "//anon", i) for i in range(n))
    yield from (usual.sample(BASE + i * 4096, 1 << 40 | i, i % 50) for i in range(n))


# --- the kernel ---

@capture
def ksymbols(n):
    yield from (ksymbol(2 ** 63 + i * 64, 64, f"bpf_prog_{i}", i) for i in range(n))
    yield from (usual.sample(2 ** 63 + i * 64, 1 << 40 | i, 1) for i in range(n))


called = d.Event(d.IP | d.TID | d.CALLCHAIN, flags=0)


@kind
def ksymbols_called(n, path):
    """The shortest records; a sample has 120 of them in its chain."""
    records = [called.record(KSYMBOL, struct.pack("<QIHH", 2 ** 63 + i * 64, 64, 1, 0) + padded(f"{i:x}")) for i in range(n)]
    records += [called.sample(BASE, 0, 1, chain=[KERNEL] + [2 ** 63 + k * 64 for k in range(i, min(i + 120, n))]) for i in range(0, n, 120)]
    with open(path, "wb") as f:
        f.write(d.file([called], b"".join(records)))


@capture
def ksymbols_at_one_address(n):
    for i in range(n):
        yield ksymbol(2 ** 63, 64, f"bpf_prog_{i}", 4 * i) + usual.sample(2 ** 63, 4 * i + 1, 1) + ksymbol(2 ** 63, 64, f"bpf_prog_{i}", 4 * i + 2, 1)


@capture
def ksymbols_over_each_other(n):
    yield from (ksymbol(2 ** 63 + i * 64, 1 << 20, f"bpf_prog_{i}", 2 * i) for i in range(n))
    yield from (usual.sample(2 ** 63 + i * 64, 1 << 40 | i, 1) for i in range(n))


@capture
def bpf_programs(n):
    yield from (simple(BPF, "HHIQ", 1 + i % 2, 0, i // 2 % 99, i, time=i) for i in range(n))
    yield usual.sample(BASE, n, 1)


@capture
def cgroups(n):
    yield from (simple(CGROUP, "Q", i, rest=padded(f"/a/{i}"), time=i) for i in range(n))
    yield usual.sample(BASE, n, 1)


@kind
def samples_of_cgroups(n, path):
    event = d.Event(d.USUAL | d.CGROUP, size=120)
    records = b"".join(event.record(CGROUP, struct.pack("<Q", i % (n // 2)) + padded(f"/a/{i}") + event.trailer(1, i)) for i in range(n))
    records += b"".join(event.sample(BASE, n + i, 1, cgroup=i) for i in range(n))
    with open(path, "wb") as f:
        f.write(d.file([event], records))


@capture
def text_pokes(n):
    yield from (simple(POKE, "QHH", 2 ** 63 + i, 5, 5, rest=bytes(12), time=i) for i in range(n))
    yield usual.sample(BASE, n, 1)


# --- times and records ---

@capture
def times_backwards(n):
    yield from (usual.sample(BASE, 1 << 40 | n - i, 1) for i in range(n))


@capture
def times_in_disorder(n):
    times = list(range(n))
    random.Random(1).shuffle(times)
    yield from (usual.sample(BASE, (1 << 40) + t, 1) for t in times)


@capture
def one_time(n):
    yield from (usual.sample(BASE + i, 1 << 40, 1, cpu=i) for i in range(n))


@capture
def names_backwards(n):
    yield from (comm(f"n{i}", 1, 1, n - i) for i in range(n))
    yield from (usual.sample(BASE, n - i, 1) for i in range(n))


@capture
def early_and_late(n):
    yield from (usual.sample(BASE, (i // 2) if i % 2 else 2 ** 63 - i, 1) for i in range(n))


@capture
def losses(n):
    yield from (simple(LOST, "QQ", 77, 1, time=i) for i in range(n))
    yield usual.sample(BASE, n, 1)


@capture
def lost_samples(n):
    yield from (simple(LOST_SAMPLES, "Q", 1, time=i) for i in range(n))
    yield usual.sample(BASE, n, 1)


@capture
def switches(n):
    yield from (simple(SWITCH_CPU, "II", i, i, time=i, misc=(i & 1) << 13) for i in range(n))
    yield usual.sample(BASE, n, 1)


@capture
def throttles(n):
    yield from (simple(THROTTLE, "QQQ", i, 77, 77, time=i) for i in range(n))
    yield usual.sample(BASE, n, 1)


@capture
def reads(n):
    yield from (simple(READ, "IIQ", i, i, i, time=i) for i in range(n))
    yield usual.sample(BASE, n, 1)


@capture
def rounds(n):
    yield from (usual.sample(BASE, i, 1) + usual.record(d.ROUND, b"") for i in range(n))


@capture
def auxtrace(n):
    yield usual.record(d.AUXTRACE_INFO, struct.pack("<IIQ", 1, 0, 0))
    for i in range(n):
        yield usual.record(d.AUXTRACE, struct.pack("<QQQIIII", 16, 16 * i, 0, 0, 1, 0, 0)) + bytes(16) + simple(AUX, "QQQ", 16 * i, 16, 0, time=i)
    yield usual.sample(BASE, n, 1)


@capture
def unknown_records(n):
    yield from (usual.record(1000 + i, bytes(8)) for i in range(n))
    yield usual.sample(BASE, n, 1)


@capture
def bad_sizes(n):
    yield from (usual.sample(BASE, i, 1) + usual.record(9, b"", 2, 1) for i in range(n))


@capture
def headers_behind_damage(n):
    yield usual.sample(BASE, 5, 1) + usual.record(9, b"", 2, 1) + usual.record(3, b"", 0, 65528) * n


@capture
def long_records_behind_damage(n):
    yield usual.sample(BASE, 5, 1) + usual.record(9, b"", 2, 1) + usual.record(10, b"", 0, 16384) * n


@capture
def cpus(n):
    yield from (usual.sample(BASE, i, 1, cpu=i) for i in range(n))


@capture
def addresses(n):
    yield from (usual.sample(i * 0x9e3779b97f4a7c15 % 2 ** 64, i, 1) for i in range(n))


# --- what perf compressed ---

def dumps(n):
    """Compressed samples with 64 KiB of stack each, which shrink by 500."""
    event, head = d.Event(d.USUAL | d.STACK_USER), d.ZSTD_BEGIN
    for i in range(n):
        whole = event.sample(BASE, 1000 + i, 1, stack=usual.u64(65000) + bytes(65000) + usual.u64(65000))
        data = head + d.raw_block(whole[:-65008]) + d.repeated_block(0, 65000) + d.raw_block(whole[-8:])
        yield usual.record(d.COMPRESSED, data)
        head = b""


def write_compressed(path, event, records):
    with open(path, "wb") as f:
        f.write(d.file([event], records, {**d.usual_features([event]), d.FEAT_COMPRESSED: d.compressed_feature(1 << 20)}))


@kind
def compressed_dumps(n, path):
    write_compressed(path, d.Event(d.USUAL | d.STACK_USER), b"".join(dumps(n // 8)))


@kind
def compressed_samples_of_one_time(n, path):
    write_compressed(path, usual, d.deflated(b"".join(usual.sample(BASE + i, 1000 + i, 1) for i in range(8000)) * (n // 200), 70000))


@kind
def compressed_streams(n, path):
    event, stream = d.Event(d.USUAL | d.STACK_USER), b"".join(dumps(60))
    directory(path, b"", [stream] * (n // 128), {d.FEAT_COMPRESSED: d.compressed_feature(1 << 20)}, event=event)


# --- callers ---

@of_chains
def distinct_chains(n):
    for i in range(n // 8):
        yield chains.sample(BASE, i, 1, chain=[USER] + [BASE + (i * 61 + k) * 16 for k in range(60)])


@of_chains
def deep_chains(n):
    yield from (chains.sample(BASE, i, 1, chain=[USER] + [BASE + (k << 4) for k in range(2000)] + [i]) for i in range(n // 64))


@of_chains
def chains_that_share_callers(n):
    yield from (chains.sample(BASE, i, 1, chain=[USER, BASE + i] + [BASE + (k << 4) for k in range(100)]) for i in range(n // 8))


@of_chains
def recursion(n):
    yield from (chains.sample(BASE, i, 1, chain=[USER] + [BASE] * (i % 1000 + 1)) for i in range(n // 32))


@of_chains
def markers_in_chains(n):
    yield from (chains.sample(BASE, i, 1, chain=[USER, KERNEL] * 60) for i in range(n // 8))


def deferred(cookie, time, ips):
    return chains.record(d.CALLCHAIN_DEFERRED, chains.u64(cookie, len(ips), *ips) + chains.trailer(1, time))


def defers(function):
    return capture(function, [d.Event(d.USUAL | d.CALLCHAIN, flags=d.FLAG_SAMPLE_ID_ALL | d.FLAG_DEFER)])


@defers
def deferred_in_turn(n):
    for i in range(n):
        yield chains.sample(BASE, 2 * i, 1, chain=[2 ** 64 - 640, i]) + deferred(i, 2 * i + 1, [BASE + i])


@defers
def deferred_at_the_end(n):
    yield from (chains.sample(BASE, i, 1, chain=[2 ** 64 - 640, i]) for i in range(n))
    yield from (deferred(i, n + i, [BASE + i]) for i in range(n))


@defers
def deferred_backwards(n):
    yield from (chains.sample(BASE, i, 1, chain=[2 ** 64 - 640, i]) for i in range(n))
    yield from (deferred(n - 1 - i, n + i, [BASE + i]) for i in range(n))


@defers
def deferred_with_one_cookie(n):
    yield from (chains.sample(BASE, i, 1, chain=[2 ** 64 - 640, 7]) for i in range(n))
    yield from (deferred(7, n + i, [BASE + i]) for i in range(n))


@defers
def deferred_never(n):
    yield from (chains.sample(BASE, i, i, chain=[2 ** 64 - 640, i]) for i in range(n))


@kind
def branches(n, path):
    event = d.Event(d.USUAL | d.BRANCH_STACK, branches=8)
    records = b"".join(event.sample(BASE, i, 1, branches=event.u64(30, *range(i, i + 90))) for i in range(n // 8))
    with open(path, "wb") as f:
        f.write(d.file([event], records))


@kind
def group_reads(n, path):
    events = [d.Event(d.USUAL | d.READ, read_format=d.FORMAT_ID | d.FORMAT_GROUP, ids=(77 + i,), config=i) for i in range(2)]
    records = b"".join(events[0].sample(BASE, i, 1, read=usual.u64(50, *(v for k in range(50) for v in (i, i * 50 + k)))) for i in range(n // 8))
    with open(path, "wb") as f:
        f.write(d.file(events, records))


# --- the header ---

def write_events(events, path, records=b"", features=None):
    records += b"".join(events[0].sample(BASE, i, 1, identity=e.id()) for i, e in enumerate(events))
    with open(path, "wb") as f:
        f.write(d.file(events, records, features))


@kind
def events(n, path):
    write_events([d.Event(config=i, ids=(i + 1,), name=f"e{i}") for i in range(n // 8)], path)


@kind
def events_of_one_name(n, path):
    write_events([d.Event(config=1, ids=(i + 1,), name="e") for i in range(n // 8)], path)


@kind
def events_in_groups(n, path):
    events = [d.Event(config=i, ids=(i + 1,), name=f"e{i}") for i in range(n // 8)]
    groups = b"".join(d.string(f"g{i}") + struct.pack("<II", 2 * i, 2) for i in range(n // 16))
    write_events(events, path, features={**d.usual_features(events), GROUP_DESC: struct.pack("<I", n // 16) + groups})


@kind
def members_of_groups(n, path):
    events = [d.Event(config=i, ids=(i + 1,), name=f"e{i}") for i in range(n // 8)]
    groups = struct.pack("<I", n) + (d.string("")[:4] + bytes(64) + struct.pack("<II", 0, n // 8)) * n
    write_events(events, path, features={**d.usual_features(events), GROUP_DESC: groups})


@kind
def name_of_an_event(n, path):
    event = d.Event(name="e" * 50 * n)
    with open(path, "wb") as f:
        f.write(d.file([event], b"".join(event.sample(BASE + i, i, 1) for i in range(n // 4))))


@capture
def name_of_a_process(n):
    yield comm("c" * min(60000, 4 * n), 1, 1, 1) + b"".join(samples_in(n // 4))


@capture
def name_of_a_map(n):
    yield mapped(1, BASE, n << 12, "/none/" + "p" * min(60000, 4 * n), 1) + b"".join(samples_in(n // 4))


@kind
def event_ids(n, path):
    write_events([d.Event(ids=range(1, n)), d.Event(config=1, ids=(n + 1,))], path, b"".join(usual.sample(BASE, i, 1, identity=1 + i) for i in range(n // 4)))


@kind
def one_event_id(n, path):
    write_events([d.Event(ids=[1] * n), d.Event(config=1, ids=(n + 1,))], path, b"".join(usual.sample(BASE, i, 1, identity=1) for i in range(n // 4)))


def colliding(n, bits):
    """Numbers whose product with the multiplier of Fibonacci hashing is small."""
    multiplier = 0x9e3779b97f4a7c15 if bits == 64 else 0x9e3779b1
    return [(k + 1) * pow(multiplier, -1, 1 << bits) % (1 << bits) for k in range(n)]


@kind
def colliding_event_ids(n, path):
    ids = colliding(n, 64)
    write_events([d.Event(ids=ids), d.Event(config=1, ids=(5,))], path, b"".join(usual.sample(BASE, i, 1, identity=id) for i, id in enumerate(ids)))


@capture
def colliding_threads(n):
    tids = colliding(n, 32)
    yield from (comm("a", tid, tid, 1) for tid in tids)
    yield from (usual.sample(BASE, 2 + i, tid) for i, tid in enumerate(tids))


@kind
def foreign_ids(n, path):
    write_events([d.Event(), d.Event(config=1, ids=(5,))], path, b"".join(usual.sample(BASE, i, 1, identity=1000 + i) for i in range(n)))


def featured(n, path, feature, data):
    with open(path, "wb") as f:
        f.write(d.file([usual], usual.sample(BASE, 1, 1), {**d.usual_features([usual]), feature: data}))


@kind
def words_of_a_command(n, path):
    featured(n, path, CMDLINE, struct.pack("<I", n) + d.string("a") * n)


@kind
def pmus(n, path):
    featured(n, path, PMU, struct.pack("<I", n) + b"".join(struct.pack("<I", i) + d.string(f"p{i}") for i in range(n)))


@kind
def build_ids(n, path):
    names = (padded(f"/none/{i}") for i in range(n))
    table = b"".join(struct.pack("<IHHi20s4s", 67, 2, 36 + len(name), 1, struct.pack("<QQI", i, 1, 2), b"") + name for i, name in enumerate(names))
    maps = b"".join(mapped(1, BASE + i * 4096, 4096, f"/none/{i}", 1) for i in range(n))
    with open(path, "wb") as f:
        f.write(d.file([usual], maps + b"".join(samples_in(n)), {**d.usual_features([usual]), BUILD_IDS: table}))


@kind
def pipe_events(n, path):
    events = [d.Event(config=i, ids=(i + 1,), name=f"e{i}") for i in range(n // 8)]
    with open(path, "wb") as f:
        f.write(d.pipe(events, b"".join(events[0].sample(BASE, i, 1, identity=e.id()) for i, e in enumerate(events)), {}))


@kind
def pipe_updates(n, path):
    updates = b"".join(usual.record(d.EVENT_UPDATE, struct.pack("<QQ", 1, 77) + padded(f"name{i}")) for i in range(n))
    with open(path, "wb") as f:
        f.write(d.pipe([usual], updates + usual.sample(BASE, 1, 1)))


@kind
def pipe_features(n, path):
    features = b"".join(usual.record(d.FEATURE, struct.pack("<Q", 3) + d.string(f"host{i}")) for i in range(n))
    with open(path, "wb") as f:
        f.write(d.pipe([usual], features + usual.sample(BASE, 1, 1)))


def trace_format(name, number, nr_fields):
    fields = "".join(f"\tfield:int f{i};\toffset:{8 + 4 * i};\tsize:4;\tsigned:1;\n" for i in range(nr_fields))
    common = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    words = " ".join(f"f{i}=%d" for i in range(nr_fields))
    args = "".join(f", REC->f{i}" for i in range(nr_fields))
    return f'name: {name}\nID: {number}\nformat:\n{common}{fields}\nprint fmt: "{words}"{args}\n'.encode()


def traced(formats, symbols=b"", comms=b""):
    """TRACING_DATA of one system."""
    out = b"\x17\x08\x44tracing0.6\0" + struct.pack("<BBI", 0, 8, 4096)
    for name in (b"header_page", b"header_event"):
        out += name + b"\0" + struct.pack("<Q", 0)
    out += struct.pack("<I", 0) + struct.pack("<I", 1) + b"sys\0" + struct.pack("<I", len(formats))
    out += b"".join(struct.pack("<Q", len(f)) + f for f in formats)
    return out + struct.pack("<I", len(symbols)) + symbols + struct.pack("<I", 0) + struct.pack("<Q", len(comms)) + comms


class Tracepoint(d.Event):
    def attr(self):
        return struct.pack("<I", 2) + super().attr()[4:]


def trace_samples(n, size, path, formats, symbols=b"", comms=b""):
    event = Tracepoint(d.USUAL | d.RAW, config=1, name="sys:e")
    raw = struct.pack("<HHi", 1, 0, 5) + bytes(size)
    raw = struct.pack("<I", (len(raw) + 11) // 8 * 8 - 4) + raw.ljust((len(raw) + 11) // 8 * 8 - 4, b"\0")
    records = b"".join(event.sample(BASE, i, 1, raw=raw) for i in range(n))
    with open(path, "wb") as f:
        f.write(d.file([event], records, {**d.usual_features([event]), TRACING: traced(formats, symbols, comms)}))


@kind
def tracepoints(n, path):
    trace_samples(9, 4, path, [trace_format(f"e{i}", i + 1, 1) for i in range(n // 8)])


@kind
def fields_of_a_tracepoint(n, path):
    trace_samples(n // 256 + 1, n // 2, path, [trace_format("e", 1, n // 8)])


@kind
def trace_symbols(n, path):
    trace_samples(9, 4, path, [trace_format("e", 1, 1)], b"".join(b"%x t f%d\n" % (2 ** 63, i) for i in range(n)))


@kind
def trace_formats(n, path):
    trace_samples(9, 4, path, [trace_format("e", 1, 1)], b"".join(b'0x%x : "s%d"\n' % (2 ** 63 + i, i) for i in range(n)))


@kind
def trace_comms(n, path):
    trace_samples(9, 4, path, [trace_format("e", 1, 1)], b"", b"".join(b"%d name%d\n" % (i, i) for i in range(n)))


# --- symbols ---

def symbol_folder(path):
    os.makedirs(path + "/symbols")
    return path + "/symbols/"


def directory(path, records, streams, features=None, note=None, event=usual):
    os.makedirs(path)
    features = {**d.usual_features([event]), **(features or {}), 24: struct.pack("<Q", 1)}
    with open(path + "/data", "wb") as f:
        f.write(d.file([event], records, features))
    for i, stream in enumerate(streams):
        with open(f"{path}/data.{i}", "wb") as f:
            f.write(stream)
    if note is not None:
        with open(path + "/tstream.json", "w") as f:
            f.write(note)


@kind
def perf_map(n, path):
    directory(path, comm("a", 1, 1, 0) + mapped(1, BASE, n * 64, "//anon", 1), [b"".join(usual.sample(BASE + i * 16, 10 + i, 1) for i in range(n // 4))])
    with open(symbol_folder(path) + "perf-1.map", "w") as f:
        f.writelines(f"{BASE + i * 16:x} {(n - i) * 16:x} f{i}\n" for i in range(n))


@kind
def perf_map_of_one_address(n, path):
    directory(path, comm("a", 1, 1, 0) + mapped(1, BASE, n * 64, "//anon", 1), [b"".join(usual.sample(BASE + i * 16, 10 + i, 1) for i in range(n // 4))])
    with open(symbol_folder(path) + "perf-1.map", "w") as f:
        f.writelines(f"{BASE:x} {(i * 7919 % n + 1) * 16:x} f{i}\n" for i in range(n))


@kind
def perf_maps(n, path):
    pids = range(1, n // 16 + 1)
    directory(path, b"".join(comm("a", p, p, 0) + mapped(p, BASE, 4096, "//anon", 1) for p in pids), [b"".join(usual.sample(BASE + 5, 10 + p, p) for p in pids)])
    folder = symbol_folder(path)
    for p in pids:
        with open(f"{folder}perf-{p}.map", "w") as f:
            f.write(f"{BASE:x} 1000 f{p}\n")


@kind
def kallsyms_of_one_address(n, path):
    build_id = bytes(range(20))
    table = struct.pack("<IHHi20s4s", 67, 1, 60, -1, build_id, b"") + padded("[kernel.kallsyms]").ljust(24, b"\0")
    start = 2 ** 64 - (1 << 31)
    body = mapped(2 ** 32 - 1, start, 1 << 28, "[kernel.kallsyms]_text", 0, misc=1)
    samples = (usual.sample(start + i, 10 + i, 1) for i in range(n // 4))
    directory(path, body, [b"".join(s[:4] + b"\1" + s[5:] for s in samples)], {BUILD_IDS: table})
    with open(symbol_folder(path) + build_id.hex() + ".kallsyms", "w") as f:
        f.writelines(f"{start:x} T f{i}\n" for i in range(n))


def jit_load(index, time, name, address, size=16):
    name = name.encode() + b"\0"
    body = struct.pack("<IIQQQQ", 1, 1, address, address, size, index) + name + bytes(size)
    return struct.pack("<IIQ", 0, 16 + len(body), time) + body


def jit_head():
    return struct.pack("<IIIIIIQQ", 0x4A695444, 1, 40, 62, 0, 1, 0, 0)


def jit_capture(path, records, samples, dumps):
    event = d.Event(flags=d.FLAG_SAMPLE_ID_ALL | 1 << 25)
    head = event.attr
    event.attr = lambda: head()[:92] + struct.pack("<i", 1) + head()[96:]
    directory(path, records, [samples], event=event)
    folder = symbol_folder(path)
    for name, dump in dumps.items():
        with open(folder + name, "wb") as f:
            f.write(jit_head() + dump)


@kind
def jitdump(n, path):
    dump = b"".join(jit_load(i, i, f"f{i}", BASE + i * 16) for i in range(n))
    jit_capture(path, comm("a", 1, 1, 0) + mapped(1, BASE - 4096, 4096, "/x/jit-1.dump", 1) + mapped(1, BASE, n * 16, "//anon", 1), b"".join(samples_in(n // 4, step=16)), {"jit-1.dump": dump})


@kind
def jitdump_of_one_address(n, path):
    dump = b"".join(jit_load(i, 4 * i, f"f{i}", BASE) for i in range(n))
    samples = b"".join(usual.sample(BASE + 1, 4 * i + 1, 1) for i in range(n // 4))
    jit_capture(path, comm("a", 1, 1, 0) + mapped(1, BASE - 4096, 4096, "/x/jit-1.dump", 1) + mapped(1, BASE, 4096, "//anon", 1), samples, {"jit-1.dump": dump})


@kind
def jitdump_mapped_often(n, path):
    dump = b"".join(jit_load(i, i * 7919 % 1000003 + (i > 0) * 2 ** 62, f"f{i}", BASE + i * 16) for i in range(n // 2))
    jit_capture(path, b"".join(mapped(100 + i, BASE, 4096, "/x/jit-1.dump", 1000 + i) for i in range(n // 2)), usual.sample(BASE, 1 << 40, 100), {"jit-1.dump": dump})


@kind
def jitdump_of_many(n, path):
    dump = b"".join(jit_load(i, 0, f"f{i}", BASE + i * 16) for i in range(n // 2))
    records = b"".join(mapped(100 + i, BASE, 4096, "/x/jit-1.dump", 1000 + i) for i in range(n // 2))
    samples = b"".join(usual.sample(BASE + i * 16, (1 << 40) + i, 100 + i) for i in range(n // 2))
    jit_capture(path, records, samples, {"jit-1.dump": dump})


@kind
def jitdumps(n, path):
    pids = range(1, n // 16 + 1)
    records = b"".join(mapped(p, BASE, 4096, f"/x/jit-{p}.dump", 1) for p in pids)
    samples = b"".join(usual.sample(BASE + 1, (1 << 40) + p, p) for p in pids)
    jit_capture(path, records, samples, {f"jit-{p}.dump": jit_load(1, 0, f"f{p}", BASE) for p in pids})


# --- streams of ours ---

MAGIC = {"chunk": b"\x89TSchnk\n", "index": b"\x89TSindx\n", "end": b"\x89TS end\n"}
NONE = 2 ** 64 - 1


def sealed(magic, size, word, number, offset, rest):
    head = struct.pack("<IHH8sHHIQ16sIIQ", 65, 0, size, MAGIC[magic], 1, 0, word, 0, b"u" * 16, 0, number, offset) + rest
    head = head.ljust(size, b"\0")
    return head[:24] + struct.pack("<Q", xxh3.xxh3_64(head)) + head[32:]


def chunk(offset, payload, nr, ring=0, sequence=0, times=(1000, 2000), kind=0):
    rest = struct.pack("<10QIHH", sequence, len(payload), len(payload), nr, *times, *times, 0, xxh3.xxh3_64(payload), 0, kind, 0)
    return sealed("chunk", 64 + len(rest), 0, ring, offset, rest) + payload


def entry(offset, payload, nr, ring=0, times=(1000, 2000), kind=0):
    return struct.pack("<7Q3IBBH", offset, len(payload), len(payload), nr, *times, 0, ring, 0, 0, kind, 0, 152)


def index(offset, entries, before=NONE, first=0):
    body = b"".join(entries)
    return sealed("index", 80 + len(body), 72, len(entries), offset, struct.pack("<QQ", before, first) + body)


def footer(offset, last, nr, records, payload):
    return sealed("end", 96, 0, 0, offset, struct.pack("<4Q", last, nr, records, payload))


def samples(nr, first=1000):
    return b"".join(usual.sample(BASE + 16 * i, first + i, 1) for i in range(nr))


@kind
def entries_of_a_chunk(n, path):
    payload = samples(n // 8)
    stream, before = chunk(0, payload, n // 8, times=(1000, 1000 + n)), NONE
    for first in range(0, n // 8, 256):
        at = len(stream)
        stream += index(at, [entry(0, payload, n // 8, times=(1000, 1000 + n))] * 256, before, first)
        before = at
    directory(path, b"", [stream + footer(len(stream), before, first + 256, (first + 256) * n // 8, 0)])


@kind
def small_chunks(n, path):
    stream = b""
    for i in range(n // 4):
        stream += chunk(len(stream), samples(1, 1000 + i), 1, sequence=i, times=(1000 + i, 1000 + i))
    directory(path, b"", [stream])


@kind
def chunks_of_endless_time(n, path):
    stream = b""
    for i in range(n // 4):
        stream += chunk(len(stream), samples(1, 1000 + i), 1, sequence=i, times=(0, 2 ** 64 - 2))
    directory(path, b"", [stream])


@kind
def rings(n, path):
    stream = b""
    for i in range(n // 4):
        stream += chunk(len(stream), samples(1, 1000 + i), 1, ring=i, times=(1000 + i, 1000 + i))
    directory(path, b"", [stream])


@kind
def chunks_backwards(n, path):
    stream = b""
    for i in range(n // 4):
        stream += chunk(len(stream), samples(1, n - i), 1, sequence=i, times=(n - i, n - i))
    directory(path, b"", [stream])


# --- compressed chunks whose checksums do not match ---

LONG_HEADER = struct.pack("<IHH", d.MMAP, 2, 65528)


def frames_of(repeated, nr):
    return d.whole_frame((repeated * 8000)[:61440]) * nr


def unsound_chunk(i, offset, frames, raw_bytes, missing=0):
    """Number i: a sound sample, then these frames of so many bytes; so many that the header tells of are missing."""
    payload = d.whole_frame(samples(1, 1000 + i)) + frames
    rest = struct.pack("<10QIHH", i, len(payload) + missing, len(samples(1)) + raw_bytes, 1000, 1000 + i, 1000 + i, 0, 0, 0, 0, 0, 0, 0)
    return sealed("chunk", 64 + len(rest), 1, 0, offset, rest) + payload


def damaged_chunks(n, path, repeated, nr_frames):
    """The frames are full of the repeated bytes."""
    frames, stream = frames_of(repeated, nr_frames), b""
    for i in range(n):
        stream += unsound_chunk(i, len(stream), frames, 61440 * nr_frames)
    directory(path, b"", [stream])


@kind
def holes_of_damaged_chunks(n, path):
    """All samples but one have times that the headers do not have."""
    damaged_chunks(n // 200, path, usual.sample(BASE, 1 << 40, 1), 250)


@kind
def headers_in_damaged_chunks(n, path):
    """Headers of long records, which lie over each other and have no sound times."""
    damaged_chunks(n // 200, path, LONG_HEADER, 250)


@kind
def headers_in_torn_chunks(n, path):
    """The last chunk of each stream is cut off, and no record follows the first one."""
    frames = d.whole_frame(bytes(8)) + frames_of(LONG_HEADER, 250)
    directory(path, b"", [unsound_chunk(i, 0, frames, 8 + 61440 * 250, missing=64) for i in range(n // 200)])


@kind
def damaged_chunks_of_a_frame(n, path):
    damaged_chunks(n // 8, path, usual.sample(BASE, 1 << 40, 1), 1)


# --- compressed chunks that expand far and overlap in time ---

dumping = d.Event(d.USUAL | d.STACK_USER)


def far_chunk(i, offset, times):
    """Number i: a sample with 59,000 bytes of stack at each of the times."""
    frames = [d.whole_frame(dumping.sample(BASE, time, 1, stack=usual.u64(59000) + bytes(59000) + usual.u64(59000))) for time in times]
    raw_bytes = len(times) * len(dumping.sample(BASE, 1, 1, stack=usual.u64(59000) + bytes(59000) + usual.u64(59000)))
    payload, span = b"".join(frames), (min(times), max(times))
    rest = struct.pack("<10QIHH", i, len(payload), raw_bytes, len(times), *span, *span, 0, xxh3.xxh3_64(payload), 0, 0, 0)
    return sealed("chunk", 64 + len(rest), 1, 0, offset, rest) + payload


def far_chunks(n, path, times_of):
    stream = b""
    for i in range(n // 200):
        stream += far_chunk(i, len(stream), times_of(i))
    directory(path, b"", [stream], event=dumping)


@kind
def far_chunks_of_one_time(n, path):
    far_chunks(n, path, lambda i: [1000] * 250)


@kind
def far_chunks_that_overlap(n, path):
    """All begin at the same time, and none goes on before all have begun."""
    far_chunks(n, path, lambda i: [1000] + [2000 + i] * 249)


@kind
def far_chunks_that_alternate(n, path):
    """Each goes on three times."""
    far_chunks(n, path, lambda i: sorted(1000 + i + 1000 * (k % 4) for k in range(250)))


@kind
def far_chunks_beside_plain_ones(n, path):
    """A plain chunk follows each, and stays open to the end."""
    stream = b""
    for i in range(n // 200):
        stream += far_chunk(i, len(stream), [1000 * (i + 1)] * 250)
        times = (1000 * (i + 1) + 500, 10 ** 9 + i)
        stream += chunk(len(stream), b"".join(dumping.sample(BASE, time, 1) for time in times), 2, sequence=i, times=times)
    directory(path, b"", [stream], event=dumping)


@kind
def far_chunks_beside_a_false_claim(n, path):
    """The first chunk says that it yields 2^61 bytes; the others go on by turns, far more often than may be loaded again."""
    payload = d.whole_frame(dumping.sample(BASE, 1000, 1))
    rest = struct.pack("<10QIHH", 0, len(payload), 1 << 61, 1, 1000, 1000, 1000, 1000, 0, xxh3.xxh3_64(payload), 0, 0, 0)
    stream = sealed("chunk", 64 + len(rest), 1, 0, 0, rest) + payload
    for i in range(n // 4000):
        stream += far_chunk(i, len(stream), [1000 + i + 1000 * k for k in range(250)])
    directory(path, b"", [stream], event=dumping)


@kind
def streams(n, path):
    directory(path, b"", [chunk(0, samples(1, 1000 + i), 1, ring=i) for i in range(n // 8)])


def whole_stream(ring):
    """Of one chunk, with an end."""
    stream = chunk(0, samples(1, 1000 + ring), 1, ring=ring)
    return stream + footer(len(stream), NONE, 0, 0, 0)


@kind
def streams_of_a_note(n, path):
    """The note names them from the last to the first."""
    streams = [whole_stream(i) for i in range(n // 8)]
    writers = [{"stream": f"data.{i}", "stream_bytes": len(stream)} for i, stream in reversed(list(enumerate(streams)))]
    note = {"state": "complete", "writers": writers, "ledger": {"offered": len(streams), "kept": len(streams), "lost": {}}}
    directory(path, b"", streams, note=json.dumps(note))


@kind
def streams_of_perf(n, path):
    directory(path, b"", [samples(1, 1000 + i) for i in range(n // 8)])


@kind
def rings_of_two_notes(n, path):
    """Two parts of a recording, path/1 and path/2, whose notes have the same rings in other orders; for COMMANDS_OF_TWO."""
    for part, numbers in ((1, range(n)), (2, reversed(range(n)))):
        note = json.dumps({"rings": [{"number": i, "records": 1} for i in numbers], "ledger": {"offered": 1, "kept": 1, "lost": {}}})
        directory(f"{path}/{part}", b"", [chunk(0, samples(1, 1000 * part), 1, sequence=part, times=(1000 * part, 1000 * part))], note=note)


@kind
def copies_with_other_ends(n, path):
    """Two parts of a killed recording, path/1 and path/2, for COMMANDS_OF_TWO: their streams end in different damage."""
    for part in (1, 2):
        streams = [chunk(0, samples(1, 1000 + i), 1, ring=i) + bytes([part]) * 64 for i in range(n // 8)]
        directory(f"{path}/{part}", b"", streams)
        os.truncate(f"{path}/{part}/data", n << 14)


def remove(path):
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.remove(path)


# --- costs ---

COMMANDS = {"report": ["report", "-i", "IN"], "callers": ["report", "-g", "-s", "comm,pid,dso,sym,srcline", "-i", "IN"],
            "nested": ["report", "--hierarchy", "-s", "comm,dso,sym", "-i", "IN"], "script": ["script", "-i", "IN"],
            "dump": ["report", "-D", "-i", "IN"], "stats": ["report", "--stats", "-i", "IN"], "tasks": ["report", "--tasks", "-i", "IN"],
            "mmaps": ["report", "--mmaps", "-i", "IN"],
            "header": ["report", "--header-only", "-i", "IN"], "check": ["check", "IN"], "merge": ["merge", "-o", "OUT", "IN"],
            "single": ["merge", "--single", "-o", "OUT", "IN"], "copy": ["export", "--format=perf.data", "-o", "OUT", "IN"], "compact": ["compact", "-o", "OUT", "IN"],
            "folded": ["export", "--format=folded", "-o", "OUT", "IN"], "svg": ["report", "--svg=OUT", "-i", "IN"]}
if firefox_file.is_built():
    COMMANDS["firefox"] = ["export", "--format=firefox", "-o", "OUT", "IN"]
    COMMANDS["speedscope"] = ["export", "--format=speedscope", "-o", "OUT", "IN"]
    COMMANDS["chrome"] = ["export", "--format=chrome", "-o", "OUT", "IN"]
if pprof_file.is_built():
    COMMANDS["pprof"] = ["export", "--format=pprof", "-o", "OUT", "IN"]
COMMANDS_OF_TWO = {"merge_two": ["merge", "-o", "OUT", "IN/1", "IN/2"]}
SECONDS_MAX = 60  # of CPU, then the command is killed
GROWTH, SLACK_SECONDS = 6, 1
BYTES_OF_MB = 256 << 20
SECONDS_OF_MB, SECONDS_OF_MB_BESIDE_OTHERS = 5, 15


def bytes_of(path):
    if not os.path.isdir(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)


def cost(command, path):
    """CPU seconds, the most memory in bytes, and whether it was ended by a signal."""
    out = path + ".out"
    places = {"IN": path, "IN/1": path + "/1", "IN/2": path + "/2", "OUT": out}
    words = [places.get(word, word) for word in {**COMMANDS, **COMMANDS_OF_TWO}[command]]
    process = subprocess.Popen([tap.TSTREAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    resource.prlimit(process.pid, resource.RLIMIT_CPU, (SECONDS_MAX, SECONDS_MAX))
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    remove(out)
    return types.SimpleNamespace(seconds=usage.ru_utime + usage.ru_stime, bytes=usage.ru_maxrss * 1024, is_killed=os.WIFSIGNALED(status))


def is_bounded(small, large, size, seconds_of_mb):
    """The capture of `large` has `size` bytes; captures of less than a megabyte may cost what one of that size may."""
    megabytes = max(1, size / 1e6)
    return (not small.is_killed and not large.is_killed and large.seconds <= GROWTH * small.seconds + SLACK_SECONDS and
            large.seconds <= seconds_of_mb * megabytes and large.bytes <= min(GROWTH * small.bytes, BYTES_OF_MB * megabytes))


def compare(name, n, commands, seconds_of_mb=SECONDS_OF_MB_BESIDE_OTHERS):
    """The last bound is for a machine that does nothing else, or for one that runs other tests meanwhile."""
    paths = [tap.path(f"{name}.{times}") for times in (1, 4)]
    for times, path in zip((1, 4), paths):
        KINDS[name](times * n, path)
    size, told = bytes_of(paths[1]), {}
    for command in commands:
        small, large = (cost(command, path) for path in paths)
        if not is_bounded(small, large, size, seconds_of_mb):
            told[command] = f"{small.seconds:.2f} and {large.seconds:.2f} s, {small.bytes >> 20} and {large.bytes >> 20} MiB"
    tap.ok(not told, f"{name.replace('_', ' ')}: four times as many cost at most {GROWTH} times as much", f"{n} and {4 * n}, {size} bytes: {told}")
    for path in paths:
        remove(path)
