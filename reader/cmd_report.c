// SPDX-License-Identifier: Apache-2.0
#include "reader/cmd_report.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/fdio.h"
#include "common/log.h"
#include "reader/aggregate.h"
#include "reader/capture.h"
#include "reader/join.h"
#include "reader/loss.h"
#include "reader/loss_grid.h"
#include "reader/overview.h"
#include "reader/pager.h"
#include "reader/print_account.h"
#include "reader/print_damage.h"
#include "reader/print_dump.h"
#include "reader/print_header.h"
#include "reader/print_json.h"
#include "reader/print_loss.h"
#include "reader/print_overview.h"
#include "reader/print_report.h"
#include "reader/print_stats.h"
#include "reader/replay.h"
#include "reader/report_options.h"
#include "reader/report_plan.h"
#include "reader/select_chunks.h"
#include "reader/symbol_ahead.h"
#include "reader/sort_keys.h"
#include "reader/table.h"
#include "reader/task_tree.h"
#include "reader/tag_source.h"
#include "reader/vigil.h"
#include "reader/workers.h"

#define STATUS_MISUSE  2
#define AHEAD_LEAST    (64u << 20) /* bytes of --mem-limit */
#define STATUS_STOPPED 130	   /* 128 + SIGINT, as a shell says it */

struct reading { /* a capture on its way to the report */
	struct report_options options;
	unsigned int nr_workers;
	struct spill spill;
	struct capture capture;
	struct selection selection;
	struct chunk_table chunks;
	struct ts_tasks *tasks;
	struct symbol_ahead symbol_ahead;
	struct symbols *symbols;
	struct sort_keys keys;
	bool is_misuse; /* of the command line */
	struct tag_source tag_source;
	struct join join; /* captures beside the first */
	struct aggregate aggregate;
	struct table table;
	struct overview overview;
	struct loss loss;
	struct loss_style loss_style;
	struct damage damage; /* what was met on the way, before it is merged */
	bool is_merged;	      /* it was */
	bool is_empty;	      /* no sample was shown: said behind what may be the reason */
	struct ts_bytes text;
	struct progress progress;
	struct vigil vigil;
	double percent;	 /* of the bytes with samples that were counted */
	bool has_output; /* it began */
	struct pager pager;
};

static void stop(int signal)
{
	(void)signal;
	_exit(STATUS_STOPPED);
}

/* --- output --- */

/*
 * A pager is forked only now, when the vigil's thread is gone: up to here ^C was for us. Only where
 * reading goes on while records are dumped, and no pager is forked, the vigil stands on.
 */
static void start_output(struct reading *r)
{
	if (r->has_output)
		return;
	if (!r->options.dump || isatty(STDOUT_FILENO))
		vigil_end(&r->vigil);
	pager_start(&r->pager);
	r->has_output = true;
}

static int write_text(void *arg, const struct ts_bytes *text)
{
	const struct pager *pager = arg;

	if (ts_bytes_failed(text))
		return -ENOMEM;
	return ts_write_all(pager->fd, text->data, text->len);
}

/* Writes what was made so far. A reader that went away is no failure. */
static int flush_text(struct reading *r, struct ts_error *err)
{
	int rc;

	start_output(r);
	rc = write_text(&r->pager, &r->text);
	ts_bytes_clear(&r->text);
	if (rc && rc != -EPIPE)
		return ts_error_sys(err, -rc, "cannot write the report");
	return rc;
}

/* Samples of other times and CPUs are not known then. */
static bool is_partly_read(const struct reading *r)
{
	return r->options.selection.time || r->options.selection.last || r->options.selection.cpus;
}

static bool has_several(const struct reading *r)
{
	return r->options.nr_inputs > 1;
}

/* Those of all captures. */
static const struct ts_events *events_of(const struct reading *r)
{
	return has_several(r) ? &r->join.events : &r->capture.header.events;
}

static void say_count(uint64_t nr, const char *what)
{
	if (nr)
		ts_warn("%" PRIu64 " %s", nr, what);
}

