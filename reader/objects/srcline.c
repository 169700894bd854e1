// SPDX-License-Identifier: Apache-2.0
#include "reader/objects/srcline.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "reader/objects/symbol_places.h"

#define SPANS_MAX     (1u << 22)
#define LOOK_BACK_MAX 64  /* spans that may contain an address */
#define NEST_MAX      128 /* nesting of DIEs: namespaces, functions, blocks, inlined functions */
#define LISTED_MAX    (1u << 24) /* DIEs that are read for the functions of a unit */
#define LOOKS_MAX     (1u << 18) /* DIEs that are read for one address */
#define DEPTH_MAX     64	 /* functions at an address, one inlined into the other */

/* A range of addresses that belongs to a unit or a function. */
struct span {
	uint64_t start, end;
	uint64_t reach; /* the highest end of this one and all before it */
	uint64_t what;
};

struct spans { /* sorted by start when searched */
	struct span *items;
	size_t nr, cap;
	size_t nr_looks; /* ranges that were read, also those left out */
	bool lacks_memory;
};

struct unit {
	Dwarf_Off die;
	bool are_functions_read;
	struct spans functions; /* what: offset of the DIE */
};

struct srcline {
	struct elf_file object, debug, other;
	Dwarf *dwarf, *other_dwarf;
	struct unit *units;
	size_t nr, cap;
	struct spans spans; /* what: index of the unit */
	void *known;	    /* tree of struct srcline_place, by offset */
	int fault;	    /* as symbol_fault_note() keeps it */
};

/* --- spans --- */

/* Adds a span. Beyond the limit, or out of memory, it stays unknown. */
static void spans_add(struct spans *s, uint64_t start, uint64_t end, uint64_t what)
{
	if (!start || start >= end)
		return;
	if (s->nr == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 64;
		struct span *items =
			cap <= SPANS_MAX ? reallocarray(s->items, cap, sizeof(*items)) : NULL;

		s->lacks_memory |= !items && cap <= SPANS_MAX;
		if (!items)
			return;
		s->items = items;
		s->cap = cap;
	}
	s->items[s->nr++] = (struct span){.start = start, .end = end, .what = what};
}

static void spans_add_die(struct spans *s, Dwarf_Die *die, uint64_t what)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while (++s->nr_looks < SPANS_MAX && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		spans_add(s, start, end, what);
}

static int by_start(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static void spans_sort(struct spans *s)
{
	uint64_t reach = 0;

	if (s->nr)
		qsort(s->items, s->nr, sizeof(*s->items), by_start);
	for (size_t i = 0; i < s->nr; i++) {
		reach = s->items[i].end > reach ? s->items[i].end : reach;
		s->items[i].reach = reach;
	}
}

/* Of the spans that contain an address, the one that begins last; NULL: none. */
static const struct span *spans_find(const struct spans *s, uint64_t vaddr)
{
	size_t low = 0, high = s->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->items[mid].start <= vaddr)
			low = mid + 1;
		else
			high = mid;
	}
	for (size_t i = 0; i < LOOK_BACK_MAX && low && s->items[low - 1].reach > vaddr; i++)
		if (s->items[--low].end > vaddr)
			return &s->items[low];
	return NULL;
}

/* --- faults --- */

/* Notes what libdw, libelf and spans lacked since the last call in this thread. */
static void note_fault(struct srcline *s, const struct spans *spans)
{
	const int number = dwarf_errno();
	const char *text = number ? dwarf_errmsg(number) : "";

	if (spans->lacks_memory || !strcmp(text, "out of memory"))
		symbol_fault_note(&s->fault, ENOMEM);
	if (!strcmp(text, "I/O error"))
		symbol_fault_note(&s->fault, EIO);
	symbol_fault_note(&s->fault, elf_file_fault());
}

int srcline_fault(const struct srcline *s)
{
	return s->fault;
}

/* --- compilation units --- */

static bool add_unit(struct srcline *s, Dwarf_Die *die)
{
	if (s->nr == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 64;
		struct unit *units = reallocarray(s->units, cap, sizeof(*units));

		if (!units)
			return false;
		s->units = units;
		s->cap = cap;
	}
	s->units[s->nr] = (struct unit){.die = dwarf_dieoffset(die)};
	spans_add_die(&s->spans, die, s->nr++);
	return true;
}

/*
 * A skeleton (-gsplit-dwarf) has the ranges and the lines of its unit. Its inlined functions stand in
 * another file. This is not opened, because libdw would open any file of that name. It does so only
 * for dwarf_attr_integrate() and dwarf_cu_info() of the skeleton, and they are not called.
 */
