// SPDX-License-Identifier: Apache-2.0
#include "reader/script/cmd_script.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/file_io.h"
#include "common/base/log.h"
#include "common/options/print_command.h"
#include "reader/capture/capture.h"
#include "reader/chunks/select_chunks.h"
#include "reader/commands/print_memory.h"
#include "reader/commands/print_warnings.h"
#include "reader/commands/session.h"
#include "reader/dump/print_dump.h"
#include "reader/dump/print_header.h"
#include "reader/order/follow.h"
#include "reader/order/replay.h"
#include "reader/order/time_windows.h"
#include "reader/runtime/memory_limit.h"
#include "reader/runtime/workers.h"
#include "reader/samples/deferred_callchains.h"
#include "reader/samples/deltas.h"
#include "reader/script/print_script.h"
#include "reader/script/print_sideband.h"
#include "reader/script/script_options.h"
#include "reader/trust/explain_no_match.h"
#include "reader/trust/print_account.h"
#include "reader/trust/print_damage.h"
#include "reader/trust/print_no_samples.h"
#include "reader/trust/print_reads.h"
#include "reader/trust/print_symbols.h"

#define FOLLOW_PERIOD_NS (200 * TS_NS_PER_MS)

/*
 * Shared by the printing threads. Constant while they run, except the counters and the fields under
 * the lock.
 */
struct script {
	struct script_options options;
	struct session session;
	struct capture capture;
	struct selection selection;
	struct chunk_table table;
	struct tasks *tasks;
	struct symbols *syms;
	struct deltas deltas;
	struct deferred_callchains deferred;
	_Atomic uint64_t nr_unreadable; /* samples that could not be decoded */
	_Atomic uint64_t nr_cut;	/* samples whose user callchain is missing */
	_Atomic uint64_t nr_printed;
	struct ts_notes warnings; /* to be printed; main thread only */
	pthread_mutex_t lock;	  /* of damage and unwound */
	struct damage damage;
	struct unwind_counts unwound;
};

struct script_thread {
	struct script *script;
	struct script_printer printer;
	struct delta_walk deltas;
	struct deferred_callchain joined;
	struct unwinder unwinder;
	uint64_t nr_printed; /* since the beginning of the window */
};

static void free_thread(struct script_thread *t)
{
	script_printer_release(&t->printer);
	trace_fields_free(t->printer.fields);
	delta_release(&t->deltas);
	deferred_callchain_release(&t->joined);
	unwinder_release(&t->unwinder);
	free(t);
}

static void close_thread(void *state)
{
	struct script_thread *t = state;

	pthread_mutex_lock(&t->script->lock);
	unwind_counts_add(&t->script->unwound, &t->unwinder.counts);
	pthread_mutex_unlock(&t->script->lock);
	free_thread(t);
}

static void *open_thread(void *arg, struct ts_error *err)
{
	struct script *script = arg;
	const struct script_options *o = &script->options;
	const enum unwind_way way = o->style.with_chains
					    ? unwind_way_of(&script->capture.header, o->unwind)
					    : UNWIND_NOT;
	struct script_thread *t = calloc(1, sizeof(*t));

	if (!t || unwinder_init(&t->unwinder, &script->capture.header.events, script->tasks,
				script->syms, way, o->max_stack)) {
		free(t);
		ts_error_sys(err, ENOMEM, "cannot start printing");
		return NULL;
	}
	t->script = script;
	delta_init(&t->deltas, &script->deltas);
	t->printer.style = &o->style;
	t->printer.header = &script->capture.header;
	t->printer.time = o->time;
	t->printer.with_ns = o->with_ns;
	t->printer.is_latency = o->is_latency;
	t->printer.places.tasks = script->tasks;
	t->printer.places.syms = script->syms;
	t->printer.places.max_stack = o->max_stack * (way == UNWIND_NOT ? 1 : 2);
	t->printer.places.with_inlined = o->with_inlined;
	t->printer.places.with_source_paths = o->places.with_source_paths;
	t->printer.places.stop_at = o->stop_at.items;
	text_cache_init(&t->printer.places.texts, &script->session.memory);
	text_cache_init(&t->printer.places.frames, &script->session.memory);
	t->printer.fields = trace_fields_new(t->printer.header, script->syms, err);
	if (!t->printer.fields) {
		free_thread(t);
		return NULL;
	}
	return t;
}

/* The record may not be aligned. */
static uint16_t misc_of(const struct perf_event_header *hdr)
{
	return ts_record_load_header(hdr).misc;
}