/* Each place once, whichever passes met it. -ENOMEM. */
static int merge_damage(struct reading *r)
{
	int rc;

	if (r->is_merged)
		return 0;
	r->is_merged = true;
	rc = damage_merge(&r->damage, &r->chunks.damage);
	if (!rc)
		rc = damage_merge(&r->damage, &r->aggregate.damage);
	damage_sort(&r->damage);
	return rc;
}

/* Says what could not be read; the exit status that follows from it. */
static int report_damage(struct reading *r)
{
	uint64_t nr = r->aggregate.nr_bad;

	print_running(&r->capture, r->chunks.selection);
	nr += print_account(&r->capture);
	if (merge_damage(r))
		ts_warn("no memory to name all that is damaged");
	nr += r->damage.nr;
	if (progress_is_stopped(&r->progress) && r->percent < 100)
		ts_warn("interrupted: only %.0f %% of %s was counted", r->percent, r->capture.path);
	say_damage(&r->capture, &r->damage);
	say_count(r->aggregate.nr_bad, "samples reach beyond their end and were left out");
	say_count(r->aggregate.nr_unknown, "samples of an event that the header does not name");
	nr += print_header_damage(&r->capture) + join_say(&r->join);
	if (r->is_empty)
		say_no_samples(&r->chunks, &r->options.selection);
	return nr ? 1 : 0;
}

/* --- the ways through --- */

static int refuse_stopped(struct reading *r, struct ts_error *err)
{
	return ts_error_set(err, EINTR,
			    "cannot report %s: interrupted before it was looked through",
			    r->capture.path);
}

static int open_chunks(struct reading *r, unsigned int flags, struct ts_error *err)
{
	int rc = select_chunks(&r->chunks, &r->selection, &r->options.selection, &r->capture,
			       r->nr_workers, flags, err);

	return !rc && progress_is_stopped(&r->progress) ? refuse_stopped(r, err) : rc;
}

static int open_tasks(struct reading *r, struct ts_error *err)
{
	r->tasks = replay_sideband(&r->chunks, &r->damage, err);
	return r->tasks ? spill_check(&r->spill, r->capture.path, r->nr_workers, err) : -err->code;
}

static int run_stats(struct reading *r, struct ts_error *err)
{
	int rc = open_chunks(r, CHUNK_TABLE_COUNTS, err);

	if (!rc)
		print_stats(&r->chunks, &r->text);
	return rc;
}

static int run_loss(struct reading *r, struct ts_error *err)
{
	int rc = chunk_table_open(&r->chunks, &r->capture, r->nr_workers, 0, NULL, err);

	if (!rc && progress_is_stopped(&r->progress))
		rc = refuse_stopped(r, err);
	if (!rc)
		rc = loss_open(&r->loss, &r->capture, &r->chunks, err);
	if (rc)
		return rc;
	if (r->options.json) {
		rc = print_loss_json(&r->loss, &r->text);
	} else {
		r->loss_style.quiet = r->options.quiet;
		print_loss_table(&r->loss, r->capture.path, &r->loss_style, &r->text);
		rc = print_loss_map(&r->loss, &r->loss_style, &r->text);
	}
	return rc ? ts_error_sys(err, -rc, "cannot print what was lost") : 0;
}

static int run_tasks(struct reading *r, struct ts_error *err)
{
	int rc = open_chunks(r, 0, err);

	return rc ? rc : print_task_tree(&r->chunks, &r->damage, &r->text, err);
}

static int run_dump(struct reading *r, struct ts_error *err)
{
	int rc = open_chunks(r, 0, err);

	if (!rc)
		rc = open_tasks(r, err);
	if (!rc)
		rc = flush_text(r, err);
	if (!rc)
		rc = print_dump(&r->chunks, r->tasks, r->nr_workers, r->pager.fd, err);
	return rc;
}

/* --- the report itself --- */

