// SPDX-License-Identifier: Apache-2.0
#include "streamer/plan/record_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/min_max.h"
#include "streamer/writer/writer.h"

#define STACK_RING_RECORDS                                                                         \
	512 /* with stacks of this many samples a ring is large enough, see decision 24 */
#define STACK_RING_MAX	     (4u << 20)
#define STACK_MEMORY_PART    64
#define SIDEBAND_BYTES	     (512u * 1024)
#define SIDEBAND_BYTES_SMALL (128u * 1024) /* within kernel.perf_event_mlock_kb, beside samples */
#define SIDEBAND_MEMORY_PART 512	   /* all side-band rings together */
#define OTHER_DESCRIPTORS    13		   /* directory, flags, signals, control, targets, supply */
#define LIFE_DESCRIPTORS     2		   /* of target_life_open_processes() */
#define SCAN_DESCRIPTORS     8 /* /proc, and a file or folder in it of one scanning thread */

static uint64_t page_bytes(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The plan of another machine, for which the rights of this user here mean nothing. */
static bool is_model(const struct record_plan *p)
{
	return p->machine.is_synthetic && p->options->dry_run;
}

static int make_layout(struct record_plan *p, struct ts_notes *notes, struct ts_error *err)
{
	struct layout_input in = {.spec = p->options->threads,
				  .monitored = p->options->target.cpus};
	int code = layout_machine_init(&p->machine, err);

	if (code < 0)
		return code;
	in.topology = p->machine.topology;
	in.present = p->machine.present;
	in.online = p->machine.online;
	in.allowed = p->machine.allowed;
	in.isolated = p->machine.isolated;
	code = layout_init(&p->layout, &in, notes, err);
	if (code < 0 || p->options->target.kind != TARGET_SYSTEM)
		return code;
	return layout_expect(&p->layout, &in, p->machine.offline_nodes, err);
}

uint64_t record_plan_count_rings(const struct record_plan *p, bool sideband)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->source.nr_rings; i++)
		n += !p->source.rings[i].is_absent &&
		     (p->source.rings[i].kind == TS_RING_SIDEBAND) == sideband;
	return n;
}

/* A ring's share of the memory for all sample rings when they have stacks. */
static uint64_t stack_ring_room(const struct record_plan *p)
{
	uint64_t pages = (uint64_t)sysconf(_SC_PHYS_PAGES) / STACK_MEMORY_PART;

	return pages * page_bytes() / record_plan_count_rings(p, false);
}

/*
 * Stacks fill a ring faster than other samples. Users whose locked memory has no limit get larger
 * rings.
 */
static uint64_t stack_ring_bytes(const struct record_plan *p, uint64_t size)
{
	const struct event_options *e = &p->options->event;
	uint64_t want = STACK_RING_RECORDS * (uint64_t)e->stack_bytes;
	uint64_t room = stack_ring_room(p);

	if (e->callgraph != EVENT_CALLGRAPH_DWARF || !privilege_locks_freely(&p->privilege))
		return size;
	while (size < want && size < STACK_RING_MAX && size * 2 <= room)
		size *= 2;
	return size;
}

/* perf's default: the room of kernel.perf_event_mlock_kb without the control page. */
static uint64_t default_ring_bytes(const struct record_plan *p)
{
	uint64_t room = p->privilege.mlock_kb * 1024, size = page_bytes();

	while (size * 2 + page_bytes() <= room)
		size *= 2;
	return stack_ring_bytes(p, size);
}

static uint64_t sideband_total(const struct record_plan *p, uint64_t size)
{
	return record_plan_count_rings(p, true) * (size + page_bytes());
}

/*
 * The default: large, but a small part of the memory. If this user may not map such rings beside
 * the rings for samples, they are small, and take at most half of what he may map.
 */
