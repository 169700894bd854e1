// SPDX-License-Identifier: Apache-2.0
#include "reader/dump/dump_record.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/min_max.h"
#include "common/perf/perf_layout.h"
#include "common/perf/record_layout.h"
#include "common/perf/record_type.h"
#include "reader/runtime/text.h"
#include "reader/samples/read_values.h"

#define LINE_BYTES 16

/* A record that is read by offset from its start; fields beyond its end are 0. */
struct body {
	const uint8_t *at;
	size_t size;
	uint16_t misc;
};

static uint64_t u64_at(const struct body *b, size_t offset)
{
	return offset + 8 <= b->size ? ts_record_load_u64(b->at + offset) : 0;
}

static uint32_t u32_at(const struct body *b, size_t offset)
{
	return offset + 4 <= b->size ? ts_record_load_u32(b->at + offset) : 0;
}

/* Fills a struct of record_layout.h with the record. */
static void read_layout(const struct body *b, void *ret, size_t bytes)
{
	memset(ret, 0, bytes);
	memcpy(ret, b->at, ts_min(bytes, b->size));
}

static void text_at(const struct body *b, size_t offset, struct ts_bytes *out)
{
	if (offset < b->size)
		text_name_n(out, (const char *)b->at + offset,
			    strnlen((const char *)b->at + offset, b->size - offset));
}

/* --- bytes --- */

/* ".  0010:  " + 16 times "xx " + " " + 16 characters + "\n"; the offset may be wider. */
#define LINE_TEXT (5 + 4 + 2 + 3 * LINE_BYTES + 1 + LINE_BYTES + 1)

static char *put_hex(char *to, unsigned int byte)
{
	*to++ = "0123456789abcdef"[byte >> 4];
	*to++ = "0123456789abcdef"[byte & 15];
	return to;
}

/* Most text of a dump is made here, so it does without printf. */
static void dump_line(const uint8_t *bytes, size_t size, size_t at, struct ts_bytes *out)
{
	size_t n = size - at < LINE_BYTES ? size - at : LINE_BYTES;
	char *start = ts_bytes_reserve(out, LINE_TEXT), *to = start;

	if (!to)
		return;
	to = put_hex(put_hex(stpcpy(to, ".  "), (at >> 8) & 0xff), at & 0xff);
	*to++ = ':';
	*to++ = ' ';
	for (size_t i = 0; i < LINE_BYTES; i++) {
		*to++ = ' ';
		to = i < n ? put_hex(to, bytes[at + i]) : stpcpy(to, "  ");
	}
	to = stpcpy(to, "  ");
	for (size_t i = 0; i < LINE_BYTES; i++) {
		uint8_t c = i < n ? bytes[at + i] : ' ';

		*to++ = c >= 0x20 && c < 0x7f ? (char)c : '.';
	}
	*to++ = '\n';
	out->len += (size_t)(to - start);
}

static void put_byte(struct ts_bytes *out, unsigned int byte)
{
	char *to = ts_bytes_reserve(out, 2);

	if (!to)
		return;
	put_hex(to, byte);
	out->len += 2;
}

/* As "%#lx": zero has no "0x". */
static void put_address(uint64_t v, struct ts_bytes *out)
{
	if (v)
		text_put(out, "0x");
	text_hex(out, v, 0);
}

void dump_bytes(const struct perf_event_header *hdr, const char *path, uint64_t offset,
		struct ts_bytes *out)
{
	struct perf_event_header h;

	memcpy(&h, hdr, sizeof(h));
	text_char(out, '\n');
	put_address(offset, out);
	text_char(out, '@');
	text_name(out, path, 0);
	text_put(out, " [0x");
	text_hex(out, h.size, 0);
	text_put(out, "]: event: ");
	text_dec(out, h.type, 0, ' ');
	text_put(out, "\n.\n. ... raw event: size ");
	text_dec(out, h.size, 0, ' ');
	text_put(out, " bytes\n");
	for (size_t at = 0; at < h.size; at += LINE_BYTES)
		dump_line((const uint8_t *)hdr, h.size, at, out);
	text_char(out, '\n');
}

