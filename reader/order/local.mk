# SPDX-License-Identifier: Apache-2.0
reader_sources += reader/order/chunk_runs.c reader/order/chunk_runs.h
reader_sources += reader/order/follow.c reader/order/follow.h
reader_sources += reader/order/jit_maps.c reader/order/jit_maps.h
reader_sources += reader/order/ordered.c reader/order/ordered.h
reader_sources += reader/order/replay.c reader/order/replay.h
reader_sources += reader/order/time_windows.c reader/order/time_windows.h
EXTRA_DIST += reader/order/README.md
