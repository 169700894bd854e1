// SPDX-License-Identifier: Apache-2.0
#include "reader/report/print_sections.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/log.h"
#include "reader/capture/capture.h"
#include "reader/chunks/select_chunks.h"
#include "reader/commands/print_warnings.h"
#include "reader/dump/print_dump.h"
#include "reader/dump/print_header.h"
#include "reader/dump/print_stats.h"
#include "reader/order/replay.h"
#include "reader/report/task_tree.h"
#include "reader/runtime/memory_limit.h"
#include "reader/samples/deltas.h"
#include "reader/trust/loss.h"
#include "reader/trust/print_account.h"
#include "reader/trust/print_damage.h"
#include "reader/trust/print_gaps.h"
#include "reader/trust/print_loss.h"
#include "reader/trust/print_overview.h"
#include "reader/trust/print_reads.h"

struct section { /* one capture */
	struct capture capture;
	struct selection selection;
	struct chunk_table chunks;
	struct tasks *tasks;
	struct loss loss;
	struct damage damage;
};

struct sections {
	const struct sections_plan *plan;
	struct loss_style loss_style;
	struct loss_json loss_json;
	struct section *items;
	size_t nr;
};

bool print_sections_wanted(const struct report_options *o)
{
	return o->header_only || o->stats || o->tasks || o->dump || o->loss;
}

/* --- one of them --- */

/* Opens all chunks without a selection, even those younger than --flush. */
static int open_all_chunks(struct section *s, const struct sections_plan *p, struct ts_error *err)
{
	int rc = chunk_table_open(&s->chunks, &s->capture, p->nr_workers, 0, NULL, err);

	return rc ? rc : report_output_check(p->output->progress, s->capture.path, err);
}

static int open_chunks(struct section *s, const struct sections_plan *p, unsigned int flags,
		       struct ts_error *err)
{
	int rc = select_chunks(&s->chunks, &s->selection, &p->options->selection, &s->capture,
			       p->nr_workers, flags, err);

	return rc ? rc : report_output_check(p->output->progress, s->capture.path, err);
}

/* A sample that read counters counts as one sample of each. */
static int count_deltas(struct section *s, const struct sections_plan *p, struct ts_error *err)
{
	struct deltas deltas;
	int rc;

	if (!deltas_are_in(&s->capture.header.events))
		return 0;
	rc = deltas_open(&deltas, &s->chunks, p->nr_workers, err);
	if (!rc)
		rc = deltas_count(&deltas, &s->chunks, p->nr_workers,
				  s->chunks.counts.event_samples, err);
	deltas_close(&deltas);
	return rc;
}

static int print_counts(struct section *s, const struct sections_plan *p, struct ts_error *err)
{
	int rc = open_chunks(s, p, CHUNK_TABLE_COUNTS, err);

	if (!rc)
		rc = count_deltas(s, p, err);
	if (!rc)
		print_stats(&s->chunks, &p->output->text);
	return rc;
}

static int open_tasks(struct section *s, const struct sections_plan *p, struct ts_error *err)
{
	struct ts_notes warnings = {0};

	s->tasks = replay_sideband(&s->chunks, &s->damage, &warnings, err);
	print_warnings(&warnings);
	return s->tasks ? memory_check(p->memory, s->capture.path, p->nr_workers, err) : -err->code;
}

static int print_tasks(struct section *s, const struct sections_plan *p, struct ts_error *err)
{
	int rc = open_chunks(s, p, 0, err);

	if (!rc && p->options->mmaps)
		rc = open_tasks(s, p, err);
	if (!rc)
		rc = report_output_flush(p->output, err);
	return rc ? rc
		  : task_tree_print(&s->chunks, s->tasks, &s->damage, report_output_write,
				    p->output, err);
}

static int put_loss(struct sections *all, const struct section *s, const struct account *account)
{
	struct ts_bytes *text = &all->plan->output->text;

	if (all->plan->options->json)
		return loss_json_add(&all->loss_json, s->capture.path, &s->loss, account);
	print_loss_table(&s->loss, s->capture.path, &all->loss_style, text);
	if (!all->loss_style.quiet)
		print_gaps(account, SIZE_MAX, text);
	return print_loss_map(&s->loss, &all->loss_style, text);
}

