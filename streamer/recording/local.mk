# SPDX-License-Identifier: Apache-2.0
streamer_sources += streamer/recording/crew.c streamer/recording/crew.h
streamer_sources += streamer/recording/crew_cut.c
streamer_sources += streamer/recording/crew_rings.c
streamer_sources += streamer/recording/memory_segments.c streamer/recording/memory_segments.h
streamer_sources += streamer/recording/names_again.c streamer/recording/names_again.h
streamer_sources += streamer/recording/on_snapshot.c streamer/recording/on_snapshot.h
streamer_sources += streamer/recording/part.c streamer/recording/part.h
streamer_sources += streamer/recording/recording.c streamer/recording/recording.h
streamer_sources += streamer/recording/recording_cpus.c
streamer_sources += streamer/recording/recording_open.c
streamer_sources += streamer/recording/rotation.c streamer/recording/rotation.h
streamer_sources += streamer/recording/rotation_condense.c streamer/recording/rotation_condense.h
streamer_sources += streamer/recording/rotation_kept.c streamer/recording/rotation_kept.h
streamer_sources += streamer/recording/rotation_log.c streamer/recording/rotation_log.h
EXTRA_DIST += streamer/recording/README.md
