# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/page/frame_looks.c reader/page/frame_looks.h
reader_sources += reader/page/shown_event.c reader/page/shown_event.h
reader_sources += reader/page/stack_paths.c reader/page/stack_paths.h
EXTRA_DIST += reader/page/README.md
