# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/dump/dump_record.c reader/dump/dump_record.h
reader_sources += reader/dump/print_attr.c reader/dump/print_attr.h
reader_sources += reader/dump/print_dump.c reader/dump/print_dump.h
reader_sources += reader/dump/print_header.c reader/dump/print_header.h
reader_sources += reader/dump/print_stats.c reader/dump/print_stats.h
EXTRA_DIST += reader/dump/README.md