static bool is_selected(struct script_thread *t, uint16_t misc, const struct ts_sample *sample)
{
	const struct selection *s = t->script->table.selection;
	const struct ts_sample_id *sid = &sample->sid;
	struct location at;

	if (!s)
		return true;
	if (!selection_takes_record(s, sid) ||
	    !selection_takes_thread(s, sid->pid, sid->tid, places_comm(&t->printer.places, sid)))
		return false;
	if (!selection_has_places(s))
		return true;
	symbols_resolve(t->script->syms, sid->pid, misc & PERF_RECORD_MISC_CPUMODE_MASK, sample->ip,
			sid->time_ns, &at);
	return selection_takes_place(s, at.module ? at.module->short_name : NULL,
				     at.module ? at.module->long_name : NULL,
				     at.sym ? at.sym->name : NULL);
}

static void count_records(_Atomic uint64_t *to, uint64_t nr)
{
	atomic_fetch_add_explicit(to, nr, memory_order_relaxed);
}

/* Returns 0 or -ENOMEM. */
static int print_sample(struct script_thread *t, const struct ordered_record *record,
			struct ts_bytes *out)
{
	struct ts_sample sample;
	int nr;

	if (ts_decode_sample(&t->script->capture.header.events, record->hdr, &sample) !=
	    TS_DECODE_OK) {
		count_records(&t->script->nr_unreadable, 1);
		return 0;
	}
	nr = delta_take(&t->deltas, &sample, record->stream, record->offset);
	if (nr < 0 || !is_selected(t, misc_of(record->hdr), &sample))
		return nr < 0 ? nr : 0;
	if (nr && sample.deferred_cookie &&
	    deferred_callchains_join(&t->script->deferred, &t->joined, &sample))
		return -ENOMEM;
	if (nr && t->unwinder.way != UNWIND_NOT)
		unwind_join(&t->unwinder, &sample);
	for (int i = 0; i < nr; i++) {
		delta_give(&t->deltas, i, &sample);
		print_script_sample(&t->printer, misc_of(record->hdr), &sample, out);
		t->nr_printed++;
	}
	return 0;
}

static void print_sideband_record(struct script_thread *t, const struct ordered_record *record,
				  struct ts_bytes *out)
{
	const struct selection *s = t->script->table.selection;
	struct ts_sample_id sid;

	if (ts_decode_trailer(&t->script->capture.header.events, record->hdr, &sid) != TS_DECODE_OK)
		return;
	if (s &&
	    !(selection_takes_record(s, &sid) &&
	      selection_takes_thread(s, sid.pid, sid.tid, places_comm(&t->printer.places, &sid))))
		return;
	print_sideband(&t->printer, record->hdr, &sid, out);
	t->nr_printed++;
}

/* Several windows may have the same damaged chunk, so damage is merged. */
static int add_damage(struct script *script, const struct damage *damage)
{
	int rc;

	pthread_mutex_lock(&script->lock);
	rc = damage_merge(&script->damage, damage);
	pthread_mutex_unlock(&script->lock);
	return rc;
}

/* If counters are read at samples, all chunks are walked, even those that were not selected. */
static const struct chunk_table *table_of(const struct script *script)
{
	return script->deltas.table ? script->deltas.table : &script->table;
}

static int format_window(void *state, const struct ordered_window *window, struct window_text *text,
			 struct ts_error *err)
{
	struct script_thread *t = state;
	struct ordered *o = ordered_open(table_of(t->script), window);
	struct ordered_record record;
	int ret = -ENOMEM, passed = 0;

	t->nr_printed = 0;
	t->deltas.nr_unknown = t->joined.nr_missing = 0;
	delta_begin(&t->deltas, window->from_ns);
	while (!passed && o && (ret = ordered_next(o, &record)) > 0) {
		if (ts_record_load_u32(record.hdr) != PERF_RECORD_SAMPLE)
			print_sideband_record(t, &record, &text->bytes);
		else if ((ret = print_sample(t, &record, &text->bytes)))
			break;
		passed = time_windows_pass(text, err);
	}
	count_records(&t->script->nr_printed, t->nr_printed);
	count_records(&t->script->nr_unreadable, t->deltas.nr_unknown);
	count_records(&t->script->nr_cut, t->joined.nr_missing);
	if (o && !ret)
		ret = add_damage(t->script, ordered_damage(o));
	ordered_close(o);
	if (passed)
		return passed;
	return ret ? ts_error_sys(err, -ret, "cannot read a window of %s", t->script->capture.path)
		   : 0;
}