static uint64_t default_sideband_bytes(const struct record_plan *p)
{
	uint64_t most = (uint64_t)sysconf(_SC_PHYS_PAGES) * page_bytes() / SIDEBAND_MEMORY_PART;
	uint64_t samples =
		record_plan_count_rings(p, false) * (p->sample_ring_bytes + page_bytes());
	uint64_t size = SIDEBAND_BYTES;

	while (size > page_bytes() && record_plan_count_rings(p, true) * size > most)
		size /= 2;
	if (privilege_may_map(&p->privilege, samples + sideband_total(p, size) + page_bytes()))
		return size;
	size = ts_min(size, SIDEBAND_BYTES_SMALL);
	while (size > page_bytes() &&
	       !privilege_may_map(&p->privilege, 2 * sideband_total(p, size)))
		size /= 2;
	return size;
}

/* Also locked: the side-band rings, and the page that reports the end of targets. */
static int size_rings(struct record_plan *p, struct ts_notes *notes, struct ts_error *err)
{
	p->sample_ring_bytes = p->options->ring_pages ? p->options->ring_pages * page_bytes()
						      : default_ring_bytes(p);
	p->sideband_ring_bytes = p->options->sideband_pages
					 ? p->options->sideband_pages * page_bytes()
					 : default_sideband_bytes(p);
	if (is_model(p))
		return 0;
	return privilege_fit_rings(&p->privilege, record_plan_count_rings(p, false),
				   sideband_total(p, p->sideband_ring_bytes) + page_bytes(),
				   &p->sample_ring_bytes, notes, err);
}

/* Notes that samples of the kernel are missing although no option left them out. */
static void note_user_only(const struct record_plan *p, struct ts_notes *notes)
{
	const struct record_options *o = p->options;
	bool is_changed = false;

	if (!o->event.user_only || o->event.all_user || o->event.all_kernel)
		return;
	for (size_t i = 0; i < o->events.nr; i++)
		is_changed |= !o->events.items[i].attr.exclude_kernel &&
			      !o->events.items[i].attr.exclude_user;
	if (is_changed)
		ts_notes_add(notes,
			     "only user space is recorded: kernel.perf_event_paranoid=%d keeps "
			     "ordinary users%s out of the kernel",
			     p->privilege.paranoid,
			     p->privilege.is_in_namespace ? " (root of a user namespace is one)"
							  : "");
}

/* Reports now what the kernel would refuse later. */
static int settle_events(struct record_plan *p, struct ts_notes *notes, struct ts_error *err)
{
	struct record_options *o = p->options;
	int code;

	o->event.user_only = privilege_is_user_only(&p->privilege);
	note_user_only(p, notes);
	p->enables_on_exec = o->target.kind == TARGET_COMMAND && !o->delay_ms;
	o->event.enable_on_exec = p->enables_on_exec;
	o->event.namespaces = p->privilege.has_sys_admin;
	if (!o->has_clock)
		event_default_clock(&o->events, NULL, &o->event);
	if ((code = event_check_callgraph(&o->events, &o->event, err)) < 0)
		return code;
	return event_options_settle(&o->event, p->privilege.max_rate, notes, err);
}

int record_plan_init(struct record_plan *p, struct record_options *options, struct ts_notes *notes,
		     struct ts_error *err)
{
	int code;

	memset(p, 0, sizeof(*p));
	p->log_fd = -1;
	p->options = options;
	p->drops_output = !strcmp(options->output, "/dev/null");
	p->buffer_bytes = WRITER_BUFFER_BYTES_DEFAULT;
	privilege_read(&p->privilege);
	if ((code = settle_events(p, notes, err)) < 0 || (code = make_layout(p, notes, err)) < 0)
		goto fail;
	p->nr_buffers = p->layout.nr > WRITER_MANY ? WRITER_BUFFERS_MANY : WRITER_BUFFERS_DEFAULT;
	if (!is_model(p) &&
	    ((code = layout_machine_check(&p->machine, err)) < 0 ||
	     (code = privilege_check_target(&p->privilege, &options->target, err)) < 0 ||
	     (code = target_check(&options->target, err)) < 0))
		goto fail;
	code = source_init(&p->source, &options->events, &options->event, &options->target,
			   &p->layout, &p->privilege, err);
	if (code < 0 || (code = size_rings(p, notes, err)) < 0)
		goto fail;
	source_choose_width(&p->source);
	return 0;
fail:
	record_plan_release(p);
	return code;
}

