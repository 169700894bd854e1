// SPDX-License-Identifier: Apache-2.0
#include "reader/stacks/waiting_samples.h"

#include <string.h>

void waiting_samples_init(struct waiting_samples *l, struct memory *memory, size_t most_bytes)
{
	*l = (struct waiting_samples){.most_bytes = most_bytes};
	memory_hold(memory, &l->bytes);
}

bool waiting_samples_put(struct waiting_samples *l, const struct raw_key *raw,
			 const struct ts_sample *sample, const struct ts_words *chain)
{
	const struct waiting_sample kept = {.raw = *raw,
					    .sid = sample->sid,
					    .period = sample->period,
					    .nr_words = chain ? chain->nr : 0,
					    .has_chain = chain};
	const size_t bytes = sizeof(kept) + 8 * kept.nr_words;
	uint8_t *to = NULL;

	if (l->bytes.len + bytes <= l->most_bytes)
		to = ts_bytes_reserve(&l->bytes, bytes);
	if (!to)
		return false;
	memcpy(to, &kept, sizeof(kept));
	if (chain)
		memcpy(to + sizeof(kept), chain->data, 8 * chain->nr);
	l->bytes.len += bytes;
	return true;
}

bool waiting_samples_next(const struct waiting_samples *l, size_t *at, struct raw_key *ret_raw,
			  struct ts_sample *ret_sample)
{
	struct waiting_sample kept;
	const uint8_t *from;

	if (*at >= l->bytes.len)
		return false;
	from = l->bytes.data + *at;
	memcpy(&kept, from, sizeof(kept));
	*ret_raw = kept.raw;
	*ret_sample = (struct ts_sample){.sid = kept.sid, .ip = kept.raw.ip, .period = kept.period};
	if (kept.has_chain)
		ret_sample->callchain = (struct ts_words){from + sizeof(kept), kept.nr_words};
	*at += sizeof(kept) + 8 * kept.nr_words;
	return true;
}

void waiting_samples_release(struct waiting_samples *l)
{
	ts_bytes_release(&l->bytes);
}
