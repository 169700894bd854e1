// SPDX-License-Identifier: Apache-2.0
#include "reader/html/html_page.h"

#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/units.h"
#include "reader/html/html_callers.h"
#include "reader/html/html_data.h"
#include "reader/html/html_meta.h"
#include "reader/html/html_still.h"
#include "reader/html/page_files.h"
#include "reader/page/markup.h"
#include "reader/runtime/text.h"
#include "reader/trust/print_overview.h"

#define TITLE_MOST 200 /* characters */

struct page {
	const struct html_source *source;
	struct stack_tree tree;
	struct html_data data;
	struct ts_bytes callers, warnings, head, body, meta, script;
};

/* --- parts --- */

static void put_hashes(struct ts_bytes *out, enum page_part part)
{
	for (const struct page_file *f = page_files; f->bytes; f++)
		if (f->part == part)
			ts_bytes_printf(out, " '%s'", f->hash);
}

static void put_files(struct ts_bytes *out, enum page_part part, const char *before,
		      const char *after)
{
	for (const struct page_file *f = page_files; f->bytes; f++) {
		if (f->part != part)
			continue;
		text_put(out, before);
		ts_bytes_put(out, f->bytes, f->len);
		text_put(out, after);
	}
}

static void put_head(struct page *p)
{
	struct ts_bytes *out = &p->head;

	text_put(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta http-equiv=\"Content-Security-Policy\" content=\""
		      "default-src 'none'; script-src");
	put_hashes(out, PAGE_SCRIPT);
	text_put(out, "; style-src");
	put_hashes(out, PAGE_STYLE);
	text_put(out, "; img-src data:; base-uri 'none'; form-action 'none'\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		      "<meta name=\"generator\" content=\"tstream " PACKAGE_VERSION "\">\n<title>");
	markup_put_cut(out, p->source->title, strlen(p->source->title), TITLE_MOST);
	text_put(out, "</title>\n");
	put_files(out, PAGE_STYLE, "<style>", "</style>\n");
	text_put(out, "</head>\n<body>\n");
	put_files(out, PAGE_MARKUP, "", "");
}

static void put_script(struct page *p)
{
	put_files(&p->script, PAGE_SCRIPT, "<script>", "</script>\n");
	text_put(&p->script, "</body>\n</html>\n");
}

/* --- warnings --- */

static void put_step(struct ts_bytes *out, const struct page *p)
{
	const struct html_source *s = p->source;
	char size[TS_UNITS_TEXT];

	if (!p->data.rows.step_ns)
		return;
	if (s->has_times)
		ts_bytes_printf(out, "times are in steps of %" PRIu64 " ms: ",
				p->data.rows.step_ns / 1000000);
	ts_bytes_printf(out, "%" PRIu64 " samples do not fit into %s\n", s->samples->nr,
			ts_units_format_size(size, s->most_bytes));
}

static void put_merged(struct ts_bytes *out, const struct page *p)
{
	if (p->data.tree.nr_merged)
		ts_bytes_printf(out,
				"the smallest subtrees are merged: %" PRIu64 " of %" PRIu32
				" nodes are in nodes like \"(2 small)\"\n",
				p->data.tree.nr_merged, p->tree.nr);
}

/* Losses and damage of each capture; one of several is named first. */
static void put_faults(struct ts_bytes *out, const struct html_source *s)
{
	for (uint32_t i = 0; i < s->nr_captures; i++) {
		struct ts_bytes faults = {0};

		print_overview_faults(&s->captures[i], &faults);
		if (faults.len && s->nr_captures > 1) {
			text_name(out, s->captures[i].capture->path, 0);
			text_put(out, ":\n");
		}
		ts_bytes_put(out, faults.data, faults.len);
		out->failed |= faults.failed;
		ts_bytes_release(&faults);
	}
}

static const char *text_of(struct ts_bytes *b)
{
	ts_bytes_put(b, "", 1);
	return ts_bytes_failed(b) ? "" : (const char *)b->data;
}

/* --- the whole --- */

static uint64_t bytes_of(const struct page *p)
{
	return p->head.len + p->body.len + p->meta.len + p->script.len;
}

static bool has_failed(const struct page *p)
{
	return p->callers.failed || p->warnings.failed || p->head.failed || p->body.failed ||
	       p->meta.failed || p->script.failed;
}

static void put_meta(struct page *p)
{
	struct ts_bytes warnings = {0};

	put_step(&warnings, p);
	put_merged(&warnings, p);
	ts_bytes_put(&warnings, p->callers.data, p->callers.len);
	ts_bytes_clear(&p->meta);
	text_put(&p->meta, "<script type=\"application/json\" id=\"meta\">");
	html_meta_put(p->source, &p->data, text_of(&warnings), &p->meta);
	text_put(&p->meta, "</script>\n");
	p->meta.failed |= warnings.failed;
	ts_bytes_release(&warnings);
}

static uint64_t all_bytes_of(const struct page *p)
{
	return bytes_of(p) + html_elements_bytes(&p->data.elements);
}

/* Longer steps until data and facts, which tell of the steps, have room. */
static int fit_data(struct page *p, struct ts_error *err)
{
	int rc = 0;

	put_meta(p);
	while (!rc && !has_failed(p) && all_bytes_of(p) > p->source->most_bytes) {
		rc = html_data_fit(&p->data, p->source, bytes_of(p), err);
		if (!rc)
			put_meta(p);
	}
	return rc;
}

static int make_page(struct page *p, struct ts_error *err)
{
	const struct html_source *s = p->source;
	int rc = stack_tree_init(&p->tree, s->paths, s->memory);

	if (rc)
		return ts_error_sys(err, -rc, "cannot make the tree of the page");
	put_head(p);
	put_script(p);
	put_faults(&p->warnings, s);
	html_callers_put(s, &p->callers);
	ts_bytes_put(&p->warnings, p->callers.data, p->callers.len);
	html_still_put(s, &p->tree, text_of(&p->warnings), &p->body);
	rc = html_data_init(&p->data, s, &p->tree, err);
	if (!rc)
		rc = fit_data(p, err);
	if (rc)
		return rc;
	return has_failed(p) ? ts_error_sys(err, ENOMEM, "cannot make the page") : 0;
}

static int write_page(struct page *p, struct result_file *to, struct ts_error *err)
{
	int rc = result_file_write_block(to, &p->head, err);

	if (!rc)
		rc = result_file_write_block(to, &p->body, err);
	if (!rc)
		rc = result_file_write_block(to, &p->meta, err);
	if (!rc)
		rc = html_elements_write(&p->data.elements, p->source->progress, to, err);
	return rc ? rc : result_file_write_block(to, &p->script, err);
}

static void release_page(struct page *p)
{
	html_data_release(&p->data);
	stack_tree_release(&p->tree);
	ts_bytes_release(&p->callers);
	ts_bytes_release(&p->warnings);
	ts_bytes_release(&p->head);
	ts_bytes_release(&p->body);
	ts_bytes_release(&p->meta);
	ts_bytes_release(&p->script);
}

int html_page_write(const struct html_source *s, struct result_file *to, struct html_summary *ret,
		    struct ts_error *err)
{
	struct page p = {.source = s};
	int rc = make_page(&p, err);

	if (!rc) {
		*ret = (struct html_summary){.bytes = all_bytes_of(&p),
					     .step_ns = p.data.rows.step_ns};
		rc = write_page(&p, to, err);
	}
	release_page(&p);
	return rc;
}
