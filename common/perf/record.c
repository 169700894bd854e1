// SPDX-License-Identifier: Apache-2.0
/*
 * A SAMPLE is a row of fields in a fixed order; each is present if its sample_type bit is set:
 *
 *	header IDENTIFIER IP TID TIME ADDR ID STREAM_ID CPU PERIOD READ CALLCHAIN RAW ... AUX
 *	       '------ fixed places: the identification -------' '--- walked by a cursor ---'
 *
 * Every other kernel record ends with the trailer, which is therefore found from the end:
 *
 *	header body ... TID TIME ID STREAM_ID CPU IDENTIFIER
 *
 * All events of a capture have the id at the same place, counted from the start of a sample and
 * from the end of other records. The id can therefore be read before the event, and with it the
 * layout, is known.
 */
#include "common/perf/record.h"

#include "common/perf/lengthened.h"
#include "common/perf/record_type.h"
#include "common/perf/record_words.h"

#define READ_VALUES_OFF 16 /* in a READ record, behind header, pid and tid */

/* These are newer than the kernel header of this build. */
#define BRANCH_HAS_COUNTERS   (1ULL << 19)
#define ATTR_FLAGS	      40 /* offset of the 64 flags in the attr */
#define FLAG_DEFER_CALLCHAIN  (1ULL << 38)
#define CONTEXT_USER_DEFERRED ((uint64_t)-640)

/* --- a cursor over one record --- */

struct cursor {
	const uint8_t *at, *end;
	bool bad; /* a field reached beyond the end; later fields are zero */
};

static const uint8_t *take_bytes(struct cursor *c, uint64_t bytes)
{
	const uint8_t *at = c->at;

	if (c->bad || bytes > (uint64_t)(c->end - c->at)) {
		c->bad = true;
		return NULL;
	}
	c->at += bytes;
	return at;
}

static uint64_t take_u64(struct cursor *c)
{
	const uint8_t *at = take_bytes(c, 8);

	return at ? ts_record_load_u64(at) : 0;
}

static struct ts_words take_words(struct cursor *c, uint64_t nr)
{
	struct ts_words w = {0};

	if (nr > UINT16_MAX) { /* more than any record holds; keeps the product small */
		c->bad = true;
		return w;
	}
	w.data = take_bytes(c, 8 * nr);
	w.nr = w.data ? nr : 0;
	return w;
}

/* --- identification --- */

static const struct ts_sample_id no_id = {
	.event = TS_NO_EVENT,
	.pid = (uint32_t)-1,
	.tid = (uint32_t)-1,
	.cpu = (uint32_t)-1,
};

static const uint8_t *bytes_of(const struct perf_event_header *hdr)
{
	return (const void *)hdr;
}

static void take_tid(struct cursor *c, struct ts_sample_id *sid)
{
	uint64_t word = take_u64(c);

	memcpy(&sid->pid, &word, 4);
	memcpy(&sid->tid, (const uint8_t *)&word + 4, 4);
}

static void take_cpu(struct cursor *c, struct ts_sample_id *sid)
{
	uint64_t word = take_u64(c);

	memcpy(&sid->cpu, &word, 4);
}

/* Finds the event of a SAMPLE by its id, which stands at the same place for all events. */
static enum ts_decode sample_event(const struct ts_events *evs, const struct perf_event_header *hdr,
				   struct perf_event_header *ret_hdr, uint32_t *ret_event)
{
	uint64_t id = 0;

	*ret_hdr = ts_record_load_header(hdr);
	if (ret_hdr->size < (evs->id_off ? evs->id_off + 8 : sizeof(*ret_hdr)))
		return TS_DECODE_BAD;
	if (evs->id_off)
		id = ts_record_load_u64(bytes_of(hdr) + evs->id_off);
	*ret_event = ts_events_find(evs, id);
	return *ret_event == TS_NO_EVENT ? TS_DECODE_UNKNOWN_EVENT : TS_DECODE_OK;
}

/* Reads the fields of the identification; fills ip, addr and period if ret_sample is not NULL. */
static void take_sample_id(struct cursor *c, uint64_t type, struct ts_sample_id *sid,
			   struct ts_sample *ret_sample)
{
	uint64_t ip = 0, addr = 0;

