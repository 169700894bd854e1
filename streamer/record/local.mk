# SPDX-License-Identifier: Apache-2.0
streamer_sources += streamer/record/cmd_record.c streamer/record/cmd_record.h
streamer_sources += streamer/record/daemon.c streamer/record/daemon.h
streamer_sources += streamer/record/hold_check.c streamer/record/hold_check.h
streamer_sources += streamer/record/print_measures.c streamer/record/print_measures.h
streamer_sources += streamer/record/print_summary.c streamer/record/print_summary.h
streamer_sources += streamer/record/record_loop.c streamer/record/record_loop.h
streamer_sources += streamer/record/status_line.c streamer/record/status_line.h
EXTRA_DIST += streamer/record/README.md
