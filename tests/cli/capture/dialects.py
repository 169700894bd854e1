#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""perf.data of other versions of perf, made by code: what perf 6.1 reads, too, is printed alike; what it refuses is printed as the same
samples in a file of today."""
import os
import resource
import struct
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import dialect as d  # noqa: E402
import tap  # noqa: E402

where = tap.path("perf.data")


def samples(event, **more):
    """A task and its samples; events in turn where there are several."""
    events = event if isinstance(event, list) else [event]
    out = events[0].comm() + events[0].mmap()
    for i in range(40):
        e = events[i % len(events)]
        out += e.sample(0x401000 + 16 * (i % 5), 1000000 + 1000 * i, cpu=i % 2, period=1 + i % 3, **more)
    return out


def said(command, *words):
    got = tap.run(command, *words, "-i", where)
    return got.status, got.out, tap.without_names(got.err)


def rows(text):
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def write(data):
    with open(where, "wb") as f:
        f.write(data)


def printed(data):
    """(script, rows of report) of tstream, which must be content."""
    write(data)
    script, report = said(tap.TSTREAM, "script"), said(tap.TSTREAM, "report", "--no-children")
    return (script[0], report[0], script[2], report[2]), script[1], rows(report[1])


def alike(sentence, data, event_of_today=None, noted="", reported=""):
    """What tstream prints is what perf prints, and what tstream prints of a file of today."""
    state, script, report = printed(data)
    tap.equal(said(tap.TSTREAM, "check", "-q"), (0, "", ""), f"{sentence}: is sound")
    tap.ok(state[:2] == (0, 0) and script and all(said in err if said else not err for said, err in zip((noted, noted or reported), state[2:])), f"{sentence}: is read", str(state))
    if event_of_today is not None:
        _, today, today_rows = printed(event_of_today)
        tap.ok((script, report) == (today, today_rows), f"{sentence}: as the same samples in a file of today",
               f"{script[:400]}{report[:9]}\nwanted:\n{today[:400]}{today_rows[:9]}")
        return
    if not tap.PERF:
        tap.skip(f"{sentence}: as perf reads it", "perf is not installed")
        return
    his, his_rows = said(tap.PERF, "script"), said(tap.PERF, "report", "--stdio", "--no-children")
    tap.ok(his[0] == 0 and script == his[1], f"{sentence}: script as perf's", f"perf: {his[0]} {his[2]}\n{his[1][:600]}\n---\n{script[:600]}")
    tap.equal(report, rows(his_rows[1]), f"{sentence}: report as perf's")


today = d.Event()
usual = d.file([today], samples(today))

# --- attrs and headers ---
for size in (64, 72, 80, 96, 104, 112, 128):
    e = d.Event(size=size)
    alike(f"attr of {size} bytes", d.file([e], samples(e)))
for size in (136, 144, 152, 256):
    e = d.Event(size=size)
    alike(f"attr of {size} bytes", d.file([e], samples(e)), usual)
e = d.Event(size=152, tail=b"\0\0\0\0\0\0\0\1")
alike("attr with a field that nobody knows", d.file([e], samples(e)), usual, "unknown")
alike("header without features", d.file([today], samples(today), {}, 72))
alike("longer header", d.file([today], samples(today), None, 120), usual)
alike("features of a newer perf", d.file([today], samples(today), {**d.usual_features([today]), 33: bytes(8), 40: b"?", 255: b""}))

# --- ids ---
e = d.Event(d.USUAL & ~d.IDENTIFIER, ids=())
alike("one event without ids", d.file([e], samples(e)))
e = d.Event(d.USUAL & ~d.IDENTIFIER, ids=(), flags=0)
alike("one event, no trailers", d.file([e], samples(e)))
two = [d.Event(d.USUAL & ~d.IDENTIFIER | d.ID, ids=(7, 8)), d.Event(d.USUAL & ~d.IDENTIFIER | d.ID, ids=(9,), config=2, name="page-faults")]
alike("two events with ID", d.file(two, samples(two)))
two = [d.Event(ids=(7, 8)), d.Event(d.USUAL | d.ADDR, ids=(9,), config=2, name="page-faults")]
alike("two events with IDENTIFIER", d.file(two, samples(two)))
two = [d.Event(d.USUAL & ~d.IDENTIFIER, ids=()), d.Event(d.USUAL & ~d.IDENTIFIER, ids=(), config=2)]
write(d.file(two, samples(two)))
got = said(tap.TSTREAM, "report")
tap.ok(got[0] == 1 and "cannot tell 2 events apart: their samples carry no id" in got[2], "two events without ids: refused in a sentence", got[2])

# --- pipes ---
alike("pipe", d.pipe([today], samples(today)))
two = [d.Event(ids=(7, 8)), d.Event(ids=(9,), config=2, name="page-faults")]
alike("pipe of two events", d.pipe(two, samples(two)))
alike("pipe without features", d.pipe([today], samples(today), {}))
for kind, data in (("pipe", d.pipe([today], samples(today))), ("file", usual)):
    write(data)
    texts = {tap.run("sh", "-c", f"{command} script -i {name}").out
             for command, name in ((f"cat {where} | {tap.TSTREAM}", "-"), (f"{tap.TSTREAM} <{where}", "-"), (tap.TSTREAM, where))}
    tap.ok(len(texts) == 1 and texts != {""}, f"-i - reads standard input, perf's format of a {kind}", texts)

# --- compressed ---
feature = {**d.usual_features([today]), d.FEAT_COMPRESSED: d.compressed_feature()}
alike("COMPRESSED", d.file([today], d.compressed(samples(today)), feature))
alike("COMPRESSED2", d.file([today], d.compressed(samples(today), d.COMPRESSED2), feature), usual)



def bomb(sentence, blocks, mmap_len, expected):
    """64 KB that expand to gigabytes: a sentence, in little memory. perf is not asked."""
    data = d.ZSTD_BEGIN + b"".join(blocks)
    write(d.file([today], samples(today) + struct.pack("<IHH", d.COMPRESSED, 0, 8 + len(data)) + data,
                 {**feature, d.FEAT_COMPRESSED: d.compressed_feature(mmap_len)}))
    for words in (["report"], ["script"], ["report", "--stats"], ["check"]):
        got = tap.run(tap.TSTREAM, *words, "-i", where, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)))
        tap.ok(got.status == 1 and expected in got.out + got.err, f"{sentence}: {' '.join(words)} names it", str(got.status) + got.err)


bomb("zeros", [d.repeated_block(0, 131072)] * 16000, 1 << 30, "hold what is no record")
long_record = d.raw_block(struct.pack("<IHH", 65, 0, 65528)) + d.repeated_block(0, 65520)
bomb("records", [long_record] * 4000, 0, "expand more than 1000 times")
bomb("more than is said", [d.repeated_block(0x20, 131072)] * 16000, 528384, "more than 528384 bytes come out")

# --- samples ---
e = d.Event(d.USUAL | d.WEIGHT_STRUCT | d.DATA_SRC | d.PHYS_ADDR | d.CGROUP | d.DATA_PAGE_SIZE | d.CODE_PAGE_SIZE | d.AUX, size=128)
alike("fields of memory samples", d.file([e], samples(e, weight=1 << 48 | 7, data_src=0x68100142, phys_addr=4096, cgroup=1, data_page_size=4096,
                                                  code_page_size=4096, aux=e.u64(8, 5))))
e = d.Event(d.USUAL | d.BRANCH_STACK, branches=d.BRANCH_HW_INDEX | 8)
alike("branches with an index", d.file([e], samples(e, branches=e.u64(2, 5, 0x401000, 0x401010, 0, 0x401020, 0x401030, 0))))
e = d.Event(d.USUAL | d.BRANCH_STACK | d.WEIGHT, branches=d.BRANCH_HW_INDEX | d.BRANCH_COUNTERS)
alike("branches with counters", d.file([e], samples(e, branches=e.u64(1, 5, 1, 2, 0, 3))), usual)

# --- counters that are read ---
group = d.FORMAT_GROUP | d.FORMAT_ID | d.FORMAT_LOST
two = [d.Event(d.USUAL | d.READ, read_format=group, ids=(77, 79)), d.Event(d.USUAL | d.READ, read_format=group, ids=(78,), name="other", config=1)]


def readings(event, kind):
    """Samples at which two counters are read; each grows now and then, on each CPU by itself."""
    out = event.comm() + event.mmap()
    for i in range(40):
        value, other = 10 * (i // 2) + i % 7, 5 * (i // 6)
        out += event.sample(0x401000 + 16 * (i % 5), 1000000 + 1000 * i, identity=77 + 2 * (i % 2), read=kind(event, 77 + 2 * (i % 2), value, other))
    return out


alike("a group that is read", d.file(two, readings(two[0], lambda e, id, a, b: e.u64(2, a, id, 0, b, 78, 0))))
alike("a group that is read, with times", d.file(
    [d.Event(e.sample_type, read_format=group | d.FORMAT_ENABLED | d.FORMAT_RUNNING, ids=e.ids, name=e.name, config=e.config) for e in two],
    readings(two[0], lambda e, id, a, b: e.u64(2, 1000, 900, a, id, 0, b, 78, 0))))
alike("an event that is read", d.file([d.Event(d.USUAL | d.READ | d.RAW, read_format=d.FORMAT_ENABLED | d.FORMAT_RUNNING | d.FORMAT_ID | d.FORMAT_LOST, ids=(77, 79))],
      samples(d.Event(d.USUAL | d.READ | d.RAW, ids=(77, 79)), read=two[0].u64(2, 1, 1, 77, 0), raw=struct.pack("<IQ", 12, 0) + b"1234")))
write(d.file(two, readings(two[0], lambda e, id, a, b: e.u64(2, a, id, 0, b, 99, 0))))
got = said(tap.TSTREAM, "script")
tap.ok(got[0] == 1 and "40 samples could not be decoded" in got[2] and got[1].count("cpu-clock") == 39, "a counter of no event: is said, the others are shown", str(got))

strange = two[0].record(2, bytes(24)) + two[0].record(39, bytes(32))  # LOST of a wrong size, and a type that nobody knows
warnings = []
for events, records in (([today], samples(today)), (two, readings(two[0], lambda e, id, a, b: e.u64(2, a, id, 0, b, 78, 0)))):
    write(d.file(events, records + strange))
    warnings.append(said(tap.TSTREAM, "report")[2])
tap.ok("not as long as their fields" in warnings[0] and warnings[0] == warnings[1], "records that do not fit their types are told of where counters are read, too", str(warnings))

# --- chains whose user part comes later ---
chain = d.USUAL | d.CALLCHAIN
e, later = d.Event(chain), d.Event(chain, flags=d.FLAG_SAMPLE_ID_ALL | d.FLAG_DEFER)
kernel, user, marker = ((1 << 64) - 128, 0xffffffff81000010, 0xffffffff81000020), ((1 << 64) - 512, 0x401000, 0x401020), (1 << 64) - 640


def part(cookie, words=user, pid=500, nr=None):
    return later.record(d.CALLCHAIN_DEFERRED, later.u64(cookie, len(words) if nr is None else nr, *words) + later.trailer(pid, 2000000))


waiting = samples(later, chain=(*kernel, marker, 12345))
whole = d.file([e], samples(e, chain=kernel + user))
alike("deferred callchains", d.file([later], waiting + part(12345)), whole)
alike("deferred callchains without a marker of their own", d.file([later], waiting + part(12345, user[1:])), whole)
alike("deferred callchains of a selection", d.file([later], waiting + part(12345, (user[0], 0x401040), 501) + part(12344) + part(12345)), whole)
for sentence, records in (("of another thread", part(12345, user, 501)), ("of another cookie", part(12344)), ("that reach beyond their record", part(12345, user, 500, 9)),
                          ("that are not there", b"")):
    alike(f"deferred callchains {sentence}", d.file([later], waiting + records), d.file([e], samples(e, chain=kernel)), "40 samples of")

# --- records of others ---
tail = today.trailer(500, 2000000)
more = {d.AUX_OUTPUT_HW_ID: today.u64(3) + tail, d.CALLCHAIN_DEFERRED: today.u64(77, 1, 0x401000) + tail, 30: today.u64(1) + tail,
        d.BPF_METADATA: bytes(264), 85: bytes(40), 86: bytes(40), 90: bytes(8), d.INIT: b"", d.ROUND: b""}
for kind, body in more.items():
    alike(f"record of type {kind}", d.file([today], samples(today) + today.record(kind, body)), usual,
          reported="1 records of" if kind in (30, 90) else "")
for kind, name in ((d.AUX_OUTPUT_HW_ID, "AUX_OUTPUT_HW_ID"), (d.CALLCHAIN_DEFERRED, "CALLCHAIN_DEFERRED"), (d.BPF_METADATA, "BPF_METADATA"),
                   (85, "SCHEDSTAT_CPU"), (86, "SCHEDSTAT_DOMAIN"), (30, "30"), (90, "90")):
    write(d.file([today], samples(today) + 3 * today.record(kind, more[kind])))
    counted = [line.split() for line in said(tap.TSTREAM, "report", "--stats")[1].splitlines() if f"{name} events:" in line]
    tap.ok(len(counted) == 1 and "3" in counted[0], f"{name}: counted", str(counted))
aux = today.record(d.AUXTRACE, today.u64(104, 0, 0) + struct.pack("<IIII", 0, 0, 0, 0)) + bytes([9]) * 104
alike("AUX area data", d.file([today], aux + samples(today)), usual)

# --- the kernel's mistake that makes perf 6.1 crash ---
stray = today.mmap(pid=600, major=254, misc=0x4002)
alike("MMAP2 with a flag that nobody asked for", d.file([today], samples(today) + stray), usual)
write(d.file([today], samples(today) + stray))
got = tap.run(tap.TSTREAM, "check", "-q", f"--repair={tap.path('repaired')}", where)
tap.ok(got.status == 0 and tap.run(tap.TSTREAM, "script", "-i", tap.path("repaired")).out.count("\n") == 40, "it can be repaired", got.err)
if tap.PERF:
    tap.equal(tap.perf_script_lines(tap.path("repaired")), 40, "perf reads what was repaired")
tap.done()