static bool read_units(struct srcline *s)
{
	Dwarf_CU *unit = NULL;
	uint8_t type;
	Dwarf_Die die;

	while (s->nr < SPANS_MAX &&
	       !dwarf_get_units(s->dwarf, unit, &unit, NULL, &type, &die, NULL))
		if ((type == DW_UT_compile || type == DW_UT_skeleton) && !add_unit(s, &die))
			return false;
	spans_sort(&s->spans);
	return true;
}

/* --- functions --- */

/* Is it a DIE without addresses that may contain functions? */
static bool is_around(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type;
}

static void add_functions(struct spans *functions, Dwarf_Die *parent, unsigned int depth,
			  unsigned int *nr_looks)
{
	Dwarf_Die child;

	if (depth == NEST_MAX || dwarf_child(parent, &child))
		return;
	do {
		if (++*nr_looks > LISTED_MAX)
			return;
		if (is_around(&child))
			add_functions(functions, &child, depth + 1, nr_looks);
		else if (dwarf_tag(&child) == DW_TAG_subprogram)
			spans_add_die(functions, &child, dwarf_dieoffset(&child));
	} while (!dwarf_siblingof(&child, &child));
}

/* The function of a unit that contains an address; false: none. */
static bool find_function(struct srcline *s, struct unit *unit, Dwarf_Die *die, uint64_t vaddr,
			  Dwarf_Die *ret)
{
	const struct span *found;
	unsigned int nr_looks = 0;

	if (!unit->are_functions_read) {
		add_functions(&unit->functions, die, 0, &nr_looks);
		spans_sort(&unit->functions);
		note_fault(s, &unit->functions);
		unit->are_functions_read = true;
	}
	found = spans_find(&unit->functions, vaddr);
	return found && dwarf_offdie(s->dwarf, found->what, ret);
}

/* --- inlined functions --- */

struct inlined {
	Dwarf_Die dies[DEPTH_MAX]; /* outermost first */
	size_t nr;
	unsigned int nr_looks;
};

static bool can_hold(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* Follows the DIEs that contain the address. */
static void descend_inlined(struct inlined *in, Dwarf_Die *parent, uint64_t vaddr)
{
	Dwarf_Die die = *parent, child;

	for (unsigned int depth = 0; depth < NEST_MAX && !dwarf_child(&die, &child); depth++) {
		while (!can_hold(&child) || dwarf_haspc(&child, vaddr) <= 0)
			if (++in->nr_looks > LOOKS_MAX || dwarf_siblingof(&child, &child))
				return;
		if (dwarf_tag(&child) == DW_TAG_inlined_subroutine && in->nr < DEPTH_MAX)
			in->dies[in->nr++] = child;
		die = child;
	}
}

static const char *name_of(Dwarf_Die *die)
{
	static const unsigned int names[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name,
					     DW_AT_name};
	Dwarf_Attribute attr;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *name = dwarf_formstring(dwarf_attr_integrate(die, names[i], &attr));

		if (name)
			return name;
	}
	return "[unknown]";
}

/* The value of an attribute; -1: none. */
static int number_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &value) || value > INT32_MAX)
		return -1;
	return (int)value;
}

static void put_file(Dwarf_Die *unit, const char *file, struct srcline_frame *ret)
{
	Dwarf_Attribute attr;

	ret->file = file;
	if (file && *file != '/')
		ret->dir = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));
}

/* Finds the place where an inlined function was called. */
static void find_call(Dwarf_Die *unit, Dwarf_Die *die, struct srcline_frame *ret)
{
	int file = number_of(die, DW_AT_call_file), line = number_of(die, DW_AT_call_line);
	Dwarf_Files *files;
	size_t nr;

	if (file < 0 || line < 0 || dwarf_getsrcfiles(unit, &files, &nr) || (size_t)file >= nr)
		return;
	put_file(unit, dwarf_filesrc(files, (size_t)file, NULL, NULL), ret);
	ret->line = line;
}

static void find_line(Dwarf_Die *unit, uint64_t vaddr, struct srcline_frame *ret)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, vaddr);

	if (!line || dwarf_lineno(line, &ret->line))
		return;
	put_file(unit, dwarf_linesrc(line, NULL, NULL), ret);
}

/* --- places --- */

static struct srcline_place *make_place(uint64_t offset, const struct inlined *in)
{
	size_t nr = in ? in->nr + 1 : 0;
	struct srcline_place *place = calloc(1, sizeof(*place) + nr * sizeof(*place->frames));

	if (place)
		*place = (struct srcline_place){.offset = offset, .nr = nr};
	return place;
}

static struct srcline_place *look_up(struct srcline *s, uint64_t offset)
{
	struct inlined in = {.nr = 0};
	const struct span *span;
	struct srcline_place *place;
	Dwarf_Die unit, function;
	uint64_t vaddr;

