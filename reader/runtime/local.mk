# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/runtime/json_text.c reader/runtime/json_text.h
reader_sources += reader/runtime/line_output.c reader/runtime/line_output.h
reader_sources += reader/runtime/name_table.c reader/runtime/name_table.h
reader_sources += reader/runtime/progress.c reader/runtime/progress.h
reader_sources += reader/runtime/memory.c reader/runtime/memory.h
reader_sources += reader/runtime/memory_limit.c reader/runtime/memory_limit.h reader/runtime/memory_parts.h
reader_sources += reader/runtime/memory_options.c reader/runtime/memory_options.h
reader_sources += reader/runtime/sha256.c reader/runtime/sha256.h
reader_sources += reader/runtime/temporary_file.c reader/runtime/temporary_file.h
reader_sources += reader/runtime/text.c reader/runtime/text.h
reader_sources += reader/runtime/workers.c reader/runtime/workers.h
EXTRA_DIST += reader/runtime/README.md
