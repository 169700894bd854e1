// SPDX-License-Identifier: Apache-2.0
#include "reader/runtime/progress.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/base/clock.h"

#define MEGABYTE (1024.0 * 1024.0)

int progress_init(struct progress *p, struct ts_error *err)
{
	*p = (struct progress){0};
	return ts_stop_init(&p->stop, err);
}

void progress_release(struct progress *p)
{
	ts_stop_release(&p->stop);
}

void progress_begin(struct progress *p, const char *what, uint64_t total_bytes)
{
	if (!p)
		return;
	atomic_store_explicit(&p->done_bytes, 0, memory_order_relaxed);
	atomic_store_explicit(&p->total_bytes, total_bytes, memory_order_relaxed);
	atomic_store_explicit(&p->began_ns, ts_clock_now_ns(), memory_order_relaxed);
	atomic_store_explicit(&p->what, what, memory_order_relaxed);
}

void progress_add(struct progress *p, uint64_t bytes)
{
	if (p)
		atomic_fetch_add_explicit(&p->done_bytes, bytes, memory_order_relaxed);
}

void progress_wait(struct progress *p, const char *aside)
{
	if (p)
		atomic_store_explicit(&p->aside, aside, memory_order_relaxed);
}

bool progress_is_stopped(const struct progress *p)
{
	return p && ts_stop_is_raised(&p->stop);
}

static double percent(uint64_t done, uint64_t total)
{
	return !total || done >= total ? 100 : 100.0 * (double)done / (double)total;
}

double progress_percent(const struct progress *p)
{
	return percent(atomic_load_explicit(&p->done_bytes, memory_order_relaxed),
		       atomic_load_explicit(&p->total_bytes, memory_order_relaxed));
}

bool progress_look(const struct progress *p, uint64_t now_ns, struct progress_facts *ret)
{
	uint64_t began_ns = atomic_load_explicit(&p->began_ns, memory_order_relaxed);

	*ret = (struct progress_facts){
		.what = atomic_load_explicit(&p->what, memory_order_relaxed),
		.aside = atomic_load_explicit(&p->aside, memory_order_relaxed),
		.done_bytes = atomic_load_explicit(&p->done_bytes, memory_order_relaxed),
		.total_bytes = atomic_load_explicit(&p->total_bytes, memory_order_relaxed),
		.taken_ns = now_ns > began_ns ? now_ns - began_ns : 0,
	};
	return ret->what;
}

/* ", 12 s left", if the pace so far allows an estimate. */
static void put_left(char *buf, size_t len, const struct progress_facts *f)
{
	double left_s;

	if (!f->done_bytes || f->done_bytes >= f->total_bytes)
		return;
	left_s = (double)(f->total_bytes - f->done_bytes) / (double)f->done_bytes *
		 (double)f->taken_ns / (double)TS_NS_PER_SEC;
	if (left_s < 100)
		snprintf(buf, len, ", %.0f s left", left_s);
	else
		snprintf(buf, len, ", %.0f min left", left_s / 60);
}

static void put_pace(char *buf, size_t len, const struct progress_facts *f)
{
	const double mb = (double)f->done_bytes / MEGABYTE;
	int nr = 0;

	if (f->taken_ns)
		nr = snprintf(buf, len, ", %.0f MB/s",
			      mb * (double)TS_NS_PER_SEC / (double)f->taken_ns);
	put_left(buf + nr, len - (size_t)nr, f);
}

/* "Counting samples: 25 % of 1000 MB", "Opening" */
static int put_share(char *buf, const struct progress_facts *f)
{
	if (!f->total_bytes)
		return snprintf(buf, TS_TERMINAL_LINE_BYTES, "%s", f->what);
	return snprintf(buf, TS_TERMINAL_LINE_BYTES, "%s: %.0f %% of %.0f MB", f->what,
			percent(f->done_bytes, f->total_bytes), (double)f->total_bytes / MEGABYTE);
}

const char *progress_text(char buf[TS_TERMINAL_LINE_BYTES], const struct progress_facts *f,
			  size_t columns)
{
	const int len = put_share(buf, f);
	const size_t room = TS_TERMINAL_LINE_BYTES - (size_t)len;

	if (f->aside)
		snprintf(buf + len, room, ", %s", f->aside);
	else if (!f->total_bytes)
		snprintf(buf + len, room, ", %.0f s", (double)f->taken_ns / (double)TS_NS_PER_SEC);
	else
		put_pace(buf + len, room, f);
	if (columns && columns <= TS_TERMINAL_LINE_BYTES)
		buf[columns - 1] = '\0';
	return buf;
}
