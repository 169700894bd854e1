# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/tracepoints/trace_conversions.c reader/tracepoints/trace_conversions.h
reader_sources += reader/tracepoints/trace_fields.c reader/tracepoints/trace_fields.h
reader_sources += reader/tracepoints/trace_format.c reader/tracepoints/trace_format.h
reader_sources += reader/tracepoints/trace_format_fields.c reader/tracepoints/trace_format_fields.h
reader_sources += reader/tracepoints/trace_formats.c reader/tracepoints/trace_formats.h
reader_sources += reader/tracepoints/trace_lexer.c reader/tracepoints/trace_lexer.h
reader_sources += reader/tracepoints/trace_part.c reader/tracepoints/trace_part.h
reader_sources += reader/tracepoints/trace_print_format.c reader/tracepoints/trace_print_format.h
reader_sources += reader/tracepoints/trace_value.c reader/tracepoints/trace_value.h
EXTRA_DIST += reader/tracepoints/README.md
