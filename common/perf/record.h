/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding of one perf record: its event, its time and place, its fields.
 *
 * `struct ts_events` is the list of events (attrs with ids and names) of a recording or a capture.
 * With this list a SAMPLE is decoded field by field, and the trailer (sample_id) of every other
 * kernel record is found. A record may stand at any address, aligned or not. Only the range
 * [header, header + header->size) is read, and it must be readable. Pointers in the results point
 * into the record and live as long as the record.
 *
 * Functions take a record as `const struct perf_event_header *`, because every record begins with
 * one. They never dereference it directly but use ts_record_load_header(), so it may be misaligned.
 *
 * Threads: decoding only reads `struct ts_events`; after ts_events_index() any number of threads
 * may decode with the same one. Building the list is for one thread.
 *
 * Source: include/uapi/linux/perf_event.h (PERF_RECORD_*),
 * tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef TS_COMMON_PERF_RECORD_H
#define TS_COMMON_PERF_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/base/error.h"
#include "common/perf/perf_layout.h"

#define TS_NO_EVENT UINT32_MAX

/*
 * perf_event_attr of Linux 6.19 (VER9): the known bytes of an attr; the number of known bits in its
 * flags, sample_type, read_format and branch_sample_type.
 */
#define TS_KNOWN_ATTR_BYTES 144
#define TS_KNOWN_FLAGS	    40
#define TS_KNOWN_FIELDS	    25
#define TS_KNOWN_VALUES	    5
#define TS_KNOWN_BRANCH	    20

/* One event of a capture. Bytes of attr beyond attr.size are zero. */
struct ts_event {
	struct perf_event_attr attr;
	char *name;    /* owned; never NULL after ts_events_add() */
	uint64_t *ids; /* owned kernel ids, one per descriptor; may be empty with a single event */
	size_t nr_ids;
	bool is_longer; /* its attr had more bytes than are known */
};

struct ts_event_id { /* a slot of the id table; id 0: free */
	uint64_t id;
	uint32_t event;
};

struct ts_events {
	struct ts_event *items;
	size_t nr;
	struct ts_event_id *slots; /* open addressing, power of two; made by ts_events_index() */
	size_t nr_slots;
	uint64_t hash_key;  /* of slots */
	bool sample_id_all; /* of every event; ts_events_index() refuses a mixture */
	/* The place of the id in bytes, the same for all events; 0: records carry no id. */
	uint32_t id_off;	/* from the start of a SAMPLE */
	uint32_t id_tail;	/* from the end of any other record */
	bool same_trailer;	/* all events have the same layout of the trailer, */
	uint32_t trailer_bytes; /* which has so many bytes; else 0 */
};

/* The identification of a record: a sample's own fields, or the trailer of another record. */
struct ts_sample_id {
	uint32_t event;	   /* index into ts_events, TS_NO_EVENT when the id is unknown */
	uint32_t pid, tid; /* (uint32_t)-1 where the event does not carry them */
	uint32_t cpu;	   /* (uint32_t)-1 where not carried */
	uint64_t time_ns;  /* 0 where not carried or synthesized */
	uint64_t id;	   /* 0 where not carried */
	uint64_t stream_id;
};

struct ts_words {	     /* nr u64 words at any alignment; read with ts_word() */
	const uint8_t *data; /* NULL: field absent */
	uint64_t nr;
};

struct ts_sample {
	struct ts_sample_id sid;
	uint64_t ip, addr;
	uint64_t period;	   /* attr.sample_period if fixed and not carried, else 1 */
	struct ts_words read;	   /* the read_format block, undecoded */
	struct ts_words callchain; /* entries, context markers included; no deferred part */
	uint64_t deferred_cookie;  /* of the part of the callchain that comes later; 0: none */
	const uint8_t *raw;	   /* tracepoint payload; NULL: absent */
	uint32_t raw_size;	   /* bytes */
	struct ts_words branches;  /* nr counts words: 3 for each branch (from, to, flags) */
	uint64_t user_abi;	   /* PERF_SAMPLE_REGS_ABI_* */
	struct ts_words user_regs;
	const uint8_t *user_stack; /* NULL: absent */
	uint64_t user_stack_size;  /* bytes dumped */
	uint64_t user_stack_dyn;   /* number of those bytes that are valid */
	uint64_t weight, data_src, transaction, phys_addr, cgroup, data_page_size, code_page_size;
	uint16_t instruction_cycles, stage_cycles; /* of PERF_SAMPLE_WEIGHT_STRUCT */
	uint64_t intr_abi;
	struct ts_words intr_regs;
	const uint8_t *aux; /* AUX area data; NULL: absent */
	uint64_t aux_size;  /* bytes */
	/* places of the callchain with its count, of user registers and stack; also if absent */
	const uint8_t *chain_begin, *chain_end, *dump_begin, *dump_end;
};

/* The result of ts_decode_*(). */
enum ts_decode {
	TS_DECODE_OK,
	/* There are several events, and none has this id: the layout is unknown. */
	TS_DECODE_UNKNOWN_EVENT,
	/*
	 * A field reaches beyond the record's end; or a sample has bytes behind its last field,
	 * although all its fields are known.
	 */
	TS_DECODE_BAD,
};

