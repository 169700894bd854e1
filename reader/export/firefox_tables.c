// SPDX-License-Identifier: Apache-2.0
#include "reader/export/firefox_tables.h"

#include "common/base/path.h"

struct category {
	const char *name, *color; /* a word of the format */
};

/* The viewer takes the grey one for what has none. */
static const struct category categories[1 + FRAME_KIND_NR] = {
	{"Other", "grey"},
	[1 + FRAME_KIND_USER] = {"User", "yellow"},
	[1 + FRAME_KIND_KERNEL] = {"Kernel", "orange"},
	[1 + FRAME_KIND_INLINED] = {"Inlined", "lightblue"},
	[1 + FRAME_KIND_JIT] = {"JIT", "green"},
	[1 + FRAME_KIND_UNKNOWN] = {"Unknown", "darkgrey"},
	[1 + FRAME_KIND_COMMAND] = {"Command", "purple"},
};

/* --- libraries --- */

int firefox_tables_init(struct firefox_tables *t, const struct frame_looks *looks,
			const struct stack_tree *tree, const char *marker_name)
{
	*t = (struct firefox_tables){.looks = looks, .tree = tree, .marker_name = marker_name};
	return look_objects_init(&t->libs, looks, tree->memory);
}

void firefox_tables_release(struct firefox_tables *t)
{
	look_objects_release(&t->libs);
	*t = (struct firefox_tables){0};
}

static const char *short_name(const char *path)
{
	const char *name = ts_path_name(path);

	return *name ? name : path;
}

static void put_lib(struct json *j, const char *path)
{
	json_open(j, NULL, '{');
	json_text(j, "name", short_name(path));
	json_text(j, "path", path);
	json_text(j, "debugName", short_name(path));
	json_text(j, "debugPath", path);
	json_text(j, "breakpadId", ""); /* nothing is left to be symbolised */
	json_null(j, "codeId");
	json_text(j, "arch", "");
	json_close(j, '}');
}

int firefox_tables_put_libs(const struct firefox_tables *t, struct json_file *f,
			    struct ts_error *err)
{
	int rc = 0;

	json_open(&f->json, "libs", '[');
	for (uint32_t i = 0; !rc && i < t->libs.names.nr; i++) {
		put_lib(&f->json, t->libs.names.items[i]);
		rc = json_file_pass(f, err);
	}
	json_close(&f->json, ']');
	return rc;
}

/* --- strings --- */

/* Strings: the names of looks, those of libraries, that of markers. */
static uint32_t lib_string(const struct firefox_tables *t, uint32_t lib)
{
	return t->looks->nr + lib;
}

uint32_t firefox_tables_marker(const struct firefox_tables *t)
{
	return t->looks->nr + t->libs.names.nr;
}

static int put_strings(const struct firefox_tables *t, struct json_file *f, struct ts_error *err)
{
	int rc = 0;

	json_open(&f->json, "stringArray", '[');
	for (uint32_t i = 0; !rc && i < t->looks->nr; i++) {
		json_text(&f->json, NULL, t->looks->items[i].name);
		rc = json_file_pass(f, err);
	}
	for (uint32_t i = 0; !rc && i < t->libs.names.nr; i++) {
		json_text(&f->json, NULL, short_name(t->libs.names.items[i]));
		rc = json_file_pass(f, err);
	}
	json_text(&f->json, NULL, t->marker_name);
	json_close(&f->json, ']');
	return rc;
}

/* --- columns --- */

static void put_row_number(const void *from, uint64_t row, struct json *j)
{
	(void)from;
	json_u64(j, NULL, row);
}

static void put_category(const void *from, uint64_t row, struct json *j)
{
	const struct firefox_tables *t = from;

	json_u64(j, NULL, 1 + (uint32_t)t->looks->items[row].kind);
}

/* -1: none. */
static void put_resource(const void *from, uint64_t row, struct json *j)
{
	const struct firefox_tables *t = from;

	json_i64(j, NULL, (int64_t)t->libs.of_look[row] - 1);
}

