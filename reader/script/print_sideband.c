// SPDX-License-Identifier: Apache-2.0
#include "reader/script/print_sideband.h"

#include "reader/dump/dump_record.h"
#include "reader/script/print_line_start.h"

/* Returns the offset of the pid in the record and sets that of the tid. 0: the trailer has both. */
static size_t offset_of_thread(uint32_t type, size_t *ret_tid)
{
	switch (type) {
	case PERF_RECORD_COMM:
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_NAMESPACES:
		*ret_tid = 12;
		return 8;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		*ret_tid = 16; /* pid, ppid, tid, ptid */
		return 8;
	default:
		return 0;
	}
}

/* The thread that the record describes, at the time of the trailer. */
static struct ts_sample_id thread_of(const struct perf_event_header *hdr,
				     const struct ts_sample_id *sid)
{
	const uint8_t *at = (const uint8_t *)hdr;
	struct perf_event_header h = ts_record_load_header(hdr);
	struct ts_sample_id who = *sid;
	size_t tid = 0, pid = offset_of_thread(h.type, &tid);

	/* A thread from before the recording has the name of its parent until a record names it. */
	if (h.type == PERF_RECORD_FORK && !sid->time_ns) {
		pid = 12;
		tid = 20;
	}
	if (pid && h.size >= tid + 4) {
		who.pid = ts_record_load_u32(at + pid);
		who.tid = ts_record_load_u32(at + tid);
	}
	return who;
}

void print_sideband(struct script_printer *p, const struct perf_event_header *hdr,
		    const struct ts_sample_id *sid, struct ts_bytes *out)
{
	struct perf_event_header h = ts_record_load_header(hdr);
	struct ts_sample_id who = thread_of(hdr, sid);

	if (sid->event < p->header->events.nr)
		print_line_start(p, &p->header->events.items[sid->event], h.type, h.misc, &who, sid,
				 out);
	dump_event(hdr, out);
}