/* --- the command --- */

static int open_table(struct script *script, struct ts_error *err)
{
	int ret = select_chunks(&script->table, &script->selection, &script->options.selection,
				&script->capture, script->session.nr_workers, 0, err);

	if (ret)
		return ret;
	if (damage_merge(&script->damage, &script->table.damage))
		return ts_error_sys(err, ENOMEM, "cannot read %s", script->capture.path);
	script->tasks = replay_sideband(&script->table, &script->damage, &script->warnings, err);
	print_warnings(&script->warnings);
	if (!script->tasks)
		return -err->code;
	return memory_check(&script->session.memory, script->capture.path,
			    script->session.nr_workers, err);
}

static int write_header(const struct script *script, struct ts_error *err)
{
	struct ts_bytes text;
	int ret;

	ts_bytes_init(&text);
	print_header(&script->capture, &text);
	ret = ts_bytes_failed(&text) ? -ENOMEM
				     : ts_file_write_all(STDOUT_FILENO, text.data, text.len);
	ts_bytes_release(&text);
	return ret ? ts_error_sys(err, -ret, "cannot write the header") : 0;
}

static int print_samples(struct script *script, struct ts_error *err)
{
	const struct time_windows_job job = {
		.arg = script, .open = open_thread, .format = format_window, .close = close_thread};
	/* Times that count from the line before need a single printer. */
	unsigned int nr_workers =
		script->options.time == SCRIPT_TIME_PLAIN ? script->session.nr_workers : 1;
	int ret;

	script->syms = symbols_new(script->tasks, &script->capture.header, err);
	if (script->syms) {
		symbols_use_places(script->syms, script->capture.places, script->capture.archive);
		symbols_use_limits(script->syms, script->capture.memory, script->capture.progress);
	}
	if (!script->syms || deltas_open(&script->deltas, &script->table, nr_workers, err) ||
	    deferred_callchains_open(&script->deferred, &script->table, nr_workers, err))
		return -err->code;
	ret = time_windows_run(table_of(script), ORDERED_SAMPLES | script->options.shown_records,
			       nr_workers, STDOUT_FILENO, &job, err);
	return ret ? ret : symbols_check(script->syms, err);
}

/* Reports problems at the end of following. */
static void say_end(const struct follow *f)
{
	if (f->was_killed)
		ts_log_note("the recorder of %s was killed: only the records written until then "
			    "are shown",
			    f->o.capture->path);
	if (f->nr_late)
		ts_log_warn("%" PRIu64 " chunks of %s were written later than --flush promises: "
			    "their first samples may be printed after later ones",
			    f->nr_late, f->o.capture->path);
}

static int next_step(struct script *script, struct follow *f, struct ts_error *err)
{
	int ret = follow_next(f, err);

	print_warnings(&script->warnings);
	return ret;
}

static int follow_samples(struct script *script, struct ts_error *err)
{
	const struct time_windows_job job = {
		.arg = script, .open = open_thread, .format = format_window, .close = close_thread};
	const struct follow_objects objects = {
		&script->capture, &script->selection, &script->table,	&script->tasks,
		&script->syms,	  &script->damage,    &script->warnings};
	struct follow f;
	int ret;

	follow_open(&f, &objects, &script->options.selection, FOLLOW_PERIOD_NS,
		    script->session.nr_workers);
	while ((ret = next_step(script, &f, err)) > 0) {
		ret = time_windows_run(&script->table,
				       ORDERED_SAMPLES | script->options.shown_records,
				       script->session.nr_workers, STDOUT_FILENO, &job, err);
		if (!ret)
			ret = symbols_check(script->syms, err);
		if (ret)
			break;
	}
	say_end(&f);
	follow_close(&f);
	return ret == -EINTR ? 0 : ret;
}

/* Samples that read counters (:S) can be decoded only if the whole capture is known. */
static int follow_capture(struct script *script, struct ts_error *err)
{
	if (!deltas_are_in(&script->capture.header.events))
		return follow_samples(script, err);
	ts_error_set(err, EINVAL, "cannot follow %s: its events are read at samples (:S)",
		     script->capture.path);
	return ts_error_hint(err, "leave --follow out to print the samples recorded so far");
}

