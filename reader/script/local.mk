# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/script/cmd_script.c reader/script/cmd_script.h
reader_sources += reader/script/print_line_start.c reader/script/print_line_start.h
reader_sources += reader/script/print_location.c reader/script/print_location.h
reader_sources += reader/script/print_script.c reader/script/print_script.h
reader_sources += reader/script/print_sideband.c reader/script/print_sideband.h
reader_sources += reader/script/script_fields.c reader/script/script_fields.h
reader_sources += reader/script/script_options.c reader/script/script_options.h
reader_sources += reader/script/script_perf_options.c reader/script/script_perf_options.h
reader_sources += reader/script/text_cache.c reader/script/text_cache.h
EXTRA_DIST += reader/script/README.md
