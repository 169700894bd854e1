# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/archive/archive.c reader/archive/archive.h
reader_sources += reader/archive/cmd_archive.c reader/archive/cmd_archive.h
reader_sources += reader/archive/elf_slim.c reader/archive/elf_slim.h
EXTRA_DIST += reader/archive/README.md
