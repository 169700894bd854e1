// SPDX-License-Identifier: Apache-2.0
#include "streamer/layout/layout_draft.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/cpus.h"

int layout_draft_no_memory(const struct layout_draft *draft)
{
	return ts_error_sys(draft->err, ENOMEM, "cannot lay out the writers");
}

int layout_draft_refuse_cpus(const struct layout_draft *draft, hwloc_const_bitmap_t set,
			     const char *are_what)
{
	bool several = hwloc_bitmap_weight(set) != 1;
	char *text;

	if (hwloc_bitmap_iszero(set))
		return 0;
	text = ts_cpus_text(set);
	if (!text)
		return layout_draft_no_memory(draft);
	ts_error_set(draft->err, EINVAL, "cannot lay out the writers [%s]: CPU%s %s %s %s",
		     draft->option, several ? "s" : "", text, several ? "are" : "is", are_what);
	free(text);
	return -EINVAL;
}

void layout_draft_note_cpus(const struct layout_draft *draft, hwloc_const_bitmap_t set,
			    const char *are_what)
{
	bool several = hwloc_bitmap_weight(set) != 1;
	char *text = hwloc_bitmap_iszero(set) ? NULL : ts_cpus_text(set);

	if (text)
		ts_notes_add(draft->notes, "CPU%s %s %s %s", several ? "s" : "", text,
			     several ? "are" : "is", are_what);
	free(text);
}

int layout_draft_settle_named(const struct layout_draft *draft, hwloc_bitmap_t set)
{
	hwloc_bitmap_t off = hwloc_bitmap_alloc();
	int rc;

	if (!off || hwloc_bitmap_andnot(off, set, draft->in->present)) {
		hwloc_bitmap_free(off);
		return layout_draft_no_memory(draft);
	}
	rc = layout_draft_refuse_cpus(draft, off, "not on this machine");
	if (!rc && hwloc_bitmap_andnot(off, set, draft->in->online))
		rc = layout_draft_no_memory(draft);
	if (!rc) {
		layout_draft_note_cpus(draft, off, "offline and left out");
		hwloc_bitmap_and(set, set, draft->in->online);
	} else if (rc == -EINVAL) {
		char *present = ts_cpus_text(draft->in->present);

		ts_error_hint(draft->err, "this machine has CPUs %s",
			      present ? present : "with other numbers");
		free(present);
	}
	hwloc_bitmap_free(off);
	return rc;
}

struct layout_writer *layout_draft_add_writer(struct layout_draft *draft)
{
	struct layout *layout = draft->layout;
	struct layout_writer *writers, *writer;

	writers = reallocarray(layout->writers, layout->nr + 1, sizeof(*writers));
	if (!writers)
		return NULL;
	layout->writers = writers;
	writer = &writers[layout->nr];
	*writer = (struct layout_writer){.cpus = hwloc_bitmap_alloc(),
					 .sideband_cpus = hwloc_bitmap_alloc(),
					 .affinity = hwloc_bitmap_alloc()};
	layout->nr++;
	return writer->cpus && writer->sideband_cpus && writer->affinity ? writer : NULL;
}
