// SPDX-License-Identifier: Apache-2.0
#include "reader/symbols/symbol_table.h"

#include <elf.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "reader/objects/demangle.h"

#include "common/base/min_max.h"

#define SLAB_LEAST 64u
#define SLAB_BYTES (1u << 20) /* of a large table */
#define PAGE_BYTES 4096u
#define RUN	   ((size_t)1 << 16) /* symbols that are sorted at once */
/* Bytes of demangled names in a table; names beyond stay mangled. */
#define DEMANGLED_MAX ((size_t)256 << 20)

void symbol_table_init(struct symbol_table *t)
{
	*t = (struct symbol_table){0};
	pthread_mutex_init(&t->lock, NULL);
}

void symbol_table_release(struct symbol_table *t)
{
	struct symbol_slab *next;

	for (; t->slabs; t->slabs = next) {
		next = t->slabs->next;
		free(t->slabs);
	}
	free(t->items);
	free(t->reach);
	symbol_pieces_release(&t->pieces);
	symbol_limits_give(t->limits, t->taken_bytes);
	t->taken_bytes = 0;
	t->items = NULL;
	t->reach = NULL;
	t->nr = t->cap = 0;
}

void symbol_table_clear(struct symbol_table *t)
{
	symbol_table_release(t);
	t->kernel_end = 0;
	t->demangled_bytes = 0;
	t->failed = t->is_refused = false;
}

/* Asks the limits before memory is taken. It is counted until the table is released. */
static bool take(struct symbol_table *t, size_t bytes)
{
	if (!symbol_limits_take(t->limits, bytes)) {
		t->is_refused = true;
		return false;
	}
	if (t->limits)
		t->taken_bytes += bytes;
	return true;
}

/* Slabs double, since a capture may have very many tables of one symbol. */
static size_t next_slab_bytes(const struct symbol_slab *last)
{
	return last ? ts_min(2 * last->size, (size_t)SLAB_BYTES) : SLAB_LEAST;
}

char *symbol_table_room(struct symbol_table *t, size_t bytes)
{
	struct symbol_slab *slab = t->slabs;
	char *to;

	if (!slab || slab->size - slab->used < bytes) {
		const size_t size = ts_max(bytes, next_slab_bytes(slab));

		slab = take(t, sizeof(*slab) + size) ? malloc(sizeof(*slab) + size) : NULL;
		if (!slab)
			return NULL;
		*slab = (struct symbol_slab){.next = t->slabs, .size = size};
		t->slabs = slab;
	}
	to = slab->data + slab->used;
	slab->used += bytes;
	return to;
}

static bool make_room(struct symbol_table *t, size_t more)
{
	const size_t bytes = sizeof(*t->items) + sizeof(*t->reach);
	struct symbol_entry *items = NULL;
	size_t cap = t->cap ? t->cap : 1;

	if (t->nr + more <= t->cap)
		return true;
	while (cap < t->nr + more)
		cap *= 2;
	if (take(t, (cap - t->cap) * bytes))
		items = reallocarray(t->items, cap, sizeof(*items));
	if (!items)
		return false;
	t->items = items;
	t->cap = cap;
	return true;
}

void symbol_table_add_placed(struct symbol_table *t, uint64_t start, uint64_t size, uint64_t limit,
			     uint8_t binding, uint8_t type, char *name)
{
	if (t->failed || !make_room(t, 1)) {
		t->failed = true;
		return;
	}
	t->items[t->nr] = (struct symbol_entry){
		.order = (uint32_t)t->nr,
		.limit = limit,
		.sym = {.start = start, .end = start + size < start ? UINT64_MAX : start + size},
		.raw_name = name,
		.binding = binding,
		.type = type,
	};
	t->nr++;
}

void symbol_table_add(struct symbol_table *t, uint64_t start, uint64_t size, uint64_t limit,
		      uint8_t binding, uint8_t type, const char *name, size_t len)
{
	char *copy = t->failed ? NULL : symbol_table_room(t, len + 1);

	if (!copy) {
		t->failed = true;
		return;
	}
	memcpy(copy, name, len);
	copy[len] = '\0';
	symbol_table_add_placed(t, start, size, limit, binding, type, copy);
}

/* Keeps a name with the suffix of the table; NULL: there is no room. */
static char *keep_name(struct symbol_table *t, const char *name)
{
	const char *suffix = t->suffix ? t->suffix : "";
	const size_t bytes = strlen(name) + strlen(suffix) + 1;
	char *kept;

	if (bytes > DEMANGLED_MAX - t->demangled_bytes)
		return NULL;
	kept = symbol_table_room(t, bytes);
	t->lacks_memory |= !kept;
	if (!kept)
		return NULL;
	t->demangled_bytes += bytes;
	return strcat(strcpy(kept, name), suffix);
}

