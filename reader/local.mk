# SPDX-License-Identifier: Apache-2.0
# map -> chunks -> ordered | aggregate -> print. One module a line, each line complete.
reader_sources += reader/symbol.h
reader_sources += reader/map.h
reader_sources += reader/capture.h
reader_sources += reader/chunk_table.h
reader_sources += reader/ordered.h
