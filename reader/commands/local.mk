# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/commands/beside_file.c reader/commands/beside_file.h
reader_sources += reader/commands/interrupt_thread.c reader/commands/interrupt_thread.h
reader_sources += reader/commands/pager.c reader/commands/pager.h
reader_sources += reader/commands/print_memory.c reader/commands/print_memory.h
reader_sources += reader/commands/print_warnings.c reader/commands/print_warnings.h
reader_sources += reader/commands/result_file.c reader/commands/result_file.h
reader_sources += reader/commands/screen.c reader/commands/screen.h
reader_sources += reader/commands/result_folder.c reader/commands/result_folder.h
reader_sources += reader/commands/result_mark.c reader/commands/result_mark.h
reader_sources += reader/commands/session.c reader/commands/session.h
reader_sources += reader/commands/sigbus.c reader/commands/sigbus.h
EXTRA_DIST += reader/commands/README.md
