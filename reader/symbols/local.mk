# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/symbols/code_spans.c reader/symbols/code_spans.h
reader_sources += reader/symbols/inlined.c reader/symbols/inlined.h
reader_sources += reader/symbols/jit_lines.c reader/symbols/jit_lines.h
reader_sources += reader/symbols/jit_unwind.c reader/symbols/jit_unwind.h
reader_sources += reader/symbols/jitdump.c reader/symbols/jitdump.h
reader_sources += reader/symbols/line_names.c reader/symbols/line_names.h
reader_sources += reader/symbols/module.c reader/symbols/module.h
reader_sources += reader/symbols/perf_map.c reader/symbols/perf_map.h
reader_sources += reader/symbols/recorded_ids.c reader/symbols/recorded_ids.h
reader_sources += reader/symbols/symbol.c reader/symbols/symbol.h
reader_sources += reader/symbols/symbol_ahead.c reader/symbols/symbol_ahead.h
reader_sources += reader/symbols/symbol_elf.c reader/symbols/symbol_elf.h
reader_sources += reader/symbols/symbol_pieces.c reader/symbols/symbol_pieces.h
reader_sources += reader/symbols/symbol_table.c reader/symbols/symbol_table.h
reader_sources += reader/symbols/symbol_text.c reader/symbols/symbol_text.h
EXTRA_DIST += reader/symbols/README.md
