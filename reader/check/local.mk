# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/check/check.c reader/check/check.h
reader_sources += reader/check/check_chunk.c
reader_sources += reader/check/check_finding.c reader/check/check_finding.h
reader_sources += reader/check/check_header.c
reader_sources += reader/check/check_note.c
reader_sources += reader/check/check_stream.c
reader_sources += reader/check/cmd_check.c reader/check/cmd_check.h
reader_sources += reader/check/print_check.c reader/check/print_check.h
reader_sources += reader/check/relaid_stream.c reader/check/relaid_stream.h
reader_sources += reader/check/repair.c reader/check/repair.h
reader_sources += reader/check/repair_data.c
reader_sources += reader/check/repair_stream.c
EXTRA_DIST += reader/check/README.md