/* --- meaning --- */

static void dump_mmap(const struct body *b, struct ts_bytes *out)
{
	struct ts_record_mmap m;

	read_layout(b, &m, sizeof(m));
	ts_bytes_printf(out, " %d/%d: [%#" PRIx64 "(%#" PRIx64 ") @ %#" PRIx64 "]: %c ", (int)m.pid,
			(int)m.tid, m.addr, m.len, m.pgoff,
			b->misc & PERF_RECORD_MISC_MMAP_DATA ? 'r' : 'x');
	text_at(b, sizeof(m), out);
	text_char(out, '\n');
}

static void dump_build_id(const struct ts_record_mmap2 *m, struct ts_bytes *out)
{
	size_t len = ts_min((size_t)m->build_id_size, sizeof(m->build_id));

	text_put(out, " <");
	for (size_t i = 0; i < len; i++)
		ts_bytes_printf(out, "%02x", m->build_id[i]);
	text_put(out, ">]: ");
}

static void dump_mmap2(const struct body *b, struct ts_bytes *out)
{
	struct ts_record_mmap2 m;

	read_layout(b, &m, sizeof(m));
	ts_bytes_printf(out, " %d/%d: [%#" PRIx64 "(%#" PRIx64 ") @ %#" PRIx64, (int)m.pid,
			(int)m.tid, m.addr, m.len, m.pgoff);
	if (b->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
		dump_build_id(&m, out);
	else
		ts_bytes_printf(out, " %02x:%02x %" PRIu64 " %" PRIu64 "]: ", m.maj, m.min, m.ino,
				m.ino_generation);
	text_char(out, m.prot & 1 ? 'r' : '-');
	text_char(out, m.prot & 2 ? 'w' : '-');
	text_char(out, m.prot & 4 ? 'x' : '-');
	text_char(out, m.flags & 1 ? 's' : 'p');
	text_char(out, ' ');
	text_at(b, sizeof(m), out);
	text_char(out, '\n');
}

static void dump_comm(const struct body *b, struct ts_bytes *out)
{
	struct ts_record_comm c;

	read_layout(b, &c, sizeof(c));
	text_put(out, b->misc & PERF_RECORD_MISC_COMM_EXEC ? " exec: " : ": ");
	text_at(b, sizeof(c), out);
	ts_bytes_printf(out, ":%d/%d\n", (int)c.pid, (int)c.tid);
}

static void dump_task(const struct body *b, struct ts_bytes *out)
{
	struct ts_record_task t;

	read_layout(b, &t, sizeof(t));
	ts_bytes_printf(out, "(%d:%d):(%d:%d)\n", (int)t.pid, (int)t.tid, (int)t.ppid, (int)t.ptid);
}

static void dump_lost(const struct body *b, struct ts_bytes *out)
{
	ts_bytes_printf(out, ": id:%" PRIu64 ": lost:%" PRIu64 "\n", u64_at(b, 8), u64_at(b, 16));
}

static void put_direction(const struct body *b, struct ts_bytes *out)
{
	bool leaves = b->misc & PERF_RECORD_MISC_SWITCH_OUT;
	bool preempted = b->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;

	text_put(out, !leaves ? " IN         " : preempted ? " OUT preempt" : " OUT        ");
}

static void dump_switch(const struct body *b, struct ts_bytes *out)
{
	put_direction(b, out);
	text_char(out, '\n');
}

static void dump_switch_wide(const struct body *b, struct ts_bytes *out)
{
	put_direction(b, out);
	ts_bytes_printf(out, "  %s pid/tid: %5d/%-5d\n",
			b->misc & PERF_RECORD_MISC_SWITCH_OUT ? "next" : "prev", (int)u32_at(b, 8),
			(int)u32_at(b, 12));
}

static void dump_ksymbol(const struct body *b, struct ts_bytes *out)
{
	struct ts_record_ksymbol k;

	read_layout(b, &k, sizeof(k));
	ts_bytes_printf(out, " addr %" PRIx64 " len %u type %u flags 0x%x name ", k.addr, k.len,
			k.ksym_type, k.flags);
	text_at(b, sizeof(k), out);
	text_char(out, '\n');
}

static void dump_bpf(const struct body *b, struct ts_bytes *out)
{
	struct ts_record_bpf p;

	read_layout(b, &p, sizeof(p));
	ts_bytes_printf(out, " type %u, flags %u, id %u\n", p.type, p.flags, p.id);
}

static void dump_cgroup(const struct body *b, struct ts_bytes *out)
{
	ts_bytes_printf(out, " cgroup: %" PRIu64 " ", u64_at(b, 8));
	text_at(b, 16, out);
	text_char(out, '\n');
}

static void dump_throttle(const struct body *b, struct ts_bytes *out)
{
	ts_bytes_printf(out, ": time:%" PRIu64 " id:%" PRIu64 "\n", u64_at(b, 8), u64_at(b, 16));
}

/* Counter values that the kernel writes at the end of a thread (record -s). */
static void dump_read(const struct body *b, const struct ts_events *events,
		      const struct ts_sample_id *sid, struct ts_bytes *out)
{
	static const struct {
		uint64_t bit;
		const char *name;
	} words[] = {
		{PERF_FORMAT_TOTAL_TIME_ENABLED, "time enabled"},
		{PERF_FORMAT_TOTAL_TIME_RUNNING, "time running"},
		{PERF_FORMAT_ID, "id          "},
		{PERF_FORMAT_LOST, "lost        "},
	};
	const struct ts_event *event = sid->event < events->nr ? &events->items[sid->event] : NULL;
	uint16_t at = 24;

	ts_bytes_printf(out, ": %d %d ", (int)u32_at(b, 8), (int)u32_at(b, 12));
	text_name(out, event ? event->name : "unknown", 0);
	ts_bytes_printf(out, " %" PRIu64 "\n", u64_at(b, 16));
	for (size_t i = 0; event && i < sizeof(words) / sizeof(words[0]); i++)
		if (event->attr.read_format & words[i].bit) {
			ts_bytes_printf(out, "... %s : %" PRIu64 "\n", words[i].name,
					u64_at(b, at));
			at += 8;
		}
}

static void dump_namespaces(const struct body *b, struct ts_bytes *out)
{
	static const char *const names[] = {"net", "uts", "ipc", "pid", "user", "mnt", "cgroup"};
	uint64_t nr = u64_at(b, 16);

	ts_bytes_printf(out, " %d/%d - nr_namespaces: %" PRIu64 "\n\t\t[", (int)u32_at(b, 8),
			(int)u32_at(b, 12), nr);
	for (uint64_t i = 0; i < nr && 24 + 16 * (i + 1) <= b->size; i++)
		ts_bytes_printf(out, "%" PRIu64 "/%s: %" PRIu64 "/%#" PRIx64 "%s", i,
				i < sizeof(names) / sizeof(names[0]) ? names[i] : "unknown",
				u64_at(b, 24 + 16 * i), u64_at(b, 32 + 16 * i),
				i + 1 == nr  ? "]\n"
				: i % 4 == 3 ? ", \n\t\t "
					     : ", ");
}

static void dump_other(const struct body *b, struct ts_bytes *out)
{
	(void)b;
	text_char(out, '\n');
}

static void (*const dumpers[64])(const struct body *b, struct ts_bytes *out) = {
	[PERF_RECORD_MMAP] = dump_mmap,
	[PERF_RECORD_LOST] = dump_lost,
	[PERF_RECORD_COMM] = dump_comm,
	[PERF_RECORD_EXIT] = dump_task,
	[PERF_RECORD_THROTTLE] = dump_throttle,
	[PERF_RECORD_UNTHROTTLE] = dump_throttle,
	[PERF_RECORD_FORK] = dump_task,
	[PERF_RECORD_MMAP2] = dump_mmap2,
	[PERF_RECORD_SWITCH] = dump_switch,
	[PERF_RECORD_SWITCH_CPU_WIDE] = dump_switch_wide,
	[PERF_RECORD_NAMESPACES] = dump_namespaces,
	[PERF_RECORD_KSYMBOL] = dump_ksymbol,
	[PERF_RECORD_BPF_EVENT] = dump_bpf,
	[PERF_RECORD_CGROUP] = dump_cgroup,
};

static void dump_registers(const char *whose, uint64_t abi, uint64_t mask,
			   const struct ts_words *words, struct ts_bytes *out)
{
	uint64_t nr = 0;

	if (!words->data)
		return;
	ts_bytes_printf(out, "... %s regs: mask 0x%" PRIx64 " ABI %s\n", whose, mask,
			abi == PERF_SAMPLE_REGS_ABI_64	 ? "64-bit"
			: abi == PERF_SAMPLE_REGS_ABI_32 ? "32-bit"
							 : "none");
	for (unsigned int bit = 0; bit < 64 && nr < words->nr; bit++)
		if (mask & (1ull << bit))
			ts_bytes_printf(out, ".... r%-4u 0x%016" PRIx64 "\n", bit,
					ts_word(words, nr++));
}

static void put_page_size(const char *name, uint64_t bytes, struct ts_bytes *out)
{
	static const char units[] = "BKMGTPE";
	size_t unit = 0;

	for (; bytes && !(bytes % 1024) && units[unit + 1]; unit++)
		bytes /= 1024;
	if (bytes)
		ts_bytes_printf(out, " .. %s page size: %" PRIu64 "%c\n", name, bytes, units[unit]);
	else
		ts_bytes_printf(out, " .. %s page size: N/A\n", name);
}

/* Fields that -W, -d, --phys-data and similar options add. */
static void dump_memory(const struct ts_sample *sample, uint64_t type, struct ts_bytes *out)
{
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		ts_bytes_printf(out, "... weight: %" PRIu64, sample->weight);
	if (type & PERF_SAMPLE_WEIGHT_STRUCT)
		ts_bytes_printf(out, ",0x%x,0x%x", sample->instruction_cycles,
				sample->stage_cycles);
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		text_char(out, '\n');
	if (type & PERF_SAMPLE_DATA_SRC)
		ts_bytes_printf(out, " . data_src: 0x%" PRIx64 "\n", sample->data_src);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		ts_bytes_printf(out, " .. phys_addr: 0x%" PRIx64 "\n", sample->phys_addr);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		put_page_size("data", sample->data_page_size, out);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		put_page_size("code", sample->code_page_size, out);
	if (type & PERF_SAMPLE_TRANSACTION)
		ts_bytes_printf(out, "... transaction: %" PRIx64 "\n", sample->transaction);
}

static void dump_chain(const struct ts_words *chain, struct ts_bytes *out)
{
	text_put(out, "... FP chain: nr:");
	text_dec(out, chain->nr, 0, ' ');
	text_char(out, '\n');
	for (uint64_t i = 0; i < chain->nr; i++) {
		uint64_t ip = ts_word(chain, i);

		text_put(out, "..... ");
		text_dec(out, i, 2, ' ');
		text_put(out, ": ");
		for (int byte = 56; byte >= 0; byte -= 8)
			put_byte(out, (ip >> byte) & 0xff);
		text_char(out, '\n');
	}
}

/* The values of the counters that the sample read. */
static void dump_values(const struct ts_words *words, uint64_t format, struct ts_bytes *out)
{
	const struct read_values read = read_values(words, format);

	text_put(out, "... sample_read:\n");
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		ts_bytes_printf(out, "...... time enabled %016" PRIx64 "\n", read.enabled_ns);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		ts_bytes_printf(out, "...... time running %016" PRIx64 "\n", read.running_ns);
	if (format & PERF_FORMAT_GROUP)
		ts_bytes_printf(out, ".... group nr %" PRIu64 "\n", read.nr);
	for (uint64_t i = 0; i < read.nr; i++) {
		const struct read_value v = read_value(&read, i);

		ts_bytes_printf(out, "..... id %016" PRIx64 ", value %016" PRIx64, v.id, v.value);
		if (format & PERF_FORMAT_LOST)
			ts_bytes_printf(out, ", lost %" PRIu64, v.lost);
		text_char(out, '\n');
	}
}

static void dump_sample(uint16_t misc, const struct ts_sample *sample,
			const struct ts_events *events, struct ts_bytes *out)
{
	const struct perf_event_attr *attr = &events->items[sample->sid.event].attr;

	text_put(out, "(IP, 0x");
	text_hex(out, misc, 0);
	ts_bytes_printf(out, "): %d/%d: ", (int)sample->sid.pid, (int)sample->sid.tid);
	put_address(sample->ip, out);
	text_put(out, " period: ");
	text_dec(out, sample->period, 0, ' ');
	text_put(out, " addr: ");
	put_address(sample->addr, out);
	text_char(out, '\n');
	if (sample->callchain.data)
		dump_chain(&sample->callchain, out);
	dump_registers("user", sample->user_abi, attr->sample_regs_user, &sample->user_regs, out);
	dump_registers("intr", sample->intr_abi, attr->sample_regs_intr, &sample->intr_regs, out);
	if (sample->user_stack)
		ts_bytes_printf(out, "... ustack: size %" PRIu64 "\n", sample->user_stack_dyn);
	dump_memory(sample, attr->sample_type, out);
	if (attr->sample_type & PERF_SAMPLE_READ)
		dump_values(&sample->read, attr->read_format, out);
}

static void dump_lost_samples(const struct body *b, const struct ts_sample_id *sid,
			      struct ts_bytes *out)
{
	ts_bytes_printf(out, ": id:%" PRIu64 ": lost samples :%" PRIu64 "\n", sid->id,
			u64_at(b, 8));
}

void dump_meaning(const struct perf_event_header *hdr, uint64_t offset,
		  const struct ts_sample_id *sid, const struct ts_sample *sample,
		  const struct ts_events *events, struct ts_bytes *out)
{
	struct perf_event_header h;
	struct body b = {.at = (const uint8_t *)hdr};
	const char *name;

	memcpy(&h, hdr, sizeof(h));
	b.size = h.size;
	b.misc = h.misc;
	name = ts_record_type_name(h.type);
	ts_bytes_printf(out, "%d ", (int)sid->cpu);
	text_dec(out, sid->time_ns, 0, ' ');
	text_char(out, ' ');
	put_address(offset, out);
	text_put(out, " [0x");
	text_hex(out, h.size, 0);
	text_put(out, "]: PERF_RECORD_");
	text_put(out, name ? name : "UNKNOWN");
	if (h.type == PERF_RECORD_SAMPLE && sample)
		dump_sample(h.misc, sample, events, out);
	else if (h.type == PERF_RECORD_READ)
		dump_read(&b, events, sid, out);
	else if (h.type == PERF_RECORD_LOST_SAMPLES)
		dump_lost_samples(&b, sid, out);
	else if (h.type < 64 && dumpers[h.type])
		dumpers[h.type](&b, out);
	else
		dump_other(&b, out);
}

void dump_event(const struct perf_event_header *hdr, struct ts_bytes *out)
{
	struct perf_event_header h = ts_record_load_header(hdr);
	struct body b = {.at = (const uint8_t *)hdr, .size = h.size, .misc = h.misc};
	const char *name = ts_record_type_name(h.type);

	text_put(out, "PERF_RECORD_");
	text_put(out, name ? name : "UNKNOWN");
	if (h.type == PERF_RECORD_LOST)
		ts_bytes_printf(out, " lost %" PRIu64 "\n", u64_at(&b, 16));
	else if (h.type < 64 && dumpers[h.type])
		dumpers[h.type](&b, out);
	else
		dump_other(&b, out);
}
