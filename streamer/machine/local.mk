# SPDX-License-Identifier: Apache-2.0
streamer_sources += streamer/machine/bpf.c streamer/machine/bpf.h
streamer_sources += streamer/machine/cgroup.c streamer/machine/cgroup.h
streamer_sources += streamer/machine/cpu_groups.c streamer/machine/cpu_groups.h
streamer_sources += streamer/machine/cpu_visit.c streamer/machine/cpu_visit.h
streamer_sources += streamer/machine/kallsyms.c streamer/machine/kallsyms.h
streamer_sources += streamer/machine/kmodules.c streamer/machine/kmodules.h
streamer_sources += streamer/machine/memory_place.c streamer/machine/memory_place.h
streamer_sources += streamer/machine/proc_text.c streamer/machine/proc_text.h
streamer_sources += streamer/machine/record_clock.c streamer/machine/record_clock.h
streamer_sources += streamer/machine/schedule.c streamer/machine/schedule.h
streamer_sources += streamer/machine/thread_cost.c streamer/machine/thread_cost.h
EXTRA_DIST += streamer/machine/README.md
