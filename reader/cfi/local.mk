# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/cfi/cfi.c reader/cfi/cfi.h
reader_sources += reader/cfi/unwind_module.c reader/cfi/unwind_module.h
reader_sources += reader/cfi/unwind_section.c reader/cfi/unwind_section.h
reader_sources += reader/cfi/unwind_table.c reader/cfi/unwind_table.h
EXTRA_DIST += reader/cfi/README.md