static void put_lib_string(const void *from, uint64_t row, struct json *j)
{
	json_u64(j, NULL, lib_string(from, (uint32_t)row));
}

static void put_node_look(const void *from, uint64_t row, struct json *j)
{
	const struct firefox_tables *t = from;

	json_u64(j, NULL, t->tree->nodes[row].look);
}

static void put_node_parent(const void *from, uint64_t row, struct json *j)
{
	const struct firefox_tables *t = from;
	const uint32_t parent = t->tree->nodes[row].parent;

	if (parent == STACK_TREE_ROOT)
		json_null(j, NULL);
	else
		json_u64(j, NULL, parent);
}

static const struct json_column stack_columns[] = {
	{"frame", put_node_look, NULL}, {"prefix", put_node_parent, NULL}, {0}};
static const struct json_column frame_columns[] = {
	{"address", NULL, "-1"},	  {"inlineDepth", NULL, "0"},
	{"category", put_category, NULL}, {"subcategory", NULL, "0"},
	{"func", put_row_number, NULL},	  {"nativeSymbol", NULL, "null"},
	{"innerWindowID", NULL, "0"},	  {"line", NULL, "null"},
	{"column", NULL, "null"},	  {0}};
static const struct json_column func_columns[] = {
	{"name", put_row_number, NULL},	  {"isJS", NULL, "false"},
	{"relevantForJS", NULL, "false"}, {"resource", put_resource, NULL},
	{"source", NULL, "null"},	  {"lineNumber", NULL, "null"},
	{"columnNumber", NULL, "null"},	  {0}};
static const struct json_column resource_columns[] = {{"lib", put_row_number, NULL},
						      {"name", put_lib_string, NULL},
						      {"host", NULL, "null"},
						      {"type", NULL, "1"}, /* a library */
						      {0}};
/* Nothing has a source or a symbol with an address. */
static const struct json_column symbol_columns[] = {{"libIndex", NULL, "null"},
						    {"address", NULL, "null"},
						    {"name", NULL, "null"},
						    {"functionSize", NULL, "null"},
						    {0}};
static const struct json_column source_columns[] = {
	{"uuid", NULL, "null"}, {"filename", NULL, "null"}, {0}};

static int put_table(const struct firefox_tables *t, const char *name,
		     const struct json_column *columns, uint32_t nr, struct json_file *f,
		     struct ts_error *err)
{
	int rc;

	json_open(&f->json, name, '{');
	rc = json_file_columns(f, columns, nr, t, err);
	json_close(&f->json, '}');
	return rc;
}

int firefox_tables_put_shared(const struct firefox_tables *t, struct json_file *f,
			      struct ts_error *err)
{
	int rc;

	json_open(&f->json, "shared", '{');
	rc = put_strings(t, f, err);
	if (!rc)
		rc = put_table(t, "stackTable", stack_columns, t->tree->nr, f, err);
	if (!rc)
		rc = put_table(t, "frameTable", frame_columns, t->looks->nr, f, err);
	if (!rc)
		rc = put_table(t, "funcTable", func_columns, t->looks->nr, f, err);
	if (!rc)
		rc = put_table(t, "resourceTable", resource_columns, t->libs.names.nr, f, err);
	if (!rc)
		rc = put_table(t, "nativeSymbols", symbol_columns, 0, f, err);
	if (!rc)
		rc = put_table(t, "sources", source_columns, 0, f, err);
	json_close(&f->json, '}');
	return rc;
}

void firefox_tables_put_categories(struct json *j)
{
	json_open(j, "categories", '[');
	for (size_t i = 0; i < sizeof(categories) / sizeof(*categories); i++) {
		json_open(j, NULL, '{');
		json_text(j, "name", categories[i].name);
		json_text(j, "color", categories[i].color);
		json_open(j, "subcategories", '[');
		json_text(j, NULL, "Other");
		json_close(j, ']');
		json_close(j, '}');
	}
	json_close(j, ']');
}
