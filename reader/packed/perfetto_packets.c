// SPDX-License-Identifier: Apache-2.0
#include "reader/packed/perfetto_packets.h"

#include <errno.h>

#include "common/base/min_max.h"
#include "common/base/sum.h"
#include "reader/runtime/text.h"

#define PACKET 1 /* Trace.packet */

int perfetto_packets_put(struct perfetto_packets *p, Perfetto__TracePacket *packet,
			 struct ts_error *err)
{
	packet->has_trusted_packet_sequence_id = packet->has_sequence_flags = true;
	packet->trusted_packet_sequence_id = perfetto_packets_sequence(p);
	if (!packet->sequence_flags)
		packet->sequence_flags = PERFETTO_NEEDS;
	return packed_file_put(&p->file, PACKET, &packet->base, err);
}

int perfetto_packets_put_at(struct perfetto_packets *p, uint64_t time_ns,
			    Perfetto__TracePacket *packet, struct ts_error *err)
{
	packet->has_timestamp = true;
	packet->timestamp = perfetto_packets_ns(p, time_ns);
	return perfetto_packets_put(p, packet, err);
}

int perfetto_packets_tell_memory(const struct perfetto_packets *p, struct ts_error *err)
{
	return ts_error_sys(err, ENOMEM, "cannot write %s", p->file.to->path);
}

void perfetto_packets_release(struct perfetto_packets *p)
{
	packed_file_release(&p->file);
	ts_bytes_release(&p->text);
}

uint64_t perfetto_packets_ns(const struct perfetto_packets *p, uint64_t time_ns)
{
	return ts_min(ts_sum(p->base_ns, time_ns), (uint64_t)INT64_MAX);
}

uint32_t perfetto_packets_task(const struct perfetto_packets *p, uint32_t task)
{
	return (uint32_t)timed_samples_task(p->capture, task);
}

char *perfetto_packets_text(struct perfetto_packets *p, const char *name, const char *host)
{
	ts_bytes_clear(&p->text);
	text_name(&p->text, name, 0);
	if (host) {
		text_put(&p->text, " on ");
		text_name(&p->text, host, 0);
	}
	text_char(&p->text, '\0');
	return ts_bytes_failed(&p->text) ? NULL : (char *)p->text.data;
}
