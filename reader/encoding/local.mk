# SPDX-License-Identifier: Apache-2.0
encoding_sources =
encoding_sources += reader/encoding/gzip_file.c reader/encoding/gzip_file.h
encoding_sources += reader/encoding/json_file.c reader/encoding/json_file.h
if ZLIB
reader_sources += $(encoding_sources)
endif

packed_sources = reader/encoding/packed_file.c reader/encoding/packed_file.h
if PROTOBUF
reader_sources += $(packed_sources)
endif

EXTRA_DIST += reader/encoding/README.md
