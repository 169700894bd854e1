// SPDX-License-Identifier: Apache-2.0
#include "reader/script/print_line_start.h"

#include <string.h>
#include <time.h>

#include "common/base/clock.h"
#include "reader/runtime/name_table.h"
#include "reader/runtime/text.h"

#define NARROW_COMM 8
#define MISC_WIDTH  6

static void put_comm(struct script_printer *p, const struct ts_sample_id *sid, bool with_chain,
		     struct ts_bytes *out)
{
	const char *comm = sid->tid == UINT32_MAX ? NULL : places_comm(&p->places, sid);
	char buf[UNNAMED_MAX];

	if (!comm)
		comm = sid->tid == UINT32_MAX ? ":-1" : name_table_unnamed(sid->tid, buf);
	if (p->is_latency && strlen(comm) > NARROW_COMM)
		text_name_n(out, comm, NARROW_COMM);
	else
		text_name(out, comm, p->is_latency ? NARROW_COMM : with_chain ? 0 : 16);
	text_char(out, ' ');
}

/* As "%5d": -1 for the kernel and for records without a thread. */
static void put_number(uint32_t number, struct ts_bytes *out)
{
	if (number == UINT32_MAX)
		text_put(out, "   -1");
	else
		text_dec(out, number, 5, ' ');
}

static void put_thread(uint32_t fields, const struct ts_sample_id *sid, struct ts_bytes *out)
{
	size_t start;

	if (fields & FIELD_PID)
		put_number(sid->pid, out);
	else if (fields & FIELD_TID)
		put_number(sid->tid, out);
	if ((fields & FIELD_PID) && (fields & FIELD_TID)) {
		text_char(out, '/');
		start = out->len;
		text_dec(out, sid->tid, 0, ' '); /* left-aligned in five columns */
		while (out->len < start + 5 && !ts_bytes_failed(out))
			text_char(out, ' ');
	}
	if (fields & (FIELD_PID | FIELD_TID))
		text_char(out, ' ');
}

static void put_cpu(const struct script_printer *p, uint32_t cpu, struct ts_bytes *out)
{
	if (!p->is_latency)
		text_char(out, '[');
	if (cpu == UINT32_MAX)
		text_put(out, p->is_latency ? " -1" : "-01");
	else
		text_dec(out, cpu, 3, p->is_latency ? ' ' : '0');
	text_put(out, p->is_latency ? " " : "] ");
}

static bool has_bits(uint16_t misc, uint16_t bits)
{
	return (misc & bits) == bits;
}

/*
 * Prints perf's letters. A mode whose bits include those of two other modes prints their letters,
 * too.
 */
static void put_misc(uint16_t misc, uint32_t type, struct ts_bytes *out)
{
	bool is_switch = type == PERF_RECORD_SWITCH || type == PERF_RECORD_SWITCH_CPU_WIDE;
	bool is_map = type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2;
	const struct {
		uint16_t bits;
		bool is_meant;
		char letter;
	} letters[] = {
		{PERF_RECORD_MISC_KERNEL, true, 'K'},
		{PERF_RECORD_MISC_USER, true, 'U'},
		{PERF_RECORD_MISC_HYPERVISOR, true, 'H'},
		{PERF_RECORD_MISC_GUEST_KERNEL, true, 'G'},
		{PERF_RECORD_MISC_GUEST_USER, true, 'g'},
		{PERF_RECORD_MISC_MMAP_DATA, is_map, 'M'},
		{PERF_RECORD_MISC_COMM_EXEC, type == PERF_RECORD_COMM, 'E'},
		{PERF_RECORD_MISC_SWITCH_OUT, is_switch, 'S'},
		{PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, is_switch, 'p'},
	};
	size_t start = out->len;

	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (letters[i].is_meant && has_bits(misc, letters[i].bits))
			text_char(out, letters[i].letter);
	do
		text_char(out, ' ');
	while (out->len < start + MISC_WIDTH && !ts_bytes_failed(out));
}

/* Prints seconds and micro- or nanoseconds. */
static void put_seconds(const struct script_printer *p, uint64_t ns, struct ts_bytes *out)
{
	text_dec(out, ns / TS_NS_PER_SEC, 5, ' ');
	text_char(out, '.');
	if (p->with_ns)
		text_dec(out, ns % TS_NS_PER_SEC, 9, '0');
	else
		text_dec(out, ns % TS_NS_PER_SEC / 1000, 6, '0');
	text_put(out, ": ");
}

static void put_time(struct script_printer *p, uint64_t ns, struct ts_bytes *out)
{
	uint64_t base = p->base_ns;

	if (p->time == SCRIPT_TIME_PLAIN) {
		put_seconds(p, ns, out);
		return;
	}
	if (p->time == SCRIPT_TIME_DELTA || !base)
		p->base_ns = ns;
	put_seconds(p, base ? ns - base : 0, out);
}

/* The header of the capture has one moment in both clocks. */
static void put_time_of_day(const struct script_printer *p, uint64_t ns, struct ts_bytes *out)
{
	struct ts_cursor c = ts_header_feature_cursor(p->header, TS_FEAT_CLOCK_DATA);
	uint32_t version, clock;
	uint64_t day_ns, then_ns;
	char buf[32];
	struct tm tm;
	time_t s;

	if (!ts_cursor_u32(&c, &version) || !ts_cursor_u32(&c, &clock) ||
	    !ts_cursor_u64(&c, &day_ns) || !ts_cursor_u64(&c, &then_ns))
		return;
	day_ns += ns - then_ns;
	s = (time_t)(day_ns / TS_NS_PER_SEC);
	if (localtime_r(&s, &tm) && strftime(buf, sizeof(buf), "%F %H:%M:%S.", &tm))
		text_put(out, buf);
	text_dec(out, p->with_ns ? day_ns % TS_NS_PER_SEC : day_ns % TS_NS_PER_SEC / 1000,
		 p->with_ns ? 9 : 6, '0');
	text_char(out, ' ');
}

void print_line_start(struct script_printer *p, const struct ts_event *event, uint32_t type,
		      uint16_t misc, const struct ts_sample_id *who, const struct ts_sample_id *sid,
		      struct ts_bytes *out)
{
	uint32_t fields = p->style->types[script_type(event)].shown;
	bool with_chain = fields & FIELD_IP && p->style->with_chains &&
			  event->attr.sample_type & PERF_SAMPLE_CALLCHAIN;

	if (fields & FIELD_COMM)
		put_comm(p, who, with_chain, out);
	put_thread(fields, sid, out);
	if (fields & FIELD_CPU)
		put_cpu(p, sid->cpu, out);
	if (fields & FIELD_MISC)
		put_misc(misc, type, out);
	if (fields & FIELD_TOD)
		put_time_of_day(p, sid->time_ns, out);
	if (fields & FIELD_TIME)
		put_time(p, sid->time_ns, out);
}
