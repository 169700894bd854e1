// SPDX-License-Identifier: Apache-2.0
#include "reader/symbols/symbol_ahead.h"

#include <stdatomic.h>

#include "common/base/build_id.h"
#include "reader/symbols/module.h"
#include "reader/symbols/recorded_ids.h"
#include "reader/symbols/symbol_text.h"

static void read_ahead(void *arg)
{
	struct symbol_ahead *a = arg;
	uint64_t ignored;

	a->rc = symbol_text_kallsyms(&a->table, MODULE_KALLSYMS, HARMLESS_OWN, NULL, "", &ignored,
				     &a->err);
	atomic_store_explicit(&a->is_reading, false, memory_order_relaxed);
}

/*
 * The build-id of the kernel may be missing in the header; then it comes later, with the maps. More
 * often the kernel is this one.
 */
static bool may_be_running(const struct ts_header *header)
{
	struct ts_build_id recorded, running;

	if (!recorded_ids_search(header, RECORDED_KERNEL, &recorded))
		return true;
	ts_build_id_of_notes_file(MODULE_KERNEL_NOTES, &running);
	return ts_build_id_equal(&recorded, &running);
}

/* Events that count programs only have no addresses of the kernel; the dummy has no samples. */
static bool samples_kernel(const struct ts_events *events)
{
	for (size_t i = 0; i < events->nr; i++) {
		const struct perf_event_attr *attr = &events->items[i].attr;
		bool is_dummy =
			attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY;

		if (!is_dummy && !attr->exclude_kernel)
			return true;
	}
	return false;
}

void symbol_ahead_start(struct symbol_ahead *a, const struct ts_header *header)
{
	struct ts_error ignored;

	*a = (struct symbol_ahead){0};
	if (!samples_kernel(&header->events) || !may_be_running(header))
		return;
	symbol_table_init(&a->table);
	atomic_store_explicit(&a->is_reading, true, memory_order_relaxed);
	a->is_started =
		!ts_thread_start(&a->thread, "tstream-ksym", NULL, 0, read_ahead, a, &ignored);
	if (!a->is_started)
		atomic_store_explicit(&a->is_reading, false, memory_order_relaxed);
}

bool symbol_ahead_take(struct symbol_ahead *a, struct symbol_table *t, int *ret_rc,
		       struct ts_error *err)
{
	if (!a->is_started)
		return false;
	a->is_started = false;
	ts_thread_join(&a->thread);
	symbol_table_move(t, &a->table);
	*ret_rc = a->rc;
	if (a->rc)
		*err = a->err;
	return true;
}

void symbol_ahead_end(struct symbol_ahead *a)
{
	ts_thread_join(&a->thread);
	symbol_table_release(&a->table);
	*a = (struct symbol_ahead){0};
}
