// SPDX-License-Identifier: Apache-2.0
#include "reader/page/frame_looks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/runtime/text.h"

struct seen { /* a frame or a command that has this look */
	struct frame_look look;
	uint32_t *number; /* place for the number of the look */
};

/* Code without a file, or in a file of a process's own making. */
static bool is_made(const struct module_name *module)
{
	return module && (!strncmp(module->short_name, "[JIT]", 5) ||
			  !strncmp(module->short_name, "jitted-", 7) ||
			  !strncmp(module->long_name, "//anon", 6));
}

static enum frame_kind kind_of(const struct frame *f)
{
	if (!f->symbol)
		return FRAME_KIND_UNKNOWN;
	if (f->around)
		return FRAME_KIND_INLINED;
	if (f->level != '.' && f->level != 'u')
		return FRAME_KIND_KERNEL;
	return is_made(f->module) ? FRAME_KIND_JIT : FRAME_KIND_USER;
}

/* --- names as they are shown --- */

static bool is_changed(const char *name, bool is_folded)
{
	const char *at = name;

	for (; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f || (is_folded && *at == ';'))
			return true;
	return at == name || (is_folded && at[-1] == ' ');
}

static void fold(struct ts_bytes *name)
{
	while (name->len && name->data[name->len - 1] == ' ')
		name->len--;
	for (size_t i = 0; i < name->len; i++)
		if (name->data[i] == ';')
			name->data[i] = ':';
}

static void put_shown(const char *name, bool is_unknown, bool is_folded, struct ts_bytes *out)
{
	const bool is_bare = is_unknown && name[0] != '[';

	text_put(out, is_bare ? "[" : "");
	text_name(out, is_unknown && !name[0] ? "unknown" : name, 0);
	text_put(out, is_bare ? "]" : "");
	if (is_folded)
		fold(out);
	if (!out->len)
		text_put(out, "[no name]");
	text_char(out, '\0');
}

/* NULL: out of memory. */
static const char *shown_name(struct frame_looks *l, const char *name, bool is_unknown,
			      bool is_folded)
{
	struct ts_bytes shown = {0};
	uint32_t number = NAME_TABLE_NONE;

	if (!is_unknown && !is_changed(name, is_folded))
		return name;
	put_shown(name, is_unknown, is_folded, &shown);
	if (!ts_bytes_failed(&shown))
		number = name_table_intern(&l->changed, (const char *)shown.data);
	ts_bytes_release(&shown);
	return number == NAME_TABLE_NONE ? NULL : l->changed.items[number];
}

/* --- looks --- */

static const char *object_of(const struct frame *f, const struct frame_looks_plan *plan)
{
	if (!f->module || !plan->by_object)
		return "";
	return plan->by_path ? f->module->long_name : f->module->short_name;
}

static struct frame_look look_of(struct frame_looks *l, const struct frame *f,
				 const struct frame_looks_plan *plan)
{
	const char *object = f->module ? f->module->short_name : "";
	const enum frame_kind kind = kind_of(f);

	return (struct frame_look){
		.name = shown_name(l, f->symbol ? f->symbol->name : object, !f->symbol,
				   plan->is_folded),
		.object = object_of(f, plan),
		.kind = plan->by_kind || kind == FRAME_KIND_UNKNOWN ? kind : FRAME_KIND_USER,
	};
}

static int compare_looks(const struct frame_look *a, const struct frame_look *b)
{
	int order = strcmp(a->name, b->name);

	if (!order)
		order = strcmp(a->object, b->object);
	return order ? order : (a->kind > b->kind) - (a->kind < b->kind);
}

static int compare_seen(const void *a, const void *b)
{
	return compare_looks(&((const struct seen *)a)->look, &((const struct seen *)b)->look);
}

/* Gives equal looks one number. */
static void number_looks(struct frame_looks *l, const struct seen *sorted, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (!i || compare_looks(&sorted[i - 1].look, &sorted[i].look))
			l->items[l->nr++] = sorted[i].look;
		*sorted[i].number = l->nr - 1;
	}
}

/* Lists the looks of all frames and commands. 0 or -ENOMEM. */
static int list_seen(struct frame_looks *l, const struct aggregate *a,
		     const struct frame_looks_plan *plan, struct seen *seen)
{
	for (uint32_t i = 0; i < a->frames.nr; i++, seen++) {
		*seen = (struct seen){look_of(l, &a->frames.items[i], plan), &l->of_frame[i]};
		if (!seen->look.name)
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < a->comms.nr; i++, seen++) {
		const char *name = shown_name(l, a->comms.items[i], false, plan->is_folded);

		*seen = (struct seen){{name, "", FRAME_KIND_COMMAND}, &l->of_comm[i]};
		if (!name)
			return -ENOMEM;
	}
	return 0;
}

int frame_looks_init(struct frame_looks *l, const struct aggregate *a,
		     const struct frame_looks_plan *plan)
{
	const size_t nr = (size_t)a->frames.nr + a->comms.nr;
	struct seen *seen = memory_new(a->memory, nr + 1, sizeof(*seen));
	int rc = -ENOMEM;

	*l = (struct frame_looks){
		.items = memory_new(a->memory, nr + 1, sizeof(*l->items)),
		.of_frame = memory_new(a->memory, (size_t)a->frames.nr + 1, sizeof(uint32_t)),
		.of_comm = memory_new(a->memory, (size_t)a->comms.nr + 1, sizeof(uint32_t)),
		.changed = {.memory = a->memory},
	};
	if (seen && l->items && l->of_frame && l->of_comm)
		rc = list_seen(l, a, plan, seen);
	if (!rc) {
		qsort(seen, nr, sizeof(*seen), compare_seen);
		number_looks(l, seen, nr);
	}
	memory_free(seen);
	if (rc)
		frame_looks_release(l);
	return rc;
}

void frame_looks_release(struct frame_looks *l)
{
	memory_free(l->items);
	memory_free(l->of_frame);
	memory_free(l->of_comm);
	name_table_release(&l->changed);
	*l = (struct frame_looks){0};
}
