// SPDX-License-Identifier: Apache-2.0
#include "reader/trust/print_symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/log.h"
#include "reader/runtime/text.h"
#include "reader/symbols/module.h"

struct explained {
	struct module *module;
	uint64_t nr_samples, nr_unknown; /* samples in the module; those without a symbol */
};

struct explanation {
	struct explained *items;
	size_t nr;
};

static struct explained *find_explained(const struct explanation *e, const struct module_name *name)
{
	for (size_t i = 0; name && i < e->nr; i++)
		if (&e->items[i].module->name == name)
			return &e->items[i];
	return NULL;
}

static int add_module(struct module *m, void *user)
{
	struct explanation *e = user;
	struct explained *grown = realloc(e->items, (e->nr + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	e->items = grown;
	e->items[e->nr++] = (struct explained){.module = m};
	return 0;
}

static void count_samples(struct explanation *e, const struct stacks *stacks,
			  const struct frames *frames)
{
	for (uint32_t i = 0; i < stacks->nr; i++) {
		const struct frame *leaf = &frames->items[stacks->items[i].key.leaf];
		struct explained *item = find_explained(e, leaf->module);

		if (!item)
			continue;
		item->nr_samples += stacks->items[i].nr_samples;
		item->nr_unknown += leaf->symbol ? 0 : stacks->items[i].nr_samples;
	}
}

static int by_samples(const void *a, const void *b)
{
	const struct explained *x = a, *y = b;

	if (x->nr_samples != y->nr_samples)
		return x->nr_samples > y->nr_samples ? -1 : 1;
	return strcmp(x->module->name.long_name, y->module->name.long_name);
}

static void put_build_id(const struct ts_build_id *id, struct ts_bytes *out)
{
	ts_bytes_printf(out, "%24sbuild-id ", "");
	for (size_t i = 0; i < id->len; i++)
		ts_bytes_printf(out, "%02x", id->bytes[i]);
	ts_bytes_printf(out, "%s\n", id->len ? "" : "not recorded: the file is taken as it is");
}

/* Prints the trail line by line, without control characters. */
static void put_trail(const struct ts_bytes *trail, struct ts_bytes *out)
{
	const char *at = (const char *)trail->data, *end = at + trail->len;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((newline ? newline : end) - at);

		ts_bytes_printf(out, "%24s", "");
		text_name_n(out, at, len);
		text_char(out, '\n');
		at += len + 1;
	}
}

int print_symbols(const struct aggregate *a, const struct symbols *syms, struct ts_bytes *out)
{
	struct explanation e = {0};

	if (symbols_each_asked(syms, add_module, &e)) {
		free(e.items);
		return -ENOMEM;
	}
	for (unsigned int i = 0; i < a->nr_parts; i++)
		count_samples(&e, &a->parts[i], &a->frames);
	if (e.nr)
		qsort(e.items, e.nr, sizeof(*e.items), by_samples);
	ts_bytes_printf(out, "# %9s  %9s  %s\n", "Samples", "no symbol", "Module");
	for (size_t i = 0; i < e.nr; i++) {
		const struct explained *item = &e.items[i];
		const char *name = item->module->name.long_name;

		ts_bytes_printf(out, "%11" PRIu64 "  %9" PRIu64 "  ", item->nr_samples,
				item->nr_unknown);
		text_name(out, name, 0);
		text_char(out, '\n');
		if (item->module->kind == MODULE_FILE)
			put_build_id(&item->module->build_id, out);
		module_open_lines(item->module);
		put_trail(&item->module->trail, out);
	}
	free(e.items);
	return ts_bytes_failed(out) ? -ENOMEM : 0;
}

static void note_servers(const struct symbols *syms)
{
	const struct debug_server_count count = symbols_server_count(syms);

	if (count.nr_found < count.nr_asked)
		ts_log_note("debuginfod servers had %u of %u files%s: 'tstream report "
			    "--explain-symbols' lists them",
			    count.nr_found, count.nr_asked,
			    count.is_over ? " before the timeout" : "");
}

void print_symbols_notes(const struct symbols *syms)
{
	struct ts_error why;

	if (!syms)
		return;
	if (symbols_check_kernel(syms, &why))
		ts_log_warn("%s", why.text);
	note_servers(syms);
}
