# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/page/flame_svg.c reader/page/flame_svg.h
reader_sources += reader/page/frame_looks.c reader/page/frame_looks.h
reader_sources += reader/page/frame_palette.c reader/page/frame_palette.h
reader_sources += reader/page/look_objects.c reader/page/look_objects.h
reader_sources += reader/page/markup.c reader/page/markup.h
reader_sources += reader/page/named_threads.c reader/page/named_threads.h
reader_sources += reader/page/shown_event.c reader/page/shown_event.h
reader_sources += reader/page/stack_paths.c reader/page/stack_paths.h
reader_sources += reader/page/stack_tree.c reader/page/stack_tree.h
reader_sources += reader/page/timed_gaps.c reader/page/timed_gaps.h
reader_sources += reader/page/timed_merge.c reader/page/timed_merge.h
reader_sources += reader/page/timed_samples.c reader/page/timed_samples.h
reader_sources += reader/page/timed_threads.c reader/page/timed_threads.h
reader_sources += reader/page/timed_ties.c reader/page/timed_ties.h
reader_sources += reader/page/timed_groups.c reader/page/timed_groups.h
reader_sources += reader/page/timed_walk.c reader/page/timed_walk.h
EXTRA_DIST += reader/page/README.md
