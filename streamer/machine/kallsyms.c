// SPDX-License-Identifier: Apache-2.0
#include "streamer/machine/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/kallsyms_line.h"
#include "common/base/text_file.h"

static bool is_named(const struct ts_kallsyms_line *l, const char *name)
{
	return l->name_len == strlen(name) && !memcmp(l->name, name, l->name_len);
}

/* perf's order of preference: _text, then _stext. */
static void take_reference(struct kallsyms *k, const char *name, uint64_t addr)
{
	if (k->reference && !strcmp(k->reference, "_text"))
		return;
	k->reference = name;
	k->start = addr;
}

static void take_kernel(struct kallsyms *k, const struct ts_kallsyms_line *l)
{
	if (l->name[0] != '_')
		return;
	if (is_named(l, "_text"))
		take_reference(k, "_text", l->addr);
	else if (is_named(l, "_stext"))
		take_reference(k, "_stext", l->addr);
	else if (is_named(l, "_etext"))
		k->end = l->addr;
}

static void take_bpf(struct kallsyms *k, const struct ts_kallsyms_line *l)
{
	struct kallsyms_bpf b = {.addr = l->addr, .name = (uint32_t)k->names.len};

	if (l->module_len != 3 || memcmp(l->module, "bpf", 3))
		return;
	ts_bytes_put(&k->names, l->name, l->name_len);
	ts_bytes_zero(&k->names, 1);
	ts_bytes_put(&k->bpf, &b, sizeof(b));
}

static int by_address(const void *a, const void *b)
{
	uint64_t x = ((const struct kallsyms_bpf *)a)->addr;
	uint64_t y = ((const struct kallsyms_bpf *)b)->addr;

	return x < y ? -1 : x > y;
}

static int load_lines(struct kallsyms *k, struct ts_text_file *file)
{
	struct ts_kallsyms_line l;
	const char *line;
	size_t len;
	int more;

	while ((more = ts_text_file_next(file, &line, &len)) > 0) {
		if (!ts_kallsyms_parse(line, len, &l))
			continue;
		k->hidden = k->hidden && !l.addr;
		if (!l.module)
			take_kernel(k, &l);
		else
			take_bpf(k, &l);
	}
	return more;
}

/* Without addresses there is no kernel map and no place for BPF code. */
static void forget_hidden(struct kallsyms *k)
{
	if (!k->hidden)
		return;
	k->reference = NULL;
	k->start = 0;
	k->end = 0;
	ts_bytes_clear(&k->bpf);
}

int kallsyms_load(struct kallsyms *ret, const char *path, struct ts_error *err)
{
	struct ts_text_file *file = malloc(sizeof(*file));
	int failed;

	*ret = (struct kallsyms){.hidden = true};
	if (!file)
		return ts_error_set(err, ENOMEM, "cannot read %s: out of memory", path);
	failed = ts_text_file_open(file, AT_FDCWD, path);
	if (!failed) {
		failed = load_lines(ret, file);
		ts_text_file_close(file);
	}
	free(file);
	if (!failed && (ts_bytes_failed(&ret->bpf) || ts_bytes_failed(&ret->names)))
		failed = -ENOMEM;
	if (failed) {
		kallsyms_release(ret);
		return ts_error_sys(err, -failed, "cannot read %s", path);
	}
	forget_hidden(ret);
	if (ret->bpf.len)
		qsort(ret->bpf.data, kallsyms_nr_bpf(ret), sizeof(struct kallsyms_bpf), by_address);
	return 0;
}

void kallsyms_release(struct kallsyms *k)
{
	ts_bytes_release(&k->bpf);
	ts_bytes_release(&k->names);
	*k = (struct kallsyms){0};
}

const char *kallsyms_find_bpf(const struct kallsyms *k, uint64_t addr)
{
	struct kallsyms_bpf key = {.addr = addr};
	const struct kallsyms_bpf *found = NULL;

	if (k->bpf.len)
		found = bsearch(&key, k->bpf.data, kallsyms_nr_bpf(k), sizeof(key), by_address);
	return found ? kallsyms_bpf_name(k, found) : NULL;
}
