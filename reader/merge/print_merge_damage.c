// SPDX-License-Identifier: Apache-2.0
#include "reader/merge/print_merge_damage.h"

#include <errno.h>
#include <inttypes.h>

#include "common/base/log.h"
#include "reader/commands/session.h"
#include "reader/trust/print_account.h"
#include "reader/trust/print_damage.h"

/* Takes the damaged places of one part, with the stream numbers of the part. */
static void take_damage(struct damage *to, const struct damage *from, const struct merge_part *part)
{
	for (size_t i = 0; i < damage_kept(from); i++) {
		struct chunk_damage place = from->items[i];

		place.stream -= part->first_stream;
		if (place.stream < part->capture.nr_streams)
			damage_add(to, &place);
	}
}

static bool print_part(const struct merge *m, const struct merge_part *part)
{
	struct damage damage = {0};
	bool is_damaged;

	take_damage(&damage, &m->damage, part);
	is_damaged = damage.nr;
	print_damage(&part->capture, &damage);
	is_damaged |= print_header_damage(&part->capture) != 0;
	is_damaged |= (part->misses_streams ? print_missing_streams(&part->account, &part->capture)
					    : print_links(&part->capture)) != 0;
	damage_release(&damage);
	if (part->has_other_data)
		ts_log_warn("%s is not as it was written: its checksum is another than that in "
			    "tstream.json",
			    part->capture.streams[0].path);
	if (part->nr_unsound)
		ts_log_warn("%" PRIu64 " damaged records or sections of %s were left out",
			    part->nr_unsound, part->capture.path);
	return is_damaged || part->has_other_data || part->nr_unsound;
}

int print_merge_damage(struct merge *m, int rc, const struct ts_error *err)
{
	bool is_damaged = false;

	damage_merge(&m->damage, &m->table.damage);
	for (size_t i = 0; i < m->nr_parts; i++)
		if (m->parts[i].capture.nr_streams)
			is_damaged |= print_part(m, &m->parts[i]);
	if (rc)
		ts_log_error(err);
	if (rc == -EINTR)
		return INTERRUPT_STATUS;
	return rc || is_damaged ? 1 : 0;
}

bool print_earlier_damage(const struct merge *m)
{
	bool is_any = false;

	for (size_t i = 0; i < m->nr_parts; i++) {
		const struct account_damage *d = &m->parts[i].account.damage;

		if (!d->nr_places || !m->parts[i].is_new)
			continue;
		is_any = true;
		ts_log_warn("%s was made of a damaged capture (%" PRIu64 " places, %" PRIu64
			    " records that may be wrong): a single file cannot tell that",
			    m->parts[i].capture.path, d->nr_places, d->nr_doubtful);
	}
	return is_any;
}