static const char *shown_name(struct symbol_table *t, struct symbol_entry *e)
{
	char *demangled = e->sym.name ? NULL : demangle(e->raw_name), *kept = NULL;

	if (e->sym.name)
		return e->sym.name;
	t->lacks_memory |= !demangled && errno == ENOMEM;
	if (demangled || t->suffix)
		kept = keep_name(t, demangled ? demangled : e->raw_name);
	e->sym.name = kept ? kept : e->raw_name;
	free(demangled);
	return e->sym.name;
}

static size_t leading_underscores(const char *name)
{
	return strspn(name, "_");
}

/* Decides which of two symbols at one address is kept: <0 a, >0 b, 0 undecided. */
static int prefer_first(bool a, bool b)
{
	return a == b ? 0 : a ? -1 : 1;
}

static bool is_better(struct symbol_table *t, struct symbol_entry *b, struct symbol_entry *a)
{
	const char *name_a, *name_b;
	int which;

	which = prefer_first(a->sym.end > a->sym.start, b->sym.end > b->sym.start);
	if (!which && a->type != b->type)
		which = prefer_first(a->type != STT_NOTYPE, b->type != STT_NOTYPE);
	if (!which)
		which = prefer_first(a->binding != STB_WEAK, b->binding != STB_WEAK);
	if (!which)
		which = prefer_first(a->binding == STB_GLOBAL, b->binding == STB_GLOBAL);
	if (which)
		return which > 0;
	name_a = shown_name(t, a);
	name_b = shown_name(t, b);
	if (leading_underscores(name_a) != leading_underscores(name_b))
		return leading_underscores(name_b) < leading_underscores(name_a);
	if (strlen(name_a) != strlen(name_b))
		return strlen(name_b) > strlen(name_a);
	return !strncmp(name_a, "SyS", 3) || !strncmp(name_a, "compat_SyS", 10);
}

static bool is_of_module(const char *kallsyms_name)
{
	return strchr(kallsyms_name, '[') != NULL;
}

