# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/parquet/parquet_column.c reader/parquet/parquet_column.h
reader_sources += reader/parquet/parquet_file.c reader/parquet/parquet_file.h
reader_sources += reader/parquet/parquet_values.c reader/parquet/parquet_values.h
reader_sources += reader/parquet/thrift_compact.c reader/parquet/thrift_compact.h
EXTRA_DIST += reader/parquet/README.md
