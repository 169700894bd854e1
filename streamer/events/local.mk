# SPDX-License-Identifier: Apache-2.0
streamer_sources += streamer/events/cmd_list.c streamer/events/cmd_list.h
streamer_sources += streamer/events/event.c streamer/events/event.h
streamer_sources += streamer/events/event_attr.c streamer/events/event_attr.h
streamer_sources += streamer/events/event_branch.c streamer/events/event_branch.h
streamer_sources += streamer/events/event_catalogue.c streamer/events/event_catalogue.h
streamer_sources += streamer/events/event_cgroup.c
streamer_sources += streamer/events/event_modifier.c streamer/events/event_modifier.h
streamer_sources += streamer/events/event_names.c streamer/events/event_names.h
streamer_sources += streamer/events/event_parse.c
streamer_sources += streamer/events/event_pmu.c streamer/events/event_pmu.h
streamer_sources += streamer/events/event_regs.c streamer/events/event_regs.h
streamer_sources += streamer/events/event_term.c streamer/events/event_term.h
streamer_sources += streamer/events/event_tracepoint.c streamer/events/event_tracepoint.h
streamer_sources += streamer/events/print_event_attr.c streamer/events/print_event_attr.h
EXTRA_DIST += streamer/events/README.md
