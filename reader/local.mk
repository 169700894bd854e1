# SPDX-License-Identifier: Apache-2.0
# map -> chunks -> ordered | aggregate -> print. One module a line, each line complete.
reader_sources += reader/symbol.c reader/symbol.h
reader_sources += reader/map.h
reader_sources += reader/capture.h
reader_sources += reader/chunk_table.h
reader_sources += reader/ordered.h
reader_sources += reader/module.c reader/module.h
reader_sources += reader/symbol_table.c reader/symbol_table.h
reader_sources += reader/symbol_elf.c reader/symbol_elf.h
reader_sources += reader/symbol_text.c reader/symbol_text.h
reader_sources += reader/demangle.c reader/demangle.h
reader_sources += reader/workers.c reader/workers.h
reader_sources += reader/map.c
reader_sources += reader/capture.c
reader_sources += reader/scan.c reader/scan.h
reader_sources += reader/hop.c reader/hop.h
reader_sources += reader/chunk_table.c
reader_sources += reader/ordered.c
reader_sources += reader/tracefields.c reader/tracefields.h
reader_sources += reader/replay.c reader/replay.h
reader_sources += reader/conveyor.c reader/conveyor.h
reader_sources += reader/text.c reader/text.h
reader_sources += reader/print_script.c reader/print_script.h
reader_sources += reader/cmd_script.c reader/cmd_script.h
reader_sources += reader/dump_record.c reader/dump_record.h
reader_sources += reader/print_dump.c reader/print_dump.h
