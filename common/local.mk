# SPDX-License-Identifier: Apache-2.0
common_sources += common/error.c common/error.h
common_sources += common/bytes.c common/bytes.h
common_sources += common/perf_layout.h
common_sources += common/record.h
common_sources += common/header.h
common_sources += common/chunk.h
common_sources += common/tasks.h
common_sources += common/log.c common/log.h
common_sources += common/units.h
common_sources += common/cpus.h
common_sources += common/notes.h
common_sources += common/stop.c common/stop.h
common_sources += common/counter.h
common_sources += common/clock.c common/clock.h
common_sources += common/thread.c common/thread.h