static uint64_t page_after(uint64_t addr)
{
	return (addr + 2 * PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

/* Loops over the whole table ask this now and then. */
static bool is_stopped(struct symbol_table *t)
{
	if (t->stop && ts_stop_is_raised(t->stop))
		t->failed = true;
	return t->failed;
}

static void end_open_symbols(struct symbol_table *t, bool is_kallsyms)
{
	for (size_t i = 0; i < t->nr && (i % RUN || !is_stopped(t)); i++) {
		struct symbol *sym = &t->items[i].sym;

		if (sym->end != sym->start)
			continue;
		if (i + 1 == t->nr ||
		    (is_kallsyms &&
		     is_of_module(t->items[i].raw_name) != is_of_module(t->items[i + 1].raw_name)))
			sym->end = page_after(sym->start);
		else
			sym->end = t->items[i + 1].sym.start;
		if (sym->end > t->items[i].limit && t->items[i].limit > sym->start)
			sym->end = t->items[i].limit;
	}
}

static void cut_module_names(struct symbol_table *t)
{
	for (size_t i = 0; i < t->nr && (i % RUN || !is_stopped(t)); i++) {
		struct symbol_entry *e = &t->items[i];

		if (!is_of_module(e->raw_name) && e->sym.end > t->kernel_end)
			t->kernel_end = e->sym.end;
		e->raw_name[strcspn(e->raw_name, "\t")] = '\0';
	}
}

static void drop_aliases(struct symbol_table *t)
{
	size_t kept = 0;

	for (size_t i = 1; i < t->nr && (i % RUN || !is_stopped(t)); i++) {
		struct symbol_entry *last = &t->items[kept], *next = &t->items[i];

		if (last->sym.start != next->sym.start)
			t->items[++kept] = *next;
		else if (is_better(t, next, last))
			*last = *next;
	}
	t->nr = t->nr ? kept + 1 : 0;
}

static int by_start(const void *a, const void *b)
{
	const struct symbol_entry *x = a, *y = b;

	if (x->sym.start != y->sym.start)
		return x->sym.start < y->sym.start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* The number of symbols at the beginning that are in order already. */
static size_t sorted_beginning(const struct symbol_table *t)
{
	size_t nr = t->nr ? 1 : 0;

	while (nr < t->nr && by_start(&t->items[nr - 1], &t->items[nr]) < 0)
		nr++;
	return nr;
}

/* Merges the sorted items[0..nr_first) with the sorted rest, from the end on. */
static void merge_rest(struct symbol_table *t, size_t nr_first)
{
	size_t nr_rest = t->nr - nr_first, to = t->nr;
	struct symbol_entry *rest = reallocarray(NULL, nr_rest + 1, sizeof(*rest));

	if (!rest) {
		t->failed = true;
		return;
	}
	memcpy(rest, t->items + nr_first, nr_rest * sizeof(*rest));
	while (nr_rest) {
		if (nr_first && by_start(&t->items[nr_first - 1], &rest[nr_rest - 1]) > 0)
			t->items[--to] = t->items[--nr_first];
		else
			t->items[--to] = rest[--nr_rest];
	}
	free(rest);
}

/* Merges the sorted from[0..nr_first) and from[nr_first..nr). */
static void merge_runs(struct symbol_table *t, const struct symbol_entry *from, size_t nr_first,
		       size_t nr, struct symbol_entry *to)
{
	size_t a = 0, b = nr_first;

	while (a + b < nr_first + nr && ((a + b) % RUN || !is_stopped(t))) {
		const bool is_first = b == nr || (a < nr_first && by_start(&from[a], &from[b]) < 0);

		*to++ = is_first ? from[a++] : from[b++];
	}
}

/* Merges runs of `run` symbols in pairs. */
static void merge_pairs(struct symbol_table *t, const struct symbol_entry *from, size_t nr,
			size_t run, struct symbol_entry *to)
{
	for (size_t at = 0; at < nr && !is_stopped(t); at += 2 * run)
		merge_runs(t, from + at, ts_min(run, nr - at), ts_min(2 * run, nr - at), to + at);
}

/* qsort() of millions of symbols takes long and cannot be stopped, so it gets one run at a time. */
static void sort_runs(struct symbol_table *t, struct symbol_entry *items, size_t nr)
{
	struct symbol_entry *other = nr > RUN ? reallocarray(NULL, nr, sizeof(*other)) : NULL;
	struct symbol_entry *from = items, *to = other, *swap;

	if (nr > RUN && !other)
		t->failed = true;
	for (size_t at = 0; at < nr && !is_stopped(t); at += RUN)
		qsort(items + at, ts_min(RUN, nr - at), sizeof(*items), by_start);
	for (size_t run = RUN; run < nr && !t->failed; run *= 2) {
		merge_pairs(t, from, nr, run, to);
		swap = from;
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, nr * sizeof(*items));
	free(other);
}

/* May sorting have as much again, for a while? Few symbols need little. */
static bool may_sort(struct symbol_table *t)
{
	const uint64_t bytes = t->nr > RUN ? t->nr * sizeof(*t->items) : 0;

	if (symbol_limits_take(t->limits, bytes)) {
		symbol_limits_give(t->limits, bytes);
		return true;
	}
	t->is_refused = t->failed = true;
	return false;
}

/* kallsyms is in order, except for the symbols of modules at its end. Only these are moved. */
static void sort_symbols(struct symbol_table *t)
{
	size_t nr_first = sorted_beginning(t);

	if (nr_first == t->nr || !may_sort(t))
		return;
	if (nr_first < RUN)
		nr_first = 0;
	sort_runs(t, t->items + nr_first, t->nr - nr_first);
	if (nr_first && !t->failed)
		merge_rest(t, nr_first);
}

static void note_reach(struct symbol_table *t)
{
	uint64_t reach = 0;

	free(t->reach);
	t->reach = calloc(t->nr + 1, sizeof(*t->reach));
	if (!t->reach) {
		t->failed = true;
		return;
	}
	for (size_t i = 0; i < t->nr; i++) {
		if (t->items[i].sym.end > reach)
			reach = t->items[i].sym.end;
		t->reach[i] = reach;
	}
}

void symbol_table_finish(struct symbol_table *t, bool is_kallsyms)
{
	sort_symbols(t);
	if (t->failed)
		return;
	end_open_symbols(t, is_kallsyms);
	if (is_kallsyms)
		cut_module_names(t);
	drop_aliases(t);
	if (!t->failed)
		note_reach(t);
}

/* A symbol of unknown size ends where the next one begins that has another start. */
static void end_made_symbols(struct symbol_table *t)
{
	uint64_t above = UINT64_MAX;

	for (size_t i = t->nr; i-- > 0 && (i % RUN || !is_stopped(t));) {
		struct symbol *sym = &t->items[i].sym;

		if (i + 1 < t->nr && sym->start < t->items[i + 1].sym.start)
			above = t->items[i + 1].sym.start;
		if (sym->end == sym->start)
			sym->end = above < UINT64_MAX			 ? above
				   : page_after(sym->start) > sym->start ? page_after(sym->start)
									 : UINT64_MAX;
	}
}

static bool has_overlaps(const struct symbol_table *t)
{
	size_t i = 1;

	while (i < t->nr && t->items[i - 1].sym.end <= t->items[i].sym.start)
		i++;
	return i < t->nr;
}

void symbol_table_finish_made(struct symbol_table *t)
{
	sort_symbols(t);
	if (t->failed)
		return;
	end_made_symbols(t);
	if (!has_overlaps(t))
		note_reach(t);
	else if (!take(t, 2 * t->nr * sizeof(*t->pieces.items)) ||
		 symbol_pieces_lay(&t->pieces, t->items, (uint32_t)t->nr, t->stop))
		t->failed = true;
}

static size_t slab_bytes(const struct symbol_slab *slab)
{
	size_t bytes = 0;

	for (; slab; slab = slab->next)
		bytes += sizeof(*slab) + slab->size;
	return bytes;
}

/* The names of `other` count as those of t from now on. */
static void move_slabs(struct symbol_table *t, struct symbol_table *other)
{
	const size_t bytes = other->limits ? slab_bytes(other->slabs) : 0;
	struct symbol_slab **last = &t->slabs;

	while (*last)
		last = &(*last)->next;
	*last = other->slabs;
	other->slabs = NULL;
	t->taken_bytes += bytes;
	other->taken_bytes -= bytes;
}

void symbol_table_merge(struct symbol_table *t, struct symbol_table *other)
{
	if (!make_room(t, other->nr)) {
		t->failed = true;
		return;
	}
	if (other->nr)
		memcpy(t->items + t->nr, other->items, other->nr * sizeof(*t->items));
	t->nr += other->nr;
	other->nr = 0;
	move_slabs(t, other);
	sort_symbols(t);
	note_reach(t);
}

void symbol_table_move(struct symbol_table *to, struct symbol_table *from)
{
	to->items = from->items;
	to->reach = from->reach;
	to->pieces = from->pieces;
	to->nr = from->nr;
	to->cap = from->cap;
	to->kernel_end = from->kernel_end;
	to->slabs = from->slabs;
	to->failed = from->failed;
	to->limits = from->limits;
	to->taken_bytes = from->taken_bytes;
	from->items = NULL;
	from->reach = NULL;
	from->pieces = (struct symbol_pieces){0};
	from->slabs = NULL;
	from->nr = from->cap = from->taken_bytes = 0;
}

static const struct symbol *with_name(struct symbol_table *t, struct symbol_entry *e)
{
	/* Pairs with the release below: a thread that sees the flag sees the name. */
	if (atomic_load_explicit(&e->is_named, memory_order_acquire))
		return &e->sym;
	pthread_mutex_lock(&t->lock);
	if (!atomic_load_explicit(&e->is_named, memory_order_relaxed)) {
		shown_name(t, e);
		atomic_store_explicit(&e->is_named, true, memory_order_release);
	}
	pthread_mutex_unlock(&t->lock);
	return &e->sym;
}

int symbol_table_lack(const struct symbol_table *t)
{
	return t->is_refused ? MEMORY_REFUSED : ENOMEM;
}

static bool covers(const struct symbol *sym, uint64_t addr)
{
	return addr == sym->start || (addr > sym->start && addr < sym->end);
}

/* The number of symbols that start at or before an address. */
static size_t nr_until(const struct symbol_table *t, uint64_t addr)
{
	size_t low = 0, high = t->failed ? 0 : t->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->items[mid].sym.start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool symbol_table_has_in(const struct symbol_table *t, uint64_t start, uint64_t end)
{
	const size_t nr = end ? nr_until(t, end - 1) : 0;

	return nr && t->items[nr - 1].sym.start >= start;
}

static const struct symbol *find_made(struct symbol_table *t, uint64_t addr)
{
	const uint32_t found = symbol_pieces_find(&t->pieces, addr);

	return found == SYMBOL_PIECE_NONE ? NULL : with_name(t, &t->items[found]);
}

const struct symbol *symbol_table_find(struct symbol_table *t, uint64_t addr)
{
	if (!t->failed && t->pieces.items)
		return find_made(t, addr);
	/* The last symbol that starts at or before addr; else an earlier one that encloses it. */
	for (size_t i = nr_until(t, addr); i-- > 0;) {
		if (covers(&t->items[i].sym, addr))
			return with_name(t, &t->items[i]);
		if (t->reach[i] <= addr)
			break;
	}
	return NULL;
}
