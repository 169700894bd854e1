# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/merge/cmd_merge.c reader/merge/cmd_merge.h
reader_sources += reader/merge/cmd_rescue.c reader/merge/cmd_rescue.h
reader_sources += reader/merge/memory_stores.c reader/merge/memory_stores.h
reader_sources += reader/merge/merge.c reader/merge/merge.h
reader_sources += reader/merge/merge_build_ids.c reader/merge/merge_build_ids.h
reader_sources += reader/merge/merge_chunks.c
reader_sources += reader/merge/merge_data.c
reader_sources += reader/merge/merge_note.c
reader_sources += reader/merge/merge_output.c reader/merge/merge_output.h
reader_sources += reader/merge/merge_parts.c
reader_sources += reader/merge/merge_single.c
reader_sources += reader/merge/merge_streams.c
reader_sources += reader/merge/print_merge_damage.c reader/merge/print_merge_damage.h
EXTRA_DIST += reader/merge/README.md