/* Do any samples carry callchains? */
static bool has_callchains(const struct ts_events *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (events->items[i].attr.sample_type & PERF_SAMPLE_CALLCHAIN)
			return true;
	return false;
}

static int read_keys(struct reading *r, struct ts_error *err)
{
	const struct report_options *o = &r->options;
	const struct sort_plan plan = {
		.sort = o->sort,
		.fields = o->fields,
		.has_children = has_callchains(events_of(r)) && !o->no_children,
		.show_samples = o->show_samples,
		.show_period = o->show_period,
		.show_modes = o->show_modes,
		.has_parent = o->parent,
		.has_several = has_several(r),
	};
	int rc = sort_keys_read(&r->keys, &plan, &r->capture.header, err);

	r->is_misuse = rc == -EINVAL;
	r->keys.tags.quantum_ns = o->quantum_ns;
	if (!rc && o->only_parents && !sort_keys_has(&r->keys, TABLE_PARENT)) {
		r->is_misuse = true;
		ts_error_set(err, EINVAL,
			     "cannot leave out what has no parent: nothing says what a "
			     "parent is");
		return ts_error_hint(err, "give --parent=REGEX or --sort parent with -x");
	}
	return rc;
}

/* What samples are told apart by is known of the capture as a whole. */
static int open_tag_source(struct reading *r, struct ts_error *err)
{
	int rc = tag_source_open(&r->tag_source, &r->capture.header, r->join.host, err);

	r->tag_source.raw_trace = r->options.raw_trace;
	if (!rc && sort_keys_has_tag(&r->keys, TAG_CGROUP))
		rc = tag_source_read_cgroups(&r->tag_source, &r->chunks, err);
	return rc;
}

static struct report_way way_of(const struct reading *r)
{
	return (struct report_way){&r->options, &r->keys, &r->tag_source, r->nr_workers};
}

static int build_table(struct reading *r, struct ts_error *err)
{
	bool chains = has_callchains(events_of(r));
	bool wants_graph = r->options.wants_graph && r->options.callgraph.type != CALLGRAPH_OFF;
	bool wants_parent = sort_keys_has(&r->keys, TABLE_PARENT);
	const struct report_way way = way_of(r);
	struct aggregate_plan aggregate_plan;
	struct table_plan table_plan;
	int rc;

	if (!chains && (wants_graph || wants_parent || r->options.ignored)) {
		ts_error_set(err, EINVAL,
			     "cannot use call chains of %s: it was recorded without -g",
			     r->capture.path);
		return ts_error_hint(err, "leave %s out, or record with -g",
				     wants_graph    ? "-g"
				     : wants_parent ? "the key parent"
						    : "--ignore-callees");
	}
	report_plan_table(&way, chains, &table_plan);
	report_plan_aggregate(&way, &table_plan, &aggregate_plan);
	rc = aggregate_run(&r->aggregate, &aggregate_plan, &r->chunks, r->tasks, r->symbols, err);
	if (!rc && has_several(r))
		rc = join_run(&r->join, &r->aggregate, &aggregate_plan, &r->options.selection, err);
	r->percent = progress_percent(&r->progress);
	if (!rc)
		rc = table_build(&r->table, &r->aggregate, events_of(r)->nr, &table_plan, err);
	return rc;
}

static bool has_samples(const struct reading *r)
{
	for (size_t i = 0; i < events_of(r)->nr; i++)
		if (r->table.events[i].nr_samples)
			return true;
	return false;
}

static int open_overview(struct reading *r, struct ts_error *err)
{
	const struct overview_parts parts = {
		.capture = &r->capture,
		.chunks = &r->chunks,
		.tasks = r->tasks,
		.aggregate = &r->aggregate,
		.table = &r->table,
		.damage = &r->damage,
		.is_partly_read = is_partly_read(r),
		.counted_percent = progress_is_stopped(&r->progress) ? r->percent : 100,
	};
	int rc = merge_damage(r);

	if (rc)
		return ts_error_sys(err, -rc, "cannot tell what is damaged");
	overview_open(&r->overview, &parts);
	return 0;
}

