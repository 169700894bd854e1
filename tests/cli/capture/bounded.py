#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reading costs what the size of a capture allows, whatever it has many of. These kinds cost more once; tests/long/bounded.py has all."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ.get("abs_srcdir", "."), "tests/support"))
import growing  # noqa: E402
import tap  # noqa: E402

ONCE = ["forks_in_a_chain", "chain_with_maps", "execs", "maps_downwards", "ksymbols", "jitdumps_gone", "jitdump_mapped_often",
        "colliding_threads", "colliding_event_ids", "build_ids", "entries_of_a_chunk"]

tap.at_once([lambda name=name: growing.compare(name, 8000, ["script"]) for name in ONCE] +
            [lambda: growing.compare("names_of_a_thread", 24000, ["nested"]), lambda: growing.compare("threads_with_maps", 2000, ["mmaps"]),
             lambda: growing.compare("members_of_groups", 4000, ["header"]), lambda: growing.compare("name_of_an_event", 4000, ["script"]),
             lambda: growing.compare("name_of_a_process", 10000, ["script"]), lambda: growing.compare("name_of_a_map", 10000, ["script"]),
             lambda: growing.compare("ksymbols_called", 10000, ["callers"]),
             lambda: growing.compare("compressed_dumps", 10000, ["script"]), lambda: growing.compare("compressed_streams", 10000, ["dump"]),
             # From 28 MB of records on, chunks are set aside and loaded again, and a sample costs twice as much: both sizes lie above.
             lambda: growing.compare("compressed_samples_of_one_time", 14000, ["dump"]),
             lambda: growing.compare("headers_in_damaged_chunks", 2000, ["script"]),
             *[lambda name=name: growing.compare(name, 5000, ["script"])
               for name in ("far_chunks_of_one_time", "far_chunks_that_overlap", "far_chunks_that_alternate", "far_chunks_beside_plain_ones",
                            "far_chunks_beside_a_false_claim")],
             lambda: growing.compare("streams_of_a_note", 20000, ["check"]),
             lambda: growing.compare("rings_of_two_notes", 8000, ["merge_two"]),
             lambda: growing.compare("copies_with_other_ends", 2000, ["merge_two"])])
tap.done()
