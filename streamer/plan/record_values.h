/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of `record`'s options: each reads the text of one into record_options, or words what
 * is wrong with it. 0 or -EINVAL.
 *
 * Threads: main thread, before all others.
 */
#ifndef TS_STREAMER_PLAN_RECORD_VALUES_H
#define TS_STREAMER_PLAN_RECORD_VALUES_H

#include "streamer/plan/record_options.h"

int record_value_number(const char *option, const char *text, uint64_t lowest, uint64_t highest,
			uint64_t *ret, struct ts_error *err);
int record_value_freq(struct record_options *o, const char *text, struct ts_error *err);
int record_value_delay(struct record_options *o, const char *text, struct ts_error *err);
int record_value_pages(struct record_options *o, const char *text, struct ts_error *err);
int record_value_time(const char *option, const char *text, uint64_t *ret_ns, struct ts_error *err);
/* From a second on. */
int record_value_span(const char *option, const char *text, uint64_t *ret_ns, struct ts_error *err);
int record_value_io(struct record_options *o, const char *text, struct ts_error *err);
int record_value_level(struct record_options *o, const char *text, struct ts_error *err);
int record_value_realtime(struct record_options *o, const char *text, struct ts_error *err);
int record_value_output(struct record_options *o, const char *text, struct ts_error *err);
int record_value_max_size(struct record_options *o, const char *text, struct ts_error *err);
int record_value_min_free(struct record_options *o, const char *text, struct ts_error *err);
int record_value_control(struct record_options *o, const char *text, struct ts_error *err);
int record_value_tasks(struct record_options *o, enum target_kind kind, const char *text,
		       struct ts_error *err);
int record_value_user(struct record_options *o, const char *text, struct ts_error *err);
int record_value_clock(struct record_options *o, const char *text, struct ts_error *err);
int record_value_events(struct record_options *o, const char *text, struct ts_error *err);
int record_value_affinity(struct record_options *o, const char *text, struct ts_error *err);
int record_value_aio(struct record_options *o, const char *text, struct ts_error *err);

/* --switch-output; NULL: no value. */
int record_value_switch(struct record_options *o, const char *text, struct ts_error *err);
/* -M */
int record_value_memory(struct record_options *o, const char *text, struct ts_error *err);
int record_value_keep_bytes(struct record_options *o, const char *text, struct ts_error *err);

#endif
