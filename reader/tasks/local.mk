# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/tasks/address_space.c reader/tasks/address_space.h
reader_sources += reader/tasks/fork_index.c reader/tasks/fork_index.h
reader_sources += reader/tasks/hash_index.c reader/tasks/hash_index.h
reader_sources += reader/tasks/range_tree.c reader/tasks/range_tree.h
reader_sources += reader/tasks/task_lookup.c
reader_sources += reader/tasks/task_pieces.c
reader_sources += reader/tasks/task_table.c reader/tasks/task_table.h
reader_sources += reader/tasks/tasks.c reader/tasks/tasks.h
reader_sources += reader/tasks/timed_versions.h
EXTRA_DIST += reader/tasks/README.md
