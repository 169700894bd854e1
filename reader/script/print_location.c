// SPDX-License-Identifier: Apache-2.0
#include "reader/script/print_location.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/path.h"
#include "reader/objects/demangle.h"
#include "reader/objects/srcline.h"
#include "reader/runtime/text.h"

#define FIELDS_PLACE                                                                               \
	(FIELD_IP | FIELD_SYM | FIELD_DSO | FIELD_SYMOFF | FIELD_SRCLINE | FIELD_INLINE)

void places_release(struct places *p)
{
	text_cache_release(&p->texts);
	text_cache_release(&p->frames);
}

/* --- what holds at a sample's time --- */

static bool holds(const struct task_moment *m, uint64_t time_ns)
{
	return time_ns >= m->from_ns && time_ns < m->until_ns;
}

static const struct task_moment *find_moment(struct places *p, const struct ts_sample_id *sid)
{
	struct places_moment *slot = &p->moments[sid->tid & (PLACES_MOMENTS - 1)];

	if (slot->pid != sid->pid || slot->tid != sid->tid || !holds(&slot->moment, sid->time_ns)) {
		slot->pid = sid->pid;
		slot->tid = sid->tid;
		tasks_moment(p->tasks, sid->pid, sid->tid, sid->time_ns, &slot->moment);
	}
	return &slot->moment;
}

const char *places_comm(struct places *p, const struct ts_sample_id *sid)
{
	return find_moment(p, sid)->comm;
}

/* The meaning of an address of this sample depends on these values only. */
static struct text_key key_of(struct places *p, const struct ts_sample_id *sid, uint32_t what)
{
	if (!holds(&p->kernel, sid->time_ns))
		tasks_moment(p->tasks, TASK_PID_KERNEL, TASK_PID_KERNEL, sid->time_ns, &p->kernel);
	return (struct text_key){
		.a = find_moment(p, sid)->space, .b = p->kernel.space, .c = sid->pid, .d = what};
}

/* --- words --- */

static void put_symbol(const struct location *at, uint32_t fields, struct ts_bytes *out)
{
	text_char(out, ' ');
	if (!at->sym) {
		text_put(out, "[unknown]");
		return;
	}
	text_name(out, at->sym->name, 0);
	if (fields & FIELD_SYMOFF) {
		text_put(out, "+0x");
		text_hex(out, at->addr - at->sym->start, 0);
	}
}

static void put_names(const struct location *at, uint32_t fields, struct ts_bytes *out)
{
	if (fields & FIELD_SYM)
		put_symbol(at, fields, out);
	if (fields & FIELD_DSO) {
		text_put(out, " (");
		text_name(out, at->module ? at->module->long_name : "[unknown]", 0);
		text_char(out, ')');
	}
}

static bool is_known(const struct srcline_frame *frame)
{
	return frame->file && frame->line;
}

static void put_line(const struct places *p, const struct srcline_frame *frame,
		     struct ts_bytes *out)
{
	if (!is_known(frame))
		return;
	text_put(out, "\n  ");
	if (p->with_source_paths && frame->dir) {
		text_name(out, frame->dir, 0);
		text_char(out, '/');
	}
	text_name(out, p->with_source_paths ? frame->file : ts_path_name(frame->file), 0);
	text_char(out, ':');
	text_dec(out, (uint64_t)frame->line, 0, ' ');
}

static void put_inlined(const struct places *p, const struct srcline_frame *frame, uint32_t fields,
			uint64_t ip, struct ts_bytes *out)
{
	text_char(out, '\t');
	text_hex(out, ip, 16);
	if (fields & FIELD_SYM) {
		char *name = demangle(frame->function);

		if (!name && errno == ENOMEM)
			symbols_note_fault(p->syms, ENOMEM);
		text_char(out, ' ');
		text_name(out, name ? name : frame->function, 0);
		free(name);
	}
	if (fields & FIELD_SRCLINE)
		put_line(p, frame, out);
	text_put(out, " (inlined)\n");
}

/*
 * Without a line: the object and the address in it. As in perf, whose addr2line then says "??:0",
 * nothing if the object's own table has the function.
 */
static void put_line_or_address(const struct places *p, const struct location *at,
				const struct srcline_frame *frame, struct ts_bytes *out)
{
	if (frame && is_known(frame)) {
		put_line(p, frame, out);
	} else if (at->module && !symbols_are_of_symtab(at)) {
		text_put(out, "\n  ");
		text_name(out, at->module->short_name, 0);
		text_char(out, '[');
		text_hex(out, at->addr, 0);
		text_char(out, ']');
	}
}

/* Prints a frame with its inlined functions and source line. */
static void put_described(const struct places *p, const struct location *at, uint32_t fields,
			  uint64_t shown, struct ts_bytes *out)
{
	const struct srcline_place *place = symbols_lines(at);
	size_t nr = place && fields & FIELD_INLINE ? place->nr - 1 : 0;

	for (size_t i = 0; i < nr; i++)
		put_inlined(p, &place->frames[i], fields, shown, out);
	text_char(out, '\t');
	text_hex(out, shown, 16);
	put_names(at, fields, out);
	if (fields & FIELD_SRCLINE)
		put_line_or_address(p, at, place ? &place->frames[nr] : NULL, out);
	text_char(out, '\n');
}

