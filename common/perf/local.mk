# SPDX-License-Identifier: Apache-2.0
common_sources += common/perf/cursor.c common/perf/cursor.h
common_sources += common/perf/event_list.c
common_sources += common/perf/event_name.c common/perf/event_name.h
common_sources += common/perf/header.c common/perf/header.h
common_sources += common/perf/header_pack.c
common_sources += common/perf/header_pipe.c common/perf/header_pipe.h
common_sources += common/perf/inflate.c common/perf/inflate.h
common_sources += common/perf/lengthened.c common/perf/lengthened.h
common_sources += common/perf/perf_layout.h
common_sources += common/perf/record_layout.h
common_sources += common/perf/record_type.c common/perf/record_type.h
common_sources += common/perf/record_words.h
common_sources += common/perf/record.c common/perf/record.h
common_sources += common/perf/section_form.c common/perf/section_form.h
EXTRA_DIST += common/perf/README.md
