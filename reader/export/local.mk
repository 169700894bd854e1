# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/export/cmd_export.c reader/export/cmd_export.h
reader_sources += reader/export/export_about.c reader/export/export_about.h
reader_sources += reader/export/export_folded.c reader/export/export_folded.h
reader_sources += reader/export/export_format.c reader/export/export_format.h
reader_sources += reader/export/export_options.c reader/export/export_options.h
reader_sources += reader/export/export_source.h
reader_sources += reader/export/export_times.c reader/export/export_times.h

# What is written as one gzip member.
zlib_sources =
zlib_sources += reader/export/export_firefox.c reader/export/export_firefox.h
zlib_sources += reader/export/firefox_tables.c reader/export/firefox_tables.h
zlib_sources += reader/export/gzip_file.c reader/export/gzip_file.h
zlib_sources += reader/export/json_file.c reader/export/json_file.h
if ZLIB
reader_sources += $(zlib_sources)
endif

# pprof: messages are packed by what protoc-c makes of pprof.proto.
pprof_sources =
pprof_sources += reader/export/export_pprof.c reader/export/export_pprof.h
pprof_sources += reader/export/pprof_locations.c reader/export/pprof_locations.h
pprof_sources += reader/export/pprof_mappings.c reader/export/pprof_mappings.h
pprof_sources += reader/export/pprof_strings.c reader/export/pprof_strings.h
pprof_made = reader/export/pprof.pb-c.c reader/export/pprof.pb-c.h
EXTRA_DIST += reader/export/pprof.proto
CLEANFILES += $(pprof_made)
if PPROF
reader_sources += $(pprof_sources)
reader_made_sources += $(pprof_made)
reader/export/export_pprof.$(OBJEXT): reader/export/pprof.pb-c.h
endif
reader/export/pprof.pb-c.h: reader/export/pprof.pb-c.c
	$(AM_V_at)test -f $@ || { rm -f reader/export/pprof.pb-c.c && $(MAKE) $(AM_MAKEFLAGS) reader/export/pprof.pb-c.c; }
reader/export/pprof.pb-c.c: reader/export/pprof.proto
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(PROTOC_C) --c_out=. --proto_path=$(srcdir) $(srcdir)/reader/export/pprof.proto

EXTRA_DIST += reader/export/README.md