	if (type & PERF_SAMPLE_IDENTIFIER)
		sid->id = take_u64(c);
	if (type & PERF_SAMPLE_IP)
		ip = take_u64(c);
	if (type & PERF_SAMPLE_TID)
		take_tid(c, sid);
	if (type & PERF_SAMPLE_TIME)
		sid->time_ns = take_u64(c);
	if (type & PERF_SAMPLE_ADDR)
		addr = take_u64(c);
	if (type & PERF_SAMPLE_ID)
		sid->id = take_u64(c);
	if (type & PERF_SAMPLE_STREAM_ID)
		sid->stream_id = take_u64(c);
	if (type & PERF_SAMPLE_CPU)
		take_cpu(c, sid);
	if (!ret_sample)
		return;
	ret_sample->ip = ip;
	ret_sample->addr = addr;
	if (type & PERF_SAMPLE_PERIOD)
		ret_sample->period = take_u64(c);
}

enum ts_decode ts_decode_sample_id(const struct ts_events *evs, const struct perf_event_header *hdr,
				   struct ts_sample_id *ret)
{
	struct perf_event_header h;
	struct cursor c;
	enum ts_decode found;
	uint32_t event;

	*ret = no_id;
	found = sample_event(evs, hdr, &h, &event);
	if (found != TS_DECODE_OK)
		return found;
	ret->event = event;
	c = (struct cursor){bytes_of(hdr) + sizeof(h), bytes_of(hdr) + h.size, false};
	take_sample_id(&c, evs->items[event].attr.sample_type, ret, NULL);
	return c.bad ? TS_DECODE_BAD : TS_DECODE_OK;
}

size_t ts_record_trailer_bytes(const struct perf_event_attr *attr)
{
	return attr->sample_id_all ? 8 * ts_record_words(attr->sample_type & TS_TRAILER_BITS) : 0;
}

static void take_trailer(struct cursor *c, uint64_t type, struct ts_sample_id *sid)
{
	if (type & PERF_SAMPLE_TID)
		take_tid(c, sid);
	if (type & PERF_SAMPLE_TIME)
		sid->time_ns = take_u64(c);
	if (type & PERF_SAMPLE_ID)
		sid->id = take_u64(c);
	if (type & PERF_SAMPLE_STREAM_ID)
		sid->stream_id = take_u64(c);
	if (type & PERF_SAMPLE_CPU)
		take_cpu(c, sid);
	if (type & PERF_SAMPLE_IDENTIFIER)
		sid->id = take_u64(c);
}

/* The end of the trailer: the end of the record, or a place before it (lengthened.h). */
static size_t trailer_end(const struct ts_events *evs, const struct perf_event_header *hdr,
			  size_t size)
{
	const size_t bytes = evs->trailer_bytes;

	return size < sizeof(*hdr) + bytes ? size : ts_lengthened_trailer_off(hdr, bytes) + bytes;
}

/* Words of a read_format block; the count of a group is its first word. */
static uint64_t read_words(const struct cursor *c, uint64_t format)
{
	uint64_t times = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	uint64_t a_value = 1 + ts_record_words(format & (PERF_FORMAT_ID | PERF_FORMAT_LOST));
	uint64_t nr;

	if (!(format & PERF_FORMAT_GROUP))
		return ts_record_words(format & times) + a_value;
	if (c->bad || c->end - c->at < 8)
		return 1;
	nr = ts_record_load_u64(c->at);
	if (nr > UINT16_MAX)
		return UINT64_MAX;
	return 1 + ts_record_words(format & times) + nr * a_value;
}

/*
 * May a record with a trailer of so many bytes have its size? Without sample_id_all, perf puts
 * trailers behind some records that it writes itself.
 */
static bool fits(const struct perf_event_header *hdr, const struct perf_event_header *h,
		 const struct ts_event *ev, size_t trailer)
{
	size_t fixed = ts_record_type_fixed_bytes(h->type);
	struct cursor values = {bytes_of(hdr) + READ_VALUES_OFF, bytes_of(hdr) + h->size, false};

	if (h->size < fixed + trailer)
		return false;
	if (!ev->attr.sample_id_all || !ts_event_knows_fields(ev))
		return true;
	if (h->type == PERF_RECORD_READ)
		return h->size ==
		       READ_VALUES_OFF + trailer + 8 * read_words(&values, ev->attr.read_format);
	return !ts_record_type_is_exact(h->type) || h->size == fixed + trailer;
}

