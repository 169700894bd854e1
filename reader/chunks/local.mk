# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/chunks/chunk_contents.c reader/chunks/chunk_contents.h
reader_sources += reader/chunks/chunk_load.c reader/chunks/chunk_load.h
reader_sources += reader/chunks/chunk_salvage.c reader/chunks/chunk_salvage.h
reader_sources += reader/chunks/chunk_table.c reader/chunks/chunk_table.h
reader_sources += reader/chunks/live_capture.c reader/chunks/live_capture.h
reader_sources += reader/chunks/parallel_scan.c reader/chunks/parallel_scan.h
reader_sources += reader/chunks/range_scan.c reader/chunks/range_scan.h
reader_sources += reader/chunks/record_sanity.c reader/chunks/record_sanity.h
reader_sources += reader/chunks/resync.c reader/chunks/resync.h
reader_sources += reader/chunks/select_chunks.c reader/chunks/select_chunks.h
reader_sources += reader/chunks/selection.c reader/chunks/selection.h
reader_sources += reader/chunks/selection_options.c reader/chunks/selection_options.h
reader_sources += reader/chunks/selection_words.c reader/chunks/selection_words.h
reader_sources += reader/chunks/stream_walk.c reader/chunks/stream_walk.h
reader_sources += reader/chunks/time_ranges.c reader/chunks/time_ranges.h
EXTRA_DIST += reader/chunks/README.md