	span = elf_file_vaddr(&s->object, offset, &vaddr) ? spans_find(&s->spans, vaddr) : NULL;
	if (!span || !dwarf_offdie(s->dwarf, s->units[span->what].die, &unit))
		return make_place(offset, NULL);
	if (find_function(s, &s->units[span->what], &unit, vaddr, &function))
		descend_inlined(&in, &function, vaddr);
	place = make_place(offset, &in);
	if (!place)
		return NULL;
	find_line(&unit, vaddr, &place->frames[0]);
	for (size_t i = 0; i < in.nr; i++) {
		Dwarf_Die *die = &in.dies[in.nr - 1 - i];

		place->frames[i].function = name_of(die);
		find_call(&unit, die, &place->frames[i + 1]);
	}
	return place;
}

static int by_offset(const void *a, const void *b)
{
	const struct srcline_place *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

const struct srcline_place *srcline_find(struct srcline *s, uint64_t offset)
{
	const struct srcline_place wanted = {.offset = offset};
	struct srcline_place **known = tfind(&wanted, &s->known, by_offset);
	struct srcline_place *place = known ? *known : look_up(s, offset);

	if (known)
		return place->nr ? place : NULL;
	note_fault(s, &s->spans);
	if (place && tsearch(place, &s->known, by_offset))
		return place->nr ? place : NULL;
	symbol_fault_note(&s->fault, ENOMEM);
	free(place);
	return NULL;
}

/* --- life cycle --- */

static bool needs_other_file(Dwarf *dwarf)
{
	const char *name;
	const void *id;

	return dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id) != 0;
}

/*
 * libdw leaves out a section that libelf cannot decompress. If zlib had no memory for it, libelf calls
 * the section damaged, and only errno tells the difference.
 */
static Dwarf *begin_dwarf(struct srcline *s, struct elf_file *f)
{
	Dwarf *dwarf;

	errno = 0;
	dwarf = dwarf_begin_elf(f->elf, DWARF_C_READ, NULL);
	if (errno == ENOMEM)
		symbol_fault_note(&s->fault, ENOMEM);
	return dwarf;
}

/*
 * If a part of the DWARF is in another file that the caller does not give, no DWARF is read: libdw
 * would open any file of that name.
 */
static int open_dwarf(struct srcline *s)
{
	struct elf_file *main = s->debug.elf ? &s->debug : &s->object;

	if (!elf_file_is_modest(main) || (s->other.elf && !elf_file_is_modest(&s->other)))
		return EFBIG;
	elf_file_unpack_zstd(main);
	if (s->other.elf)
		elf_file_unpack_zstd(&s->other);
	s->dwarf = begin_dwarf(s, main);
	if (!s->dwarf)
		return ENODATA;
	if (!needs_other_file(s->dwarf))
		return 0;
	s->other_dwarf = s->other.elf ? begin_dwarf(s, &s->other) : NULL;
	if (!s->other_dwarf || needs_other_file(s->other_dwarf))
		return ENOTSUP;
	dwarf_setalt(s->dwarf, s->other_dwarf);
	return 0;
}

static int begin_session(struct srcline *s)
{
	int code = open_dwarf(s);

	if (!code && !read_units(s))
		code = ENOMEM;
	note_fault(s, &s->spans);
	return s->fault ? s->fault : code;
}

struct srcline *srcline_open(struct srcline_files *files, struct ts_error *err)
{
	struct srcline *s = calloc(1, sizeof(*s));
	int code = ENOMEM;

	if (s) {
		s->object = files->object;
		s->debug = files->debug;
		s->other = files->other;
		code = begin_session(s);
		if (!code)
			return s;
		srcline_close(s);
	} else {
		elf_file_close(&files->object);
		elf_file_close(&files->debug);
		elf_file_close(&files->other);
	}
	if (code == ENODATA || code == ENOTSUP || code == EFBIG)
		ts_error_set(err, code, "cannot read source lines: %s",
			     code == ENODATA   ? "there is no DWARF"
			     : code == ENOTSUP ? "a part of the DWARF is in another file (dwz)"
					       : "compressed sections would grow too large");
	else
		ts_error_sys(err, code, "cannot read source lines");
	return NULL;
}

void srcline_close(struct srcline *s)
{
	if (!s)
		return;
	tdestroy(s->known, free);
	for (size_t i = 0; i < s->nr; i++)
		free(s->units[i].functions.items);
	free(s->units);
	free(s->spans.items);
	if (s->dwarf)
		dwarf_end(s->dwarf);
	if (s->other_dwarf)
		dwarf_end(s->other_dwarf);
	elf_file_close(&s->other);
	elf_file_close(&s->debug);
	elf_file_close(&s->object);
	free(s);
}
