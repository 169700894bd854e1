# SPDX-License-Identifier: Apache-2.0
streamer_sources += streamer/layout/layout.c streamer/layout/layout.h
streamer_sources += streamer/layout/layout_draft.c streamer/layout/layout_draft.h
streamer_sources += streamer/layout/layout_expect.c
streamer_sources += streamer/layout/layout_groups.c
streamer_sources += streamer/layout/layout_machine.c
streamer_sources += streamer/layout/layout_masks.c
streamer_sources += streamer/layout/print_layout.c streamer/layout/print_layout.h
EXTRA_DIST += streamer/layout/README.md
