# SPDX-License-Identifier: Apache-2.0
streamer_sources += streamer/synthesis/map_query.c streamer/synthesis/map_query.h
streamer_sources += streamer/synthesis/mapped_file.c streamer/synthesis/mapped_file.h
streamer_sources += streamer/synthesis/scan_process.c streamer/synthesis/scan_process.h
streamer_sources += streamer/synthesis/synth_record.c streamer/synthesis/synth_record.h
streamer_sources += streamer/synthesis/synthesis.c streamer/synthesis/synthesis.h
streamer_sources += streamer/synthesis/synthesis_bpf.c
streamer_sources += streamer/synthesis/synthesis_cgroups.c
streamer_sources += streamer/synthesis/synthesis_kernel.c
streamer_sources += streamer/synthesis/synthesis_tasks.c
EXTRA_DIST += streamer/synthesis/README.md