static int check_fields(struct script *script, struct ts_error *err)
{
	struct script_options *o = &script->options;
	int ret = script_fields_check(&o->style, &script->capture.header, o->hide_chains,
				      &script->warnings, err);

	print_warnings(&script->warnings);
	return ret;
}

static int run_script(struct script *script, struct ts_error *err)
{
	struct script_options *o = &script->options;
	int ret = capture_open(&script->capture, o->input, err);

	script->capture.memory = &script->session.memory;
	script->capture.progress = &script->session.progress;
	script->capture.places = &script->options.places;
	if (!ret && !o->dump)
		ret = check_fields(script, err);
	if (!ret && (o->header || o->header_only))
		ret = write_header(script, err);
	if (!ret && o->follow && script->capture.is_running)
		return follow_capture(script, err);
	if (!ret && o->follow)
		print_not_followed(&script->capture);
	if (!ret && !o->header_only)
		ret = open_table(script, err);
	if (ret || o->header_only)
		return ret;
	return o->dump ? print_dump(&script->table, script->tasks, script->session.nr_workers,
				    STDOUT_FILENO, err)
		       : print_samples(script, err);
}

static void close_script(struct script *script)
{
	deltas_close(&script->deltas);
	deferred_callchains_close(&script->deferred);
	damage_release(&script->damage);
	ts_notes_release(&script->warnings);
	symbols_free(script->syms);
	tasks_free(script->tasks);
	chunk_table_close(&script->table);
	selection_close(&script->selection);
	capture_close(&script->capture);
	session_end(&script->session);
	script_options_release(&script->options);
}

/* Reports damage on stderr and returns the exit status. All readable samples have been printed. */
static int report_damage(struct script *script)
{
	size_t nr_missing;

	print_running(&script->capture, script->table.selection);
	nr_missing = print_account(&script->capture, &script->table) +
		     print_header_damage(&script->capture);
	print_symbols_notes(script->syms);
	print_damage(&script->capture, &script->damage);
	if (script->nr_unreadable)
		ts_log_warn("%" PRIu64 " samples could not be decoded and were left out",
			    script->nr_unreadable);
	print_deferred(script->nr_cut, script->capture.path);
	return script->damage.nr || script->nr_unreadable || nr_missing ? 1 : 0;
}

static void say_what_is_missing(const struct script *script)
{
	const struct script_options *o = &script->options;
	const struct explain_no_match nothing = {&script->selection, script->tasks, NULL};
	char buf[EXPLAIN_NO_MATCH_BYTES];

	if (o->dump || o->header_only)
		return;
	print_unwound(&script->capture, o->unwind, &script->unwound);
	if (!script->nr_printed && !script->tasks)
		print_no_samples(&script->table, &o->selection, "");
	else if (!script->nr_printed)
		print_no_samples(&script->table, &o->selection,
				 explain_no_match_text(&nothing, buf));
}

/* Progress must not be drawn into output on the same terminal. */
static bool draws_progress(const struct script_options *o)
{
	return !isatty(STDOUT_FILENO) && !o->quiet && !o->follow;
}

int cmd_script(int argc, char **argv)
{
	struct script script = {.lock = PTHREAD_MUTEX_INITIALIZER};
	struct ts_error err;
	int status, ret;

	script_options_init(&script.options);
	status = ts_print_command(&cmd_script_line, &script.options, argc, argv);
	if (status != TS_COMMAND_GOES_ON) {
		script_options_release(&script.options);
		return status;
	}
	ret = session_begin(&script.session, script.options.mem_limit, 0,
			    session_level(script.options.quiet, script.options.verbose), &err);
	symbol_places_settle(&script.options.places);
	debug_server_watch(script.options.places.server, &script.session.progress);
	session_watch(&script.session, draws_progress(&script.options));
	ret = ret ? ret : run_script(&script, &err);
	session_unwatch(&script.session);
	if (!ret || ret == -EPIPE) {
		if (!ret)
			say_what_is_missing(&script);
		status = report_damage(&script);
		print_reads(&script.table);
		print_memory(&script.session.memory);
	} else if (ret == -EINTR) {
		ts_log_warn("interrupted: not all of %s was printed", script.capture.path);
		status = INTERRUPT_STATUS;
	} else {
		if (ret == -ENOMEM)
			memory_failed(&script.session.memory, &err);
		ts_log_error(&err);
		status = 1;
	}
	/* ^C ends the following; all samples until then were printed. */
	if (script.options.follow && progress_is_stopped(&script.session.progress))
		status = INTERRUPT_STATUS;
	close_script(&script);
	return status;
}
