// SPDX-License-Identifier: Apache-2.0
#include "reader/trust/print_damage.h"

#include <inttypes.h>

#include "common/base/log.h"

#define DAMAGE_NAMED 5

void print_damage(const struct capture *c, struct damage *damage)
{
	const struct chunk_damage *place = damage->items;
	size_t kept = damage_kept(damage);

	damage_sort(damage);
	for (size_t i = 0; i < kept && i < DAMAGE_NAMED; i++, place++)
		ts_log_warn("%s is damaged at offset %" PRIu64 " (%" PRIu64 " bytes left out): %s",
			    c->streams[place->stream].path, place->offset, place->bytes,
			    place->text);
	if (kept > DAMAGE_NAMED)
		ts_log_warn("%s%zu more damaged places were left out",
			    damage->nr > kept ? "more than " : "", kept - DAMAGE_NAMED);
	if (damage_doubtful(damage))
		ts_log_warn("%" PRIu64
			    " records of damaged chunks of %s were read all the same: any "
			    "of them may be wrong",
			    damage_doubtful(damage), c->path);
	if (kept)
		ts_log_say(TS_LOG_QUIET, "  hint: 'tstream check %s' lists every place", c->path);
}
