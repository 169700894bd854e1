# SPDX-License-Identifier: Apache-2.0
streamer_sources += streamer/rings/file_ids.c streamer/rings/file_ids.h
streamer_sources += streamer/rings/overwrite_state.c streamer/rings/overwrite_state.h
streamer_sources += streamer/rings/perf_open.c streamer/rings/perf_open.h
streamer_sources += streamer/rings/record_walk.c streamer/rings/record_walk.h
streamer_sources += streamer/rings/ring.c streamer/rings/ring.h
streamer_sources += streamer/rings/ring_backward.c streamer/rings/ring_backward.h
streamer_sources += streamer/rings/ring_kind.c streamer/rings/ring_kind.h
streamer_sources += streamer/rings/ring_fed.c streamer/rings/ring_fed.h
streamer_sources += streamer/rings/source.c streamer/rings/source.h
streamer_sources += streamer/rings/source_filter.c
streamer_sources += streamer/rings/source_lost.c
streamer_sources += streamer/rings/source_open.c
streamer_sources += streamer/rings/source_parts.h
streamer_sources += streamer/rings/source_switch.c
streamer_sources += streamer/rings/task_filter.c streamer/rings/task_filter.h
EXTRA_DIST += streamer/rings/README.md
