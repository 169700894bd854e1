# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/objects/build_id_cache.c reader/objects/build_id_cache.h
reader_sources += reader/objects/debug_file.c reader/objects/debug_file.h
reader_sources += reader/objects/debug_server.c reader/objects/debug_server.h
reader_sources += reader/objects/demangle.c reader/objects/demangle.h
reader_sources += reader/objects/elf_file.c reader/objects/elf_file.h
reader_sources += reader/objects/harmless.c reader/objects/harmless.h
reader_sources += reader/objects/mini_debug.c reader/objects/mini_debug.h
reader_sources += reader/objects/object_file.c reader/objects/object_file.h
reader_sources += reader/objects/process_file.c reader/objects/process_file.h
reader_sources += reader/objects/process_root.c reader/objects/process_root.h
reader_sources += reader/objects/srcline.c reader/objects/srcline.h
reader_sources += reader/objects/symbol_place_options.c reader/objects/symbol_place_options.h
reader_sources += reader/objects/symbol_places.c reader/objects/symbol_places.h
reader_sources += reader/objects/untrusted_file.c reader/objects/untrusted_file.h
EXTRA_DIST += reader/objects/README.md
