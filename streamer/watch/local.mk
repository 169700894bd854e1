# SPDX-License-Identifier: Apache-2.0
streamer_sources += streamer/watch/caller_state.c streamer/watch/caller_state.h
streamer_sources += streamer/watch/cpu_absence.c streamer/watch/cpu_absence.h
streamer_sources += streamer/watch/disk_watch.c streamer/watch/disk_watch.h
streamer_sources += streamer/watch/hotplug.c streamer/watch/hotplug.h
streamer_sources += streamer/watch/perf_control.c streamer/watch/perf_control.h
streamer_sources += streamer/watch/program_runner.c streamer/watch/program_runner.h
streamer_sources += streamer/watch/sideband_gap.c streamer/watch/sideband_gap.h
streamer_sources += streamer/watch/size_limit.c streamer/watch/size_limit.h
streamer_sources += streamer/watch/target_life.c streamer/watch/target_life.h
streamer_sources += streamer/watch/watch.c streamer/watch/watch.h
streamer_sources += streamer/watch/workload.c streamer/watch/workload.h
EXTRA_DIST += streamer/watch/README.md
