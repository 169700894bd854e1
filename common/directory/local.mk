# SPDX-License-Identifier: Apache-2.0
common_sources += common/directory/capture_note.c common/directory/capture_note.h
common_sources += common/directory/directory.c common/directory/directory.h
common_sources += common/directory/directory_names.c common/directory/directory_parts.h
common_sources += common/directory/directory_place.c
common_sources += common/directory/memory_store.h
common_sources += common/directory/noted_streams.c common/directory/noted_streams.h
common_sources += common/directory/output_place.c common/directory/output_place.h
common_sources += common/directory/recorder.c common/directory/recorder.h
common_sources += common/directory/symbols_folder.c common/directory/symbols_folder.h
EXTRA_DIST += common/directory/README.md
