# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/export/cmd_export.c reader/export/cmd_export.h
reader_sources += reader/export/export_folded.c reader/export/export_folded.h
reader_sources += reader/export/export_format.c reader/export/export_format.h
reader_sources += reader/export/export_options.c reader/export/export_options.h
reader_sources += reader/export/export_source.h
EXTRA_DIST += reader/export/README.md
