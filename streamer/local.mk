# SPDX-License-Identifier: Apache-2.0
# events -> ring -> buffer -> sink. One module a line, each line complete.
streamer_sources += streamer/synthesis.h
streamer_sources += streamer/features.h
streamer_sources += streamer/tracing_data.h
streamer_sources += streamer/workload.c streamer/workload.h
streamer_sources += streamer/control.c streamer/control.h
streamer_sources += streamer/layout.c streamer/layout.h
streamer_sources += streamer/layout_machine.c
streamer_sources += streamer/cpu_groups.c streamer/cpu_groups.h
streamer_sources += streamer/target.h
streamer_sources += streamer/event.h
streamer_sources += streamer/event_attr.h
streamer_sources += streamer/privilege.h
streamer_sources += streamer/source.h
streamer_sources += streamer/ring.c streamer/ring.h
streamer_sources += streamer/sink.h
streamer_sources += streamer/writer.h
streamer_sources += streamer/lines.c streamer/lines.h
streamer_sources += streamer/kallsyms.c streamer/kallsyms.h
