# SPDX-License-Identifier: Apache-2.0
streamer_sources += streamer/directory/capture_info.c streamer/directory/capture_info.h
streamer_sources += streamer/directory/cut.c streamer/directory/cut.h
streamer_sources += streamer/directory/data_file.c streamer/directory/data_file.h
streamer_sources += streamer/directory/features.c streamer/directory/features.h
streamer_sources += streamer/directory/features_cpu.c
streamer_sources += streamer/directory/features_memory.c
streamer_sources += streamer/directory/features_parts.h
streamer_sources += streamer/directory/ledger.c streamer/directory/ledger.h
streamer_sources += streamer/directory/left_over.c streamer/directory/left_over.h
streamer_sources += streamer/directory/live_table.c streamer/directory/live_table.h
streamer_sources += streamer/directory/live_table_apply.c streamer/directory/live_table_parts.h
streamer_sources += streamer/directory/measure_info.c streamer/directory/measure_info.h
streamer_sources += streamer/directory/names_gaps.c streamer/directory/names_gaps.h
streamer_sources += streamer/directory/needed_tasks.c streamer/directory/needed_tasks.h
streamer_sources += streamer/directory/sideband_log.c streamer/directory/sideband_log.h
streamer_sources += streamer/directory/tracing_data.c streamer/directory/tracing_data.h
EXTRA_DIST += streamer/directory/README.md
