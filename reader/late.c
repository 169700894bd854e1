// SPDX-License-Identifier: Apache-2.0
#include "reader/late.h"

#include <string.h>

void late_init(struct late *l, struct spill *spill, size_t most_bytes)
{
	*l = (struct late){.most_bytes = most_bytes};
	spill_hold(spill, &l->bytes);
}

bool late_put(struct late *l, const struct raw_key *raw, const char *comm,
	      const struct ts_sample *sample)
{
	const bool has_chain = sample->callchain.data;
	const struct late_sample s = {.raw = *raw,
				      .comm = comm,
				      .sid = sample->sid,
				      .ip = sample->ip,
				      .period = sample->period,
				      .nr_words = has_chain ? sample->callchain.nr : 0,
				      .has_chain = has_chain};

	if (l->bytes.len + sizeof(s) + 8 * s.nr_words > l->most_bytes)
		return false;
	ts_bytes_put(&l->bytes, &s, sizeof(s));
	if (has_chain)
		ts_bytes_put(&l->bytes, sample->callchain.data, 8 * s.nr_words);
	return !ts_bytes_failed(&l->bytes);
}

bool late_next(const struct late *l, size_t *at, struct late_sample *ret,
	       struct ts_sample *ret_sample)
{
	const uint8_t *from = l->bytes.data + *at;

	if (*at >= l->bytes.len)
		return false;
	memcpy(ret, from, sizeof(*ret));
	*ret_sample = (struct ts_sample){.sid = ret->sid, .ip = ret->ip, .period = ret->period};
	if (ret->has_chain)
		ret_sample->callchain = (struct ts_words){from + sizeof(*ret), ret->nr_words};
	*at += sizeof(*ret) + 8 * ret->nr_words;
	return true;
}

void late_release(struct late *l)
{
	ts_bytes_release(&l->bytes);
}
