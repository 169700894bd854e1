# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/rows/callgraph.c reader/rows/callgraph.h
reader_sources += reader/rows/callgraph_style.c reader/rows/callgraph_style.h
reader_sources += reader/rows/event_groups.c reader/rows/event_groups.h
reader_sources += reader/rows/grouping.c reader/rows/grouping.h
reader_sources += reader/rows/hierarchy.c reader/rows/hierarchy.h
reader_sources += reader/rows/parent_key.c reader/rows/parent_key.h
reader_sources += reader/rows/sort_keys.c reader/rows/sort_keys.h
reader_sources += reader/rows/table.c reader/rows/table.h
reader_sources += reader/rows/table_build.c reader/rows/table_build.h
reader_sources += reader/rows/table_order.c reader/rows/table_order.h
EXTRA_DIST += reader/rows/README.md