/*
 * Records of others would have to be walked once more: only where their LOST records tell of enough.
 */
static bool may_be_biased(const struct reading *r)
{
	const struct chunk_table *t = &r->chunks;
	double kept = 0;

	if (!r->capture.nr_streams || t->nr == 0 || is_partly_read(r) || has_several(r))
		return false;
	for (size_t i = 0; i < t->nr; i++) {
		if (t->chunks[i].header_bytes)
			return true;
		kept += (double)t->chunks[i].nr_records;
	}
	return 100.0 * (double)t->counts.lost >= LOSS_BIAS_POINTS * kept;
}

/* Says when losses have moved what is shown. */
static int say_bias(struct reading *r, struct ts_error *err)
{
	int rc;

	if (!may_be_biased(r))
		return 0;
	rc = loss_open(&r->loss, &r->capture, &r->chunks, err);
	if (!rc)
		print_loss_bias(&r->loss, &r->text);
	return rc;
}

static int print_as_json(struct reading *r, const struct report *report, struct ts_error *err)
{
	const struct json_report json = {report, &r->overview, &r->options.selection};
	int rc = flush_text(r, err);

	if (rc)
		return rc;
	rc = print_json(&json, write_text, &r->pager);
	return rc && rc != -EPIPE ? ts_error_sys(err, -rc, "cannot print the report") : rc;
}

static uint64_t lost_samples(const struct reading *r)
{
	uint64_t nr = r->chunks.counts.lost_samples;

	for (size_t i = 0; i < r->join.nr; i++)
		nr += r->join.items[i].chunks.counts.lost_samples;
	return nr;
}

static int print_events(struct reading *r, struct ts_error *err)
{
	struct report report = {
		.table = &r->table,
		.events = events_of(r),
		.tasks = r->tasks,
		.join = has_several(r) ? &r->join : NULL,
		.style = {.min_percent = r->options.min_percent,
			  .show_graphs = r->table.plan.with_chains,
			  .graph = {r->options.callgraph,
				    r->options.sort && !strncmp(r->options.sort, "sym", 3)},
			  .is_one_event = sort_keys_has_tag(&r->keys, TAG_EVENT),
			  .nanoseconds = r->options.nanoseconds,
			  .times = r->options.selection.time,
			  .quiet = r->options.quiet},
	};
	const struct report_way way = way_of(r);
	int rc = open_overview(r, err);

	if (rc)
		return rc;
	/* Or samples there are, but none that is shown. */
	r->is_empty = !has_samples(r) || !r->table.nr;
	if (r->options.json)
		return print_as_json(r, &report, err);
	report_plan_columns(&way, r->table.plan.children, &report.style.columns);
	report_hide_columns(&r->selection, &r->table.plan, report.style.is_hidden);
	if (!has_samples(r))
		return flush_text(r, err);
	if (!r->options.quiet) {
		print_unused(&r->capture);
		selection_print(&r->selection, &r->text);
		print_report_top(lost_samples(r), &r->text);
		if (has_several(r))
			join_print(&r->join, &r->capture, &r->text);
		else
			print_overview(&r->overview, !is_partly_read(r) && !r->options.is_relative,
				       &r->text);
		rc = say_bias(r, err);
		if (rc)
			return rc;
	}
	rc = flush_text(r, err);
	for (uint32_t i = 0; !rc && i < report.events->nr; i++) {
		rc = print_report_event(&report, i, write_text, &r->pager);
		if (rc && rc != -EPIPE)
			return ts_error_sys(err, -rc, "cannot print the report");
	}
	return rc;
}

/* The kernel's symbols take 15 MB, which is much where little is allowed and none may be needed. */
static void start_ahead(struct reading *r)
{
	if (r->options.mem_limit >= AHEAD_LEAST)
		symbol_ahead_start(&r->symbol_ahead, &r->capture.header);
}

