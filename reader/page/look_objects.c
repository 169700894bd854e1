// SPDX-License-Identifier: Apache-2.0
#include "reader/page/look_objects.h"

#include <errno.h>

int look_objects_init(struct look_objects *o, const struct frame_looks *looks,
		      struct memory *memory)
{
	*o = (struct look_objects){
		.names = {.memory = memory},
		.of_look = memory_new(memory, (size_t)looks->nr + 1, sizeof(*o->of_look)),
	};
	if (!o->of_look)
		return -ENOMEM;
	for (uint32_t i = 0; i < looks->nr; i++) {
		uint32_t number;

		if (!*looks->items[i].object)
			continue;
		number = name_table_intern(&o->names, looks->items[i].object);
		if (number == NAME_TABLE_NONE)
			return -ENOMEM;
		o->of_look[i] = number + 1;
	}
	return 0;
}

void look_objects_release(struct look_objects *o)
{
	name_table_release(&o->names);
	memory_free(o->of_look);
	*o = (struct look_objects){0};
}
