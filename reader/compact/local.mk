# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/compact/cmd_compact.c reader/compact/cmd_compact.h
reader_sources += reader/compact/compact.c reader/compact/compact.h
reader_sources += reader/compact/compact_batch.c reader/compact/compact_batch.h
reader_sources += reader/compact/compact_note.c
reader_sources += reader/compact/compact_sample.c reader/compact/compact_sample.h
reader_sources += reader/compact/compact_streams.c
EXTRA_DIST += reader/compact/README.md
