# SPDX-License-Identifier: Apache-2.0
# Messages are packed by what protoc-c makes of the .proto files.
protobuf_sources =
protobuf_sources += reader/packed/otlp_dictionary.c reader/packed/otlp_dictionary.h
protobuf_sources += reader/packed/perfetto_interned.c reader/packed/perfetto_interned.h
protobuf_sources += reader/packed/perfetto_packets.c reader/packed/perfetto_packets.h
protobuf_sources += reader/packed/perfetto_sample.c reader/packed/perfetto_sample.h
protobuf_sources += reader/packed/pprof_locations.c reader/packed/pprof_locations.h
protobuf_sources += reader/packed/pprof_mappings.c reader/packed/pprof_mappings.h
protobuf_sources += reader/packed/pprof_strings.c reader/packed/pprof_strings.h
protobuf_made =
protobuf_made += reader/packed/otlp.pb-c.c reader/packed/otlp.pb-c.h
protobuf_made += reader/packed/perfetto.pb-c.c reader/packed/perfetto.pb-c.h
protobuf_made += reader/packed/pprof.pb-c.c reader/packed/pprof.pb-c.h
EXTRA_DIST += reader/packed/otlp.proto
EXTRA_DIST += reader/packed/perfetto.proto
EXTRA_DIST += reader/packed/pprof.proto
CLEANFILES += $(protobuf_made)
if PROTOBUF
reader_sources += $(protobuf_sources)
reader_made_sources += $(protobuf_made)
reader/packed/otlp_dictionary.$(OBJEXT): reader/packed/otlp.pb-c.h
reader/packed/perfetto_interned.$(OBJEXT): reader/packed/perfetto.pb-c.h
reader/packed/perfetto_packets.$(OBJEXT): reader/packed/perfetto.pb-c.h
reader/packed/perfetto_sample.$(OBJEXT): reader/packed/perfetto.pb-c.h
endif
protobuf_pack = $(AM_V_GEN)$(MKDIR_P) $(@D) && $(PROTOC_C) --c_out=. --proto_path=$(srcdir)
protobuf_again = $(AM_V_at)test -f $@ || { rm -f $< && $(MAKE) $(AM_MAKEFLAGS) $<; }
reader/packed/otlp.pb-c.h: reader/packed/otlp.pb-c.c
	$(protobuf_again)
reader/packed/otlp.pb-c.c: reader/packed/otlp.proto
	$(protobuf_pack) $(srcdir)/reader/packed/otlp.proto
reader/packed/perfetto.pb-c.h: reader/packed/perfetto.pb-c.c
	$(protobuf_again)
reader/packed/perfetto.pb-c.c: reader/packed/perfetto.proto
	$(protobuf_pack) $(srcdir)/reader/packed/perfetto.proto
reader/packed/pprof.pb-c.h: reader/packed/pprof.pb-c.c
	$(protobuf_again)
reader/packed/pprof.pb-c.c: reader/packed/pprof.proto
	$(protobuf_pack) $(srcdir)/reader/packed/pprof.proto

EXTRA_DIST += reader/packed/README.md
