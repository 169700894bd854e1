# SPDX-License-Identifier: Apache-2.0
streamer_sources += streamer/triggers/pinned_map.c streamer/triggers/pinned_map.h
streamer_sources += streamer/triggers/trigger.c streamer/triggers/trigger.h
streamer_sources += streamer/triggers/trigger_events.c
streamer_sources += streamer/triggers/trigger_parts.h
streamer_sources += streamer/triggers/trigger_psi.c
EXTRA_DIST += streamer/triggers/README.md
