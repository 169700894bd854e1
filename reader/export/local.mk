# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/export/cmd_export.c reader/export/cmd_export.h
reader_sources += reader/export/cmd_export_copy.c reader/export/cmd_export_copy.h
reader_sources += reader/export/export_about.c reader/export/export_about.h
reader_sources += reader/export/export_folded.c reader/export/export_folded.h
reader_sources += reader/export/export_format.c reader/export/export_format.h
reader_sources += reader/export/export_options.c reader/export/export_options.h
reader_sources += reader/export/export_parquet.c reader/export/export_parquet.h
reader_sources += reader/export/export_source.h
reader_sources += reader/export/export_times.c reader/export/export_times.h
reader_sources += reader/export/parquet_samples.c reader/export/parquet_samples.h
reader_sources += reader/export/parquet_stacks.c reader/export/parquet_stacks.h
reader_sources += reader/export/parquet_texts.c reader/export/parquet_texts.h
reader_sources += reader/export/time_slices.c reader/export/time_slices.h

# Formats that are written as one gzip member.
zlib_sources =
zlib_sources += reader/export/chrome_lanes.c reader/export/chrome_lanes.h
zlib_sources += reader/export/chrome_slices.c reader/export/chrome_slices.h
zlib_sources += reader/export/export_chrome.c reader/export/export_chrome.h
zlib_sources += reader/export/export_firefox.c reader/export/export_firefox.h
zlib_sources += reader/export/export_speedscope.c reader/export/export_speedscope.h
zlib_sources += reader/export/firefox_tables.c reader/export/firefox_tables.h
if ZLIB
reader_sources += $(zlib_sources)
endif

# Formats of protobuf, whose messages are described in reader/packed.
protobuf_writers =
protobuf_writers += reader/export/export_otlp.c reader/export/export_otlp.h
protobuf_writers += reader/export/export_perfetto.c reader/export/export_perfetto.h
protobuf_writers += reader/export/otlp_words.c reader/export/otlp_words.h
protobuf_writers += reader/export/perfetto_tracks.c reader/export/perfetto_tracks.h
# This one is compressed, too.
pprof_sources = reader/export/export_pprof.c reader/export/export_pprof.h
if PROTOBUF
reader_sources += $(protobuf_writers)
reader/export/export_otlp.$(OBJEXT): reader/packed/otlp.pb-c.h
reader/export/otlp_words.$(OBJEXT): reader/packed/otlp.pb-c.h
reader/export/export_perfetto.$(OBJEXT): reader/packed/perfetto.pb-c.h
reader/export/perfetto_tracks.$(OBJEXT): reader/packed/perfetto.pb-c.h
reader/export/export_pprof.$(OBJEXT): reader/packed/pprof.pb-c.h
if ZLIB
reader_sources += $(pprof_sources)
endif
endif

EXTRA_DIST += reader/export/README.md
