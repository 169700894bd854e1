#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A second of a long capture, or a CPU of it, is reported without reading the rest: with the index, as a killed recorder leaves
it, and without any index. tests/programs/large_capture.c leaves holes where nothing may be read, so that whoever reads one finds
damage; what was read is counted by tstream, and the kernel says which pages came into memory."""
import ctypes
import mmap
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import tap  # noqa: E402

LARGE = os.path.join(os.environ.get("abs_builddir", "."), "tests/programs/large_capture")
STREAMS, CHUNKS, KIB, SECONDS, AT = 2, 2100, 96, 210, 100  # ten chunks a second and stream
SIDEBAND = STREAMS * -(-CHUNKS // 1000)
SECOND = ["--time", f"{1000 + AT},{1000 + AT}.999999999"]
CHUNK_BYTES = KIB * 1024 + 152
INDEX_BYTES = STREAMS * (CHUNKS + 3) * 73  # 72 an entry, and the heads
PAGE = mmap.PAGESIZE


def make(kind):
    capture = tap.path(kind)
    result = tap.run(LARGE, capture, *(str(n) for n in (STREAMS, CHUNKS, KIB, SECONDS, AT)), kind)
    if result.status:
        tap.skip_all(f"no capture could be made: {result.err}")
    return capture, int(result.out)


def streams(capture):
    return [os.path.join(capture, f"data.{n}") for n in range(STREAMS)]


def drop(capture):
    """Has the kernel forget the streams."""
    for path in streams(capture):
        fd = os.open(path, os.O_RDWR)
        os.fsync(fd)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)


def resident(capture):
    """Bytes of the streams that are in memory."""
    libc = ctypes.CDLL(None, use_errno=True)
    total = 0
    for path in streams(capture):
        with open(path, "r+b") as f, mmap.mmap(f.fileno(), 0, flags=mmap.MAP_SHARED) as m:
            there = ctypes.create_string_buffer(-(-len(m) // PAGE))
            at = (ctypes.c_char * len(m)).from_buffer(m)
            if libc.mincore(ctypes.byref(at), ctypes.c_size_t(len(m)), there):
                raise OSError(ctypes.get_errno(), "mincore")
            del at
            total += PAGE * sum(b & 1 for b in there.raw)
    return total


def said(result):
    match = re.search(r"Read (\d+) of (\d+) chunks, (\d+) of (\d+) bytes", result.err)
    return tuple(int(n) for n in match.groups()) if match else (0, 0, 0, 0)


def check_second(kind, more):
    capture, samples = make(kind)
    if kind != "killed":
        drop(capture)
    before = resident(capture)
    result = tap.run(tap.TSTREAM, "report", "-v", "-q", "-n", "-s", "comm,cpu", "-i", capture, *SECOND)
    after = resident(capture)
    rows = re.findall(r"(\d+)  a-name +(\d+)$", result.out, re.M)
    tap.ok(result.status == 0 and sorted(int(cpu) for _, cpu in rows) == list(range(2 * STREAMS)) and
           all(int(n) == 5 * samples for n, _ in rows), f"{kind}: a second has its samples and names", result.out + result.err)
    chunks, of_chunks, read, of_bytes = said(result)
    tap.equal((chunks, of_chunks), (10 * STREAMS + SIDEBAND, STREAMS * CHUNKS + SIDEBAND + 1),
              f"{kind}: chunks read")
    most = 10 * STREAMS * CHUNK_BYTES + SIDEBAND * 216 + more
    tap.ok(read <= most < of_bytes / 5, f"{kind}: bytes read", f"{read}, at most {most}, of {of_bytes}")
    if kind == "killed":  # the search for its last index is helped by as much readahead as the machine likes
        return
    if before:
        tap.skip(f"{kind}: pages read", f"{before} bytes of the streams stay in memory here")
    else:
        # Each header, and each end of what is read at once, takes a page.
        pages = most + PAGE * (2 * chunks + STREAMS * (CHUNKS + 257 if kind == "bare" else 2 * (CHUNKS // 256 + 2)))
        tap.ok(0 < after <= pages < of_bytes / 5, f"{kind}: pages read", f"{after}, at most {pages}, of {of_bytes}")
    if kind == "complete":
        check_ways(capture, samples)


def check_ways(capture, samples):
    """The same second in other words and by other commands."""
    share = ["--time", f"{100 * AT / SECONDS + 1e-7:.9f}%-{100 * (AT + 1) / SECONDS - 1e-7:.9f}%"]
    result = tap.run(tap.TSTREAM, "script", "-v", "-i", capture, *share)
    tap.ok(result.status == 0 and said(result)[0] == 10 * STREAMS + SIDEBAND and
           0 <= 10 * STREAMS * samples - result.out.count("\n") <= 2 * STREAMS,
           "script of a share of the time reads no more", f"{result.err} {result.out.count(chr(10))} of {10 * STREAMS * samples}")
    result = tap.run(tap.TSTREAM, "script", "-v", "-i", capture, *SECOND, "--cpu", "3")
    tap.ok(result.status == 0 and said(result)[0] == 5 + SIDEBAND and result.out.count("\n") == 5 * samples,
           "of a CPU only its chunks are read", result.err)
    result = tap.run(tap.TSTREAM, "report", "-D", "-v", "-i", capture, *SECOND, "-C", "0,1", "--comm", "a-name")
    tap.ok(result.status == 0 and said(result)[0] == 10 + SIDEBAND and
           len(re.findall(r"PERF_RECORD_SAMPLE\(", result.out)) == 10 * samples, "-D of it reads no more", result.err)
    result = tap.run(tap.TSTREAM, "report", "-i", capture)
    tap.ok(result.status == 1 and "damaged" in result.err, "what is outside of it cannot be read at all", result.err)


def main():
    check_second("complete", INDEX_BYTES)
    check_second("killed", INDEX_BYTES + STREAMS * 257 * (CHUNK_BYTES + 152 + 152))
    check_second("bare", STREAMS * (CHUNKS + 3 + 257) * 152)
    tap.done()


main()
