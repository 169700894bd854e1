# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/capture/account.c reader/capture/account.h
reader_sources += reader/capture/capture.c reader/capture/capture.h
reader_sources += reader/capture/capture_clock.c reader/capture/capture_clock.h
reader_sources += reader/capture/capture_streams.c reader/capture/capture_streams.h
reader_sources += reader/capture/damage.c reader/capture/damage.h
reader_sources += reader/capture/map.c reader/capture/map.h
reader_sources += reader/capture/piped.c reader/capture/piped.h
EXTRA_DIST += reader/capture/README.md
