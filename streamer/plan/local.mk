# SPDX-License-Identifier: Apache-2.0
streamer_sources += streamer/plan/option_conflicts.c streamer/plan/option_conflicts.h
streamer_sources += streamer/plan/print_record_plan.c streamer/plan/print_record_plan.h
streamer_sources += streamer/plan/record_options.c streamer/plan/record_options.h
streamer_sources += streamer/plan/record_perf_options.c streamer/plan/record_perf_options.h
streamer_sources += streamer/plan/record_plan.c streamer/plan/record_plan.h
streamer_sources += streamer/plan/record_values.c streamer/plan/record_values.h
streamer_sources += streamer/plan/trigger_options.c streamer/plan/trigger_options.h
EXTRA_DIST += streamer/plan/README.md