enum ts_decode ts_decode_trailer(const struct ts_events *evs, const struct perf_event_header *hdr,
				 struct ts_sample_id *ret)
{
	struct perf_event_header h = ts_record_load_header(hdr);
	size_t fixed = ts_record_type_fixed_bytes(h.type), bytes;
	const struct ts_event *ev;
	struct cursor c;

	*ret = no_id;
	if (!evs->nr || h.size < fixed + evs->id_tail)
		return TS_DECODE_BAD;
	c.end = bytes_of(hdr) + trailer_end(evs, hdr, h.size);
	ret->event =
		ts_events_find(evs, evs->id_tail ? ts_record_load_u64(c.end - evs->id_tail) : 0);
	if (ret->event == TS_NO_EVENT && !evs->same_trailer)
		return TS_DECODE_UNKNOWN_EVENT;
	ev = &evs->items[ret->event == TS_NO_EVENT ? 0 : ret->event];
	bytes = evs->same_trailer ? evs->trailer_bytes : ts_record_trailer_bytes(&ev->attr);
	if (!fits(hdr, &h, ev, bytes))
		return TS_DECODE_BAD;
	c.at = c.end - bytes;
	c.bad = false;
	if (bytes)
		take_trailer(&c, ev->attr.sample_type, ret);
	return TS_DECODE_OK;
}

enum ts_decode ts_decode_id(const struct ts_events *evs, const struct perf_event_header *hdr,
			    struct ts_sample_id *ret)
{
	if (ts_record_load_header(hdr).type == PERF_RECORD_SAMPLE)
		return ts_decode_sample_id(evs, hdr, ret);
	return ts_decode_trailer(evs, hdr, ret);
}

/* --- the fields of a sample behind its identification --- */

static void take_raw(struct cursor *c, struct ts_sample *s)
{
	const uint8_t *size = take_bytes(c, 4);

	s->raw_size = size ? ts_record_load_u32(size) : 0;
	s->raw = take_bytes(c, s->raw_size);
}

static void take_branches(struct cursor *c, const struct perf_event_attr *attr, struct ts_sample *s)
{
	uint64_t nr = take_u64(c);

	if (attr->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		take_u64(c);
	s->branches = take_words(c, nr > UINT16_MAX ? UINT64_MAX : 3 * nr);
	if (attr->branch_sample_type & BRANCH_HAS_COUNTERS)
		take_words(c, nr);
}

static void take_regs(struct cursor *c, uint64_t mask, uint64_t *abi, struct ts_words *regs)
{
	*abi = take_u64(c);
	if (*abi != PERF_SAMPLE_REGS_ABI_NONE)
		*regs = take_words(c, ts_record_words(mask));
}

static void take_user_stack(struct cursor *c, struct ts_sample *s)
{
	s->user_stack_size = take_u64(c);
	if (!s->user_stack_size)
		return;
	s->user_stack = take_bytes(c, s->user_stack_size);
	s->user_stack_dyn = take_u64(c);
	if (s->user_stack_dyn > s->user_stack_size)
		c->bad = true;
}

bool ts_event_knows_fields(const struct ts_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	return !event->is_longer && !(attr->sample_type >> TS_KNOWN_FIELDS) &&
	       !(ts_record_load_u64((const uint8_t *)attr + ATTR_FLAGS) >> TS_KNOWN_FLAGS) &&
	       !(attr->read_format >> TS_KNOWN_VALUES) &&
	       !(attr->branch_sample_type >> TS_KNOWN_BRANCH);
}

bool ts_event_defers_callchain(const struct perf_event_attr *attr)
{
	return ts_record_load_u64((const uint8_t *)attr + ATTR_FLAGS) & FLAG_DEFER_CALLCHAIN;
}

/*
 * Linux 6.19 may record the user part of a chain later, once for several samples, as a record
 * CALLCHAIN_DEFERRED. The chain then ends with a marker and the number that these samples share.
 * This number is no address.
 */
static void take_callchain(struct cursor *c, const struct perf_event_attr *attr,
			   struct ts_sample *s)
{
	struct ts_words *chain = &s->callchain;

	*chain = take_words(c, take_u64(c));
	if (ts_event_defers_callchain(attr) && chain->nr >= 2 &&
	    ts_word(chain, chain->nr - 2) == CONTEXT_USER_DEFERRED) {
		s->deferred_cookie = ts_word(chain, chain->nr - 1);
		chain->nr -= 2;
	}
}

/* READ .. STACK_USER */
static void take_payload(struct cursor *c, const struct perf_event_attr *attr, struct ts_sample *s)
{
	uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_READ)
		s->read = take_words(c, read_words(c, attr->read_format));
	s->chain_begin = c->at;
	if (type & PERF_SAMPLE_CALLCHAIN)
		take_callchain(c, attr, s);
	s->chain_end = c->at;
	if (type & PERF_SAMPLE_RAW)
		take_raw(c, s);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		take_branches(c, attr, s);
	s->dump_begin = c->at;
	if (type & PERF_SAMPLE_REGS_USER)
		take_regs(c, attr->sample_regs_user, &s->user_abi, &s->user_regs);
	if (type & PERF_SAMPLE_STACK_USER)
		take_user_stack(c, s);
	s->dump_end = c->at;
}

