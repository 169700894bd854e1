# SPDX-License-Identifier: Apache-2.0
streamer_sources += streamer/targets/privilege.c streamer/targets/privilege.h
streamer_sources += streamer/targets/privilege_open.c
streamer_sources += streamer/targets/self_filter.c streamer/targets/self_filter.h
streamer_sources += streamer/targets/target.c streamer/targets/target.h
EXTRA_DIST += streamer/targets/README.md
