// SPDX-License-Identifier: Apache-2.0
#include "streamer/recording/rotation_log.h"

#include <stdio.h>

int rotation_log_read(struct rotation *t, struct sideband_log *log, struct ts_error *err)
{
	const struct part *p = t->given.part;
	char name[32];
	int code = 0;

	for (size_t i = 0; i < p->plan->layout.nr && !code; i++) {
		snprintf(name, sizeof(name), TS_DIR_DATA ".%zu", i);
		code = sideband_log_read(log, p->dir.fd, name, p->dir.path, err);
		buffer_supply_serve(&t->given.crew->supply);
	}
	sideband_log_add(log, p->data.mapped.data, p->data.mapped.len);
	t->is_read = !code;
	if (!code)
		code = sideband_log_apply(log, t->table, err);
	if (!code)
		live_table_forget_ended(t->table, p->span.end_ns);
	return code;
}
