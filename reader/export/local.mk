# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/export/cmd_export.c reader/export/cmd_export.h
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

# A format that is written as one gzip member.
zlib_sources =
zlib_sources += reader/export/export_firefox.c reader/export/export_firefox.h
zlib_sources += reader/export/firefox_tables.c reader/export/firefox_tables.h
if ZLIB
reader_sources += $(zlib_sources)
endif

# Formats of protobuf: messages are packed by what protoc-c makes of the .proto files.
protobuf_sources =
protobuf_sources += reader/export/export_otlp.c reader/export/export_otlp.h
protobuf_sources += reader/export/export_perfetto.c reader/export/export_perfetto.h
protobuf_sources += reader/export/otlp_dictionary.c reader/export/otlp_dictionary.h
protobuf_sources += reader/export/otlp_words.c reader/export/otlp_words.h
protobuf_sources += reader/export/perfetto_interned.c reader/export/perfetto_interned.h
protobuf_sources += reader/export/perfetto_packets.c reader/export/perfetto_packets.h
protobuf_sources += reader/export/perfetto_tracks.c reader/export/perfetto_tracks.h
protobuf_sources += reader/export/pprof_locations.c reader/export/pprof_locations.h
protobuf_sources += reader/export/pprof_mappings.c reader/export/pprof_mappings.h
protobuf_sources += reader/export/pprof_strings.c reader/export/pprof_strings.h
# This one is compressed, too.
pprof_sources = reader/export/export_pprof.c reader/export/export_pprof.h
protobuf_made =
protobuf_made += reader/export/otlp.pb-c.c reader/export/otlp.pb-c.h
protobuf_made += reader/export/perfetto.pb-c.c reader/export/perfetto.pb-c.h
protobuf_made += reader/export/pprof.pb-c.c reader/export/pprof.pb-c.h
EXTRA_DIST += reader/export/otlp.proto
EXTRA_DIST += reader/export/perfetto.proto
EXTRA_DIST += reader/export/pprof.proto
CLEANFILES += $(protobuf_made)
if PROTOBUF
reader_sources += $(protobuf_sources)
reader_made_sources += $(protobuf_made)
reader/export/export_otlp.$(OBJEXT): reader/export/otlp.pb-c.h
reader/export/otlp_dictionary.$(OBJEXT): reader/export/otlp.pb-c.h
reader/export/otlp_words.$(OBJEXT): reader/export/otlp.pb-c.h
reader/export/export_perfetto.$(OBJEXT): reader/export/perfetto.pb-c.h
reader/export/perfetto_interned.$(OBJEXT): reader/export/perfetto.pb-c.h
reader/export/perfetto_packets.$(OBJEXT): reader/export/perfetto.pb-c.h
reader/export/perfetto_tracks.$(OBJEXT): reader/export/perfetto.pb-c.h
reader/export/export_pprof.$(OBJEXT): reader/export/pprof.pb-c.h
if ZLIB
reader_sources += $(pprof_sources)
endif
# Formats of protobuf, whose messages are described in reader/packed.
protobuf_writers =
protobuf_writers += reader/export/export_otlp.c reader/export/export_otlp.h
protobuf_writers += reader/export/export_perfetto.c reader/export/export_perfetto.h
protobuf_writers += reader/export/export_pprof.c reader/export/export_pprof.h
protobuf_writers += reader/export/otlp_words.c reader/export/otlp_words.h
protobuf_writers += reader/export/perfetto_tracks.c reader/export/perfetto_tracks.h
if PPROF
reader_sources += $(protobuf_writers)
reader/export/export_otlp.$(OBJEXT): reader/packed/otlp.pb-c.h
reader/export/otlp_words.$(OBJEXT): reader/packed/otlp.pb-c.h
reader/export/export_perfetto.$(OBJEXT): reader/packed/perfetto.pb-c.h
reader/export/perfetto_tracks.$(OBJEXT): reader/packed/perfetto.pb-c.h
reader/export/export_pprof.$(OBJEXT): reader/packed/pprof.pb-c.h
endif

EXTRA_DIST += reader/export/README.md