void record_plan_release(struct record_plan *p)
{
	source_release(&p->source);
	layout_release(&p->layout);
	layout_machine_release(&p->machine);
}

bool record_plan_halve_rings(struct record_plan *p)
{
	bool is_given = p->options->sideband_pages;
	uint64_t *size = &p->sample_ring_bytes;

	if (!is_given && (p->sideband_ring_bytes > SIDEBAND_BYTES_SMALL || *size <= page_bytes()))
		size = &p->sideband_ring_bytes;
	if (*size <= page_bytes())
		return false;
	*size /= 2;
	return true;
}

uint64_t record_plan_ring_bytes(const struct record_plan *p, const struct source_ring *ring)
{
	return ring->kind == TS_RING_SIDEBAND ? p->sideband_ring_bytes : p->sample_ring_bytes;
}

bool record_plan_overwrites(const struct record_plan *p)
{
	for (size_t i = 0; i < p->source.nr_rings; i++)
		if (p->source.rings[i].kind == TS_RING_OVERWRITE)
			return true;
	return false;
}

static bool is_a_writer_busy(const struct record_plan *p)
{
	bool is_busy = p->options->compress_level;

	for (size_t i = 0; i < p->layout.nr; i++)
		is_busy |= hwloc_bitmap_weight(p->layout.writers[i].cpus) > 1;
	return is_busy;
}

uint32_t record_plan_watermark(const struct record_plan *p, enum ts_ring_kind kind)
{
	return kind == TS_RING_SIDEBAND
		       ? ring_sideband_watermark_bytes(p->sideband_ring_bytes)
		       : ring_watermark_bytes(p->sample_ring_bytes, is_a_writer_busy(p));
}

uint64_t record_plan_rings_total(const struct record_plan *p)
{
	uint64_t total = 0;

	for (size_t i = 0; i < p->source.nr_rings; i++)
		if (!p->source.rings[i].is_absent)
			total += record_plan_ring_bytes(p, &p->source.rings[i]) + page_bytes();
	return total;
}

uint64_t record_plan_buffers_total(const struct record_plan *p)
{
	return p->layout.nr * p->nr_buffers * p->buffer_bytes;
}

enum sink_kind record_plan_sink(const struct record_plan *p)
{
	if (p->drops_output)
		return SINK_NULL;
	switch (p->options->io) {
	case RECORD_IO_URING:
		return SINK_URING;
	case RECORD_IO_PWRITE:
		return SINK_PWRITE;
	default:
		return SINK_AUTO;
	}
}

bool record_plan_watches_processes(const struct record_plan *p)
{
	return p->source.is_wide && p->options->target.kind != TARGET_TIDS;
}

/* Descriptors that a writer needs, with its stream. */
static uint64_t writer_descriptors(enum sink_kind sink)
{
	switch (sink) {
	case SINK_NULL:
		return 2; /* io_uring or epoll, its order to stop */
	case SINK_URING:
		return 3; /* the stream, io_uring, its order to stop */
	default:
		return 5; /* the stream, epoll, its order to stop, the helper's `go` and `done` */
	}
}

uint64_t record_plan_descriptors(const struct record_plan *p, const struct target_counts *threads)
{
	uint64_t life = record_plan_watches_processes(p) ? LIFE_DESCRIPTORS : threads->sampled;

	return source_descriptors(&p->source, threads) + life +
	       p->layout.nr * writer_descriptors(record_plan_sink(p)) + OTHER_DESCRIPTORS +
	       SCAN_DESCRIPTORS;
}
