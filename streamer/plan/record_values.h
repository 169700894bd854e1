/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of `record`'s options. Each function reads the text of one value into record_options,
 * or words an error. 0 or -EINVAL.
 *
 * Threads: main thread, before all others.
 */
#ifndef TS_STREAMER_PLAN_RECORD_VALUES_H
#define TS_STREAMER_PLAN_RECORD_VALUES_H

#include "streamer/plan/record_options.h"

/*
 * Each for the row of its option (record_options.c). text: NULL if the value is optional and was
 * left out.
 */
int record_value_freq(void *options, const char *text, struct ts_error *err);
int record_value_delay(void *options, const char *text, struct ts_error *err);
int record_value_pages(void *options, const char *text, struct ts_error *err);
int record_value_io(void *options, const char *text, struct ts_error *err);
int record_value_level(void *options, const char *text, struct ts_error *err);
int record_value_realtime(void *options, const char *text, struct ts_error *err);
int record_value_output(void *options, const char *text, struct ts_error *err);
int record_value_max_size(void *options, const char *text, struct ts_error *err);
int record_value_min_free(void *options, const char *text, struct ts_error *err);
int record_value_control(void *options, const char *text, struct ts_error *err);
int record_value_pids(void *options, const char *text, struct ts_error *err);
int record_value_tids(void *options, const char *text, struct ts_error *err);
int record_value_user(void *options, const char *text, struct ts_error *err);
int record_value_cpus(void *options, const char *text, struct ts_error *err);
int record_value_clock(void *options, const char *text, struct ts_error *err);
int record_value_events(void *options, const char *text, struct ts_error *err);
int record_value_cgroups(void *options, const char *text, struct ts_error *err);
int record_value_filter(void *options, const char *text, struct ts_error *err);
int record_value_callgraph(void *options, const char *text, struct ts_error *err);
int record_value_intr_regs(void *options, const char *text, struct ts_error *err);
int record_value_user_regs(void *options, const char *text, struct ts_error *err);
int record_value_branches(void *options, const char *text, struct ts_error *err);
int record_value_socket(void *options, const char *text, struct ts_error *err);
int record_value_threads(void *options, const char *text, struct ts_error *err);
int record_value_affinity(void *options, const char *text, struct ts_error *err);
int record_value_aio(void *options, const char *text, struct ts_error *err);
int record_value_switch(void *options, const char *text, struct ts_error *err);
int record_value_memory(void *options, const char *text, struct ts_error *err);
int record_value_keep_bytes(void *options, const char *text, struct ts_error *err);
int record_value_trigger_events(void *options, const char *text, struct ts_error *err);
int record_value_trigger(void *options, const char *text, struct ts_error *err);

#endif
