# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/samples/deferred_callchains.c reader/samples/deferred_callchains.h
reader_sources += reader/samples/delta_parts.h
reader_sources += reader/samples/delta_walk.c
reader_sources += reader/samples/deltas.c reader/samples/deltas.h
reader_sources += reader/samples/deltas_count.c
reader_sources += reader/samples/read_values.c reader/samples/read_values.h
reader_sources += reader/samples/sample_brief.c reader/samples/sample_brief.h
reader_sources += reader/samples/thread_moments.c reader/samples/thread_moments.h
reader_sources += reader/samples/unwind.c reader/samples/unwind.h
reader_sources += reader/samples/unwind_elf.c reader/samples/unwind_elf.h
reader_sources += reader/samples/unwind_options.c reader/samples/unwind_options.h
reader_sources += reader/samples/unwind_regs.h
EXTRA_DIST += reader/samples/README.md
