# SPDX-License-Identifier: Apache-2.0
common_sources += common/stream/checksum.c common/stream/checksum.h
common_sources += common/stream/checksum_avx2.c
common_sources += common/stream/chunk.c common/stream/chunk.h
common_sources += common/stream/compress.c common/stream/compress.h
common_sources += common/stream/stream.c common/stream/stream.h
common_sources += common/stream/stream_disk.h
common_sources += common/stream/stream_index.c common/stream/stream_index.h
common_sources += common/stream/timeline.c common/stream/timeline.h
common_sources += common/stream/timeline_json.c common/stream/timeline_json.h
EXTRA_DIST += common/stream/README.md