/*
 * Adds an event: copies attr, name and ids. attr->size bytes of attr are valid (0 means 64); bytes
 * beyond our struct are cut. A NULL name is made from type and config, as perf does. -ENOMEM is the
 * only error; the list is then as before.
 */
int ts_events_add(struct ts_events *evs, const struct perf_event_attr *attr, const char *name,
		  const void *ids, size_t nr_ids, struct ts_error *err);
/*
 * Builds the id table; may be called again after additions. -EINVAL if several events have no id,
 * differ in the place of their id, or differ in sample_id_all.
 */
int ts_events_index(struct ts_events *evs, struct ts_error *err);
void ts_events_release(struct ts_events *evs); /* frees; accepts a zeroed one; idempotent */

/*
 * Index of the event that has this id; TS_NO_EVENT if none. A single event owns every id; id 0 (a
 * synthesized record) belongs to the first event.
 */
uint32_t ts_events_find(const struct ts_events *evs, uint64_t id);

/* Decodes all fields of a SAMPLE. *ret is undefined unless TS_DECODE_OK. */
enum ts_decode ts_decode_sample(const struct ts_events *evs, const struct perf_event_header *hdr,
				struct ts_sample *ret);
/*
 * Decodes only the identification of a SAMPLE. This is cheaper: for scans, time windows, ordering.
 */
enum ts_decode ts_decode_sample_id(const struct ts_events *evs, const struct perf_event_header *hdr,
				   struct ts_sample_id *ret);
/*
 * Decodes the trailer of a kernel record that is not a SAMPLE (types 1..63); zeros (pid, tid, cpu
 * -1) without sample_id_all. TS_DECODE_BAD also if trailer and the fixed fields of the type
 * overlap, or if a type of one size has another (ts_record_type_is_exact()). If all events have the same layout of the trailer, an unknown id is no obstacle: event
 * is then TS_NO_EVENT and the rest is decoded.
 */
enum ts_decode ts_decode_trailer(const struct ts_events *evs, const struct perf_event_header *hdr,
				 struct ts_sample_id *ret);
/* Decodes the identification of any kernel record: one of the two above, by type. */
enum ts_decode ts_decode_id(const struct ts_events *evs, const struct perf_event_header *hdr,
			    struct ts_sample_id *ret);
/*
 * Bytes of the trailer that records of this event carry (a multiple of 8; 0 without sample_id_all).
 */
size_t ts_record_trailer_bytes(const struct perf_event_attr *attr);

/* Are all fields known that samples of this event may have? */
bool ts_event_knows_fields(const struct ts_event *event);
/* May samples of this event have their user callchains in separate records (Linux 6.19)? */
bool ts_event_defers_callchain(const struct perf_event_attr *attr);

static inline uint64_t ts_record_load_u64(const void *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static inline uint32_t ts_record_load_u32(const void *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static inline uint16_t ts_record_load_u16(const void *at)
{
	uint16_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

/* The header of a record that may stand unaligned. */
static inline struct perf_event_header ts_record_load_header(const void *at)
{
	struct perf_event_header h;

	memcpy(&h, at, sizeof(h));
	return h;
}

/*
 * Bytes that the record at `at` occupies; `left` bytes are readable. This is more than header.size
 * if AUX area data or formats of tracepoints follow, because header.size does not count them. 0:
 * the record is not whole, or its size is impossible.
 */
static inline size_t ts_record_span(const void *at, size_t left)
{
	struct perf_event_header hdr;
	uint64_t more = 0;

	if (left < sizeof(hdr))
		return 0;
	hdr = ts_record_load_header(at);
	if (hdr.size < sizeof(hdr) || hdr.size > left)
		return 0;
	if (hdr.type < TS_RECORD_USER_START)
		return hdr.size % 8 ? 0 : hdr.size;
	if (hdr.type == TS_RECORD_AUXTRACE && hdr.size >= sizeof(hdr) + 8)
		more = ts_record_load_u64((const uint8_t *)at + sizeof(hdr));
	if (hdr.type == TS_RECORD_TRACING_DATA && hdr.size >= sizeof(hdr) + 4)
		more = ts_record_load_u32((const uint8_t *)at + sizeof(hdr));
	return more > left - hdr.size ? 0 : hdr.size + (size_t)more;
}

/*
 * The same in a run as it came out of a ring, where a kernel record may have any size. 0: the run
 * ends here.
 */
static inline size_t ts_record_span_in_run(const void *at, size_t left)
{
	struct perf_event_header hdr;

	if (left < sizeof(hdr))
		return 0;
	hdr = ts_record_load_header(at);
	if (hdr.type >= TS_RECORD_USER_START)
		return ts_record_span(at, left);
	return hdr.size < sizeof(hdr) || hdr.size > left ? 0 : hdr.size;
}

static inline uint64_t ts_word(const struct ts_words *w, uint64_t i)
{
	return ts_record_load_u64(w->data + 8 * i);
}

#endif