static int run_report(struct reading *r, struct ts_error *err)
{
	int rc = read_keys(r, err);

	if (!rc && r->nr_workers > 1)
		start_ahead(r);
	if (!rc)
		rc = open_chunks(r, 0, err);
	if (!rc)
		rc = open_tasks(r, err);
	if (!rc)
		rc = open_tag_source(r, err);
	if (rc)
		return rc;
	r->symbols = symbols_new(r->tasks, &r->capture.header, err);
	if (r->symbols)
		symbols_use_ahead(r->symbols, &r->symbol_ahead);
	rc = r->symbols ? build_table(r, err) : -err->code;
	return rc ? rc : print_events(r, err);
}

/* --- the command --- */

static int run(struct reading *r, struct ts_error *err)
{
	const struct report_options *o = &r->options;
	int rc = capture_open(&r->capture, o->inputs[0], err);

	if (rc)
		return rc;
	r->capture.spill = &r->spill;
	r->capture.progress = &r->progress;
	rc = has_several(r) ? join_open(&r->join, &r->capture, o->inputs + 1, o->nr_inputs - 1, err)
			    : 0;
	if (rc)
		return rc;
	if (o->header || o->header_only)
		print_header(&r->capture, &r->text);
	else if (!o->stats && !o->tasks && !o->dump && !o->quiet && !o->loss && !o->json)
		ts_bytes_printf(&r->text, "# To display the perf.data header info, please use "
					  "--header/--header-only options.\n#\n");
	if (!o->header_only)
		rc = o->stats	? run_stats(r, err)
		     : o->tasks ? run_tasks(r, err)
		     : o->dump	? run_dump(r, err)
		     : o->loss	? run_loss(r, err)
				: run_report(r, err);
	return rc ? rc : flush_text(r, err);
}

static void release(struct reading *r)
{
	loss_close(&r->loss);
	overview_close(&r->overview);
	table_release(&r->table);
	aggregate_release(&r->aggregate);
	join_close(&r->join);
	damage_release(&r->damage);
	symbols_free(r->symbols);
	symbol_ahead_end(&r->symbol_ahead);
	tag_source_close(&r->tag_source);
	sort_keys_release(&r->keys);
	ts_tasks_free(r->tasks);
	chunk_table_close(&r->chunks);
	selection_close(&r->selection);
	capture_close(&r->capture);
	spill_release(&r->spill);
	ts_bytes_release(&r->text);
	progress_release(&r->progress);
	report_options_release(&r->options);
}

int cmd_report(int argc, char **argv)
{
	struct reading r = {0};
	struct ts_error err;
	int status = report_options_read(&r.options, argc, argv);
	int rc;

	if (status)
		return status;
	if (!vigil_is_unwanted())
		signal(SIGINT, stop);
	if (r.options.verbose || r.options.quiet)
		ts_log_set_level(r.options.verbose ? TS_LOG_VERBOSE : TS_LOG_QUIET);
	r.nr_workers = r.options.nr_jobs ? r.options.nr_jobs : workers_default();
	r.loss_style = loss_style_of_terminal();
	spill_init(&r.spill, r.options.mem_limit, NULL);
	rc = progress_init(&r.progress, &err);
	vigil_start(&r.vigil, &r.progress, isatty(STDERR_FILENO) && !r.options.quiet);
	rc = rc ? rc : run(&r, &err);
	vigil_end(&r.vigil);
	if (rc == -ENOMEM)
		spill_failed(&r.spill, &err);
	if (!rc || rc == -EPIPE) {
		status = report_damage(&r);
		say_reads(&r.chunks);
		say_spilled(&r.spill);
	}
	pager_end(&r.pager);
	if (rc && rc != -EPIPE) {
		ts_log_error(&err);
		status = r.is_misuse ? STATUS_MISUSE : 1;
	}
	if (progress_is_stopped(&r.progress))
		status = STATUS_STOPPED;
	release(&r);
	return status;
}
