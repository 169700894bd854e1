# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/cfi/cfi.c reader/cfi/cfi.h
reader_sources += reader/cfi/cfi_bytes.c reader/cfi/cfi_bytes.h
reader_sources += reader/cfi/cfi_entry.c reader/cfi/cfi_entry.h
reader_sources += reader/cfi/cfi_program.c reader/cfi/cfi_program.h
reader_sources += reader/cfi/unwind_module.c reader/cfi/unwind_module.h
reader_sources += reader/cfi/unwind_section.c reader/cfi/unwind_section.h
reader_sources += reader/cfi/unwind_table.c reader/cfi/unwind_table.h
EXTRA_DIST += reader/cfi/README.md