static void put_frame(struct places *p, const struct location *at, uint32_t fields, uint64_t ip,
		      struct ts_bytes *out)
{
	const uint64_t shown = at->map && at->level != 'k' ? at->addr : ip;
	const uint64_t body[] = {(uintptr_t)at->module, (uintptr_t)at->sym, shown};
	const struct text_key key = {.a = at->addr, .d = TEXT_FRAME | (fields & FIELDS_PLACE)};
	size_t start = out->len;

	if (!(fields & (FIELD_SRCLINE | FIELD_INLINE))) {
		text_char(out, '\t');
		text_hex(out, shown, 16);
		put_names(at, fields, out);
		text_char(out, '\n');
		return;
	}
	if (text_cache_put(&p->frames, &key, body, sizeof(body), out))
		return;
	put_described(p, at, fields, shown, out);
	if (!ts_bytes_failed(out))
		text_cache_add(&p->frames, &key, body, sizeof(body), out->data + start,
			       out->len - start);
}

/* --- one address --- */

void places_put_ip(struct places *p, uint32_t fields, uint16_t misc, const struct ts_sample *sample,
		   struct ts_bytes *out)
{
	const uint64_t body[] = {sample->ip, misc & PERF_RECORD_MISC_CPUMODE_MASK};
	const struct text_key key = key_of(p, &sample->sid, TEXT_IP | (fields & FIELDS_PLACE));
	size_t start = out->len;
	const struct srcline_place *place;
	struct location at;

	if (text_cache_put(&p->texts, &key, body, sizeof(body), out))
		return;
	symbols_resolve(p->syms, sample->sid.pid, (uint16_t)body[1], sample->ip,
			sample->sid.time_ns, &at);
	text_char(out, ' ');
	text_hex(out, sample->ip, 16);
	put_names(&at, fields, out);
	place = fields & FIELD_SRCLINE ? symbols_lines(&at) : NULL;
	if (fields & FIELD_SRCLINE)
		put_line_or_address(p, &at, place ? &place->frames[0] : NULL, out);
	if (!ts_bytes_failed(out))
		text_cache_add(&p->texts, &key, body, sizeof(body), out->data + start,
			       out->len - start);
}

void places_put_addr(struct places *p, uint32_t fields, bool with_places, uint16_t misc,
		     const struct ts_sample *sample, struct ts_bytes *out)
{
	uint16_t mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
	uint16_t half = sample->addr >> 63 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	struct location at;

	text_hex(out, sample->addr, 16);
	if (!with_places || !(fields & (FIELD_SYM | FIELD_DSO)))
		return;
	symbols_resolve(p->syms, sample->sid.pid, mode, sample->addr, sample->sid.time_ns, &at);
	/* The kernel reads and writes the memory of programs, so the other half is tried. */
	if (!at.map && mode != half)
		symbols_resolve(p->syms, sample->sid.pid, half, sample->addr, sample->sid.time_ns,
				&at);
	put_names(&at, fields, out);
}

/* --- call chains --- */

/*
 * Sets the mode that a context marker opens. False: the marker is unknown, so the chain is damaged.
 */
static bool mode_of_marker(uint64_t marker, uint16_t *mode)
{
	switch (marker) {
	case PERF_CONTEXT_HV:
		*mode = PERF_RECORD_MISC_HYPERVISOR;
		return true;
	case PERF_CONTEXT_KERNEL:
		*mode = PERF_RECORD_MISC_KERNEL;
		return true;
	case PERF_CONTEXT_USER:
		*mode = PERF_RECORD_MISC_USER;
		return true;
	default:
		return false;
	}
}

static bool is_stop(const struct places *p, const struct location *at)
{
	for (const char *const *name = p->stop_at; name && *name && at->sym; name++)
		if (!strcmp(*name, at->sym->name))
			return true;
	return false;
}

static void make_chain(struct places *p, uint32_t fields, const struct ts_sample *sample,
		       struct ts_bytes *out)
{
	size_t start = out->len;
	uint16_t mode = PERF_RECORD_MISC_USER;
	unsigned int frames = 0;
	bool is_stopped = false;
	struct location at;

	for (uint64_t i = 0; i < sample->callchain.nr && frames < p->max_stack; i++) {
		uint64_t ip = ts_word(&sample->callchain, i);

		if (ip >= PERF_CONTEXT_MAX) {
			if (mode_of_marker(ip, &mode))
				continue;
			out->len = start;
			return;
		}
		frames++;
		if (is_stopped)
			continue;
		symbols_resolve(p->syms, sample->sid.pid, mode, ip, sample->sid.time_ns, &at);
		put_frame(p, &at, fields, ip, out);
		is_stopped = is_stop(p, &at);
	}
}

void places_put_chain(struct places *p, uint32_t fields, const struct ts_sample *sample,
		      struct ts_bytes *out)
{
	const uint32_t shown = fields | (p->with_inlined ? FIELD_INLINE : 0);
	const struct text_key key = key_of(p, &sample->sid, TEXT_CHAIN | (shown & FIELDS_PLACE));
	const struct ts_words *chain = &sample->callchain;
	size_t start = out->len;

	if (text_cache_put(&p->texts, &key, chain->data, 8 * chain->nr, out))
		return;
	make_chain(p, shown, sample, out);
	if (!ts_bytes_failed(out))
		text_cache_add(&p->texts, &key, chain->data, 8 * chain->nr, out->data + start,
			       out->len - start);
}