static int print_loss(struct sections *all, struct section *s, struct ts_error *err)
{
	struct account account;
	int rc = open_all_chunks(s, all->plan, err);

	if (!rc)
		rc = loss_open(&s->loss, &s->capture, &s->chunks, err);
	if (rc)
		return rc;
	rc = account_read(&account, &s->capture);
	if (!rc)
		rc = put_loss(all, s, &account);
	account_release(&account);
	return rc ? ts_error_sys(err, -rc, "cannot print the losses") : 0;
}

static int print_records(struct section *s, const struct sections_plan *p, struct ts_error *err)
{
	int rc = open_chunks(s, p, 0, err);

	if (!rc)
		rc = open_tasks(s, p, err);
	if (!rc)
		rc = report_output_flush(p->output, err);
	return rc ? rc
		  : print_dump(&s->chunks, s->tasks, p->nr_workers, report_output_fd(p->output),
			       err);
}

static int print_section(struct sections *all, struct section *s, struct ts_error *err)
{
	const struct sections_plan *p = all->plan;
	const struct report_options *o = p->options;

	if (all->nr > 1 && !o->quiet && !o->json)
		print_capture_name(s->capture.path, NULL, &p->output->text);
	if (o->header || o->header_only)
		print_header(&s->capture, &p->output->text);
	return o->header_only ? 0
	       : o->stats     ? print_counts(s, p, err)
	       : o->tasks     ? print_tasks(s, p, err)
	       : o->dump      ? print_records(s, p, err)
			      : print_loss(all, s, err);
}

/* Warns of the parts that could not be read; returns their number. */
static uint64_t say_section(struct section *s)
{
	uint64_t nr;

	print_running(&s->capture, s->chunks.selection);
	nr = print_account(&s->capture, &s->chunks);
	if (damage_merge(&s->damage, &s->chunks.damage))
		ts_log_warn("not enough memory to list all damage");
	print_damage(&s->capture, &s->damage);
	nr += s->damage.nr + print_header_damage(&s->capture);
	print_reads(&s->chunks);
	return nr;
}

static void close_section(struct section *s)
{
	loss_close(&s->loss);
	damage_release(&s->damage);
	tasks_free(s->tasks);
	chunk_table_close(&s->chunks);
	selection_close(&s->selection);
	capture_close(&s->capture);
	*s = (struct section){0};
}

/* --- all of them --- */

static int open_captures(struct sections *all, struct ts_error *err)
{
	const struct report_options *o = all->plan->options;

	all->items = calloc(o->nr_inputs + 1, sizeof(*all->items));
	if (!all->items)
		return ts_error_sys(err, ENOMEM, "cannot read captures");
	do { /* without a path, once for the default capture */
		struct section *s = &all->items[all->nr];
		int rc = capture_open(&s->capture, o->inputs[all->nr], err);

		if (rc)
			return rc;
		s->capture.memory = all->plan->memory;
		s->capture.progress = all->plan->output->progress;
	} while (++all->nr < o->nr_inputs);
	return 0;
}

/* Output is flushed before its warnings are printed. */
static int run_section(struct sections *all, struct section *s, uint64_t *ret_nr_damaged,
		       struct ts_error *err)
{
	struct report_output *output = all->plan->output;
	int rc;

	report_output_watch(output);
	rc = print_section(all, s, err);
	if (!rc && !all->plan->options->json)
		rc = report_output_flush(output, err);
	report_output_unwatch(output);
	if (!rc || rc == -EPIPE)
		*ret_nr_damaged += say_section(s);
	close_section(s);
	return rc;
}

static int print_document(struct sections *all, struct ts_error *err)
{
	int rc = loss_json_print(&all->loss_json, &all->plan->output->text);

	return rc ? ts_error_sys(err, -rc, "cannot print the losses")
		  : report_output_flush(all->plan->output, err);
}

int print_sections(const struct sections_plan *plan, uint64_t *ret_nr_damaged, struct ts_error *err)
{
	struct sections all = {.plan = plan, .loss_style = loss_style_of_terminal()};
	int rc = open_captures(&all, err);

	all.loss_style.quiet = plan->options->quiet;
	for (size_t i = 0; !rc && i < all.nr; i++)
		rc = run_section(&all, &all.items[i], ret_nr_damaged, err);
	if (!rc && plan->options->json)
		rc = print_document(&all, err);
	for (size_t i = 0; i < all.nr; i++)
		close_section(&all.items[i]);
	free(all.items);
	loss_json_close(&all.loss_json);
	return rc;
}