/* Reads one number, or three in the order of the kernel's union perf_sample_weight. */
static void take_weight(struct cursor *c, uint64_t type, struct ts_sample *s)
{
	const uint8_t *at = take_bytes(c, 8);
	bool is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	if (!at)
		return;
	if (type & PERF_SAMPLE_WEIGHT) {
		s->weight = ts_record_load_u64(at);
		return;
	}
	s->weight = ts_record_load_u32(at + (is_big_endian ? 4 : 0));
	s->instruction_cycles = ts_record_load_u16(at + (is_big_endian ? 2 : 4));
	s->stage_cycles = ts_record_load_u16(at + (is_big_endian ? 0 : 6));
}

/* WEIGHT .. AUX */
static void take_rest(struct cursor *c, const struct perf_event_attr *attr, struct ts_sample *s)
{
	uint64_t type = attr->sample_type;

	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		take_weight(c, type, s);
	if (type & PERF_SAMPLE_DATA_SRC)
		s->data_src = take_u64(c);
	if (type & PERF_SAMPLE_TRANSACTION)
		s->transaction = take_u64(c);
	if (type & PERF_SAMPLE_REGS_INTR)
		take_regs(c, attr->sample_regs_intr, &s->intr_abi, &s->intr_regs);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		s->phys_addr = take_u64(c);
	if (type & PERF_SAMPLE_CGROUP)
		s->cgroup = take_u64(c);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		s->data_page_size = take_u64(c);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		s->code_page_size = take_u64(c);
	if (type & PERF_SAMPLE_AUX) {
		s->aux_size = take_u64(c);
		s->aux = take_bytes(c, s->aux_size);
	}
}

enum ts_decode ts_decode_sample(const struct ts_events *evs, const struct perf_event_header *hdr,
				struct ts_sample *ret)
{
	const struct perf_event_attr *attr;
	struct perf_event_header h;
	struct cursor c;
	enum ts_decode found;
	uint32_t event;

	found = sample_event(evs, hdr, &h, &event);
	if (found != TS_DECODE_OK)
		return found;
	attr = &evs->items[event].attr;
	*ret = (struct ts_sample){.sid = no_id};
	ret->sid.event = event;
	ret->period = attr->freq || !attr->sample_period ? 1 : attr->sample_period;
	c = (struct cursor){bytes_of(hdr) + sizeof(h), bytes_of(hdr) + h.size, false};
	take_sample_id(&c, attr->sample_type, &ret->sid, ret);
	take_payload(&c, attr, ret);
	take_rest(&c, attr, ret);
	c.bad |= c.at < c.end && ts_event_knows_fields(&evs->items[event]);
	return c.bad ? TS_DECODE_BAD : TS_DECODE_OK;
}
