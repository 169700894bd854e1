// SPDX-License-Identifier: Apache-2.0
#include "reader/cmd_script.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/log.h"
#include "reader/capture.h"
#include "reader/conveyor.h"
#include "reader/print_account.h"
#include "reader/print_damage.h"
#include "reader/print_script.h"
#include "reader/replay.h"
#include "reader/select_chunks.h"
#include "reader/selection_options.h"
#include "reader/spill_options.h"
#include "reader/workers.h"

struct script_options {
	const char *input;
	bool verbose;
	uint64_t mem_limit; /* bytes */
	struct selection_text selection;
};

/* What the printing threads share; constant while they run. */
struct script {
	struct spill spill;
	struct capture capture;
	struct selection selection;
	struct chunk_table table;
	struct ts_tasks *tasks;
	struct symbols *syms;
	struct script_style style;
	_Atomic uint64_t nr_unreadable; /* samples that could not be decoded */
	pthread_mutex_t lock;		/* of damage */
	struct damage damage;
};

struct script_thread {
	struct script *script;
	struct script_printer printer;
};

static const struct argp_option option_table[] = {
	{"input", 'i', "FILE", 0,
	 "capture to read: a directory or a perf.data file (tstream.data, else perf.data)", 0},
	{"verbose", 'v', NULL, 0, "say on stderr how much of the capture was read", 0},
	{NULL, 'h', NULL, 0, "give this help list", -1},
	{0},
};

static error_t take_option(int key, char *arg, struct argp_state *state)
{
	struct script_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->selection;
		state->child_inputs[1] = &options->mem_limit;
		return 0;
	case 'v':
		options->verbose = true;
		return 0;
	case 'i':
		options->input = arg;
		return 0;
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state,
			   "cannot use '%s': script takes no arguments, -i FILE names the capture",
			   arg);
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void close_thread(void *state)
{
	struct script_thread *t = state;

	tracefields_free(t->printer.fields);
	free(t);
}

static void *open_thread(void *arg, struct ts_error *err)
{
	struct script *script = arg;
	struct script_thread *t = calloc(1, sizeof(*t));

	if (!t) {
		ts_error_sys(err, ENOMEM, "cannot start printing");
		return NULL;
	}
	t->script = script;
	t->printer = (struct script_printer){.style = &script->style,
					     .header = &script->capture.header,
					     .tasks = script->tasks,
					     .syms = script->syms};
	t->printer.fields = tracefields_new(t->printer.header, script->syms, err);
	if (!t->printer.fields) {
		free(t);
		return NULL;
	}
	return t;
}

/* A record may stand at any address. */
static uint16_t misc_of(const struct perf_event_header *hdr)
{
	uint16_t misc;

	memcpy(&misc, (const uint8_t *)hdr + offsetof(struct perf_event_header, misc),
	       sizeof(misc));
	return misc;
}

static bool is_selected(const struct script *script, uint16_t misc, const struct ts_sample *sample)
{
	const struct selection *s = script->table.selection;
	const struct ts_sample_id *sid = &sample->sid;
	struct location at;

	if (!s)
		return true;
	if (!selection_takes_record(s, sid) ||
	    !selection_takes_thread(s, sid->pid, sid->tid,
				    ts_tasks_comm(script->tasks, sid->tid, sid->time_ns)))
		return false;
	if (!selection_has_places(s))
		return true;
	symbols_resolve(script->syms, sid->pid, misc & PERF_RECORD_MISC_CPUMODE_MASK, sample->ip,
			sid->time_ns, &at);
	return selection_takes_place(s, at.module, at.sym);
}

/* A chunk may be met in several windows. */
static int add_damage(struct script *script, const struct damage *damage)
{
	int rc;

	pthread_mutex_lock(&script->lock);
	rc = damage_merge(&script->damage, damage);
	pthread_mutex_unlock(&script->lock);
	return rc;
}

static int format_window(void *state, const struct ordered_window *window, struct ts_bytes *out,
			 struct ts_error *err)
{
	struct script_thread *t = state;
	struct ordered *o = ordered_open(&t->script->table, window);
	struct ordered_record record;
	struct ts_sample sample;
	int ret = -ENOMEM;

	while (o && (ret = ordered_next(o, &record)) > 0) {
		if (ts_decode_sample(&t->script->capture.header.events, record.hdr, &sample) !=
		    TS_DECODE_OK)
			t->script->nr_unreadable++;
		else if (is_selected(t->script, misc_of(record.hdr), &sample))
			script_print_sample(&t->printer, misc_of(record.hdr), &sample, out);
	}
	if (o && !ret)
		ret = add_damage(t->script, ordered_damage(o));
	ordered_close(o);
	return ret ? ts_error_sys(err, -ret, "cannot read a window of %s", t->script->capture.path)
		   : 0;
}

static int open_script(struct script *script, const struct script_options *options,
		       unsigned int nr_workers, struct ts_error *err)
{
	int ret = capture_open(&script->capture, options->input, err);

	script->capture.spill = &script->spill;
	if (!ret)
		ret = select_chunks(&script->table, &script->selection, &options->selection,
				    &script->capture, nr_workers, 0, err);
	if (ret)
		return ret;
	if (damage_merge(&script->damage, &script->table.damage))
		return ts_error_sys(err, ENOMEM, "cannot read %s", script->capture.path);
	script->tasks = replay_sideband(&script->table, &script->damage, err);
	if (script->tasks && !spill_check(&script->spill, script->capture.path, nr_workers, err))
		script->syms = symbols_new(script->tasks, &script->capture.header, err);
	if (!script->syms)
		return -err->code;
	script_style_init(&script->style, &script->capture.header);
	return 0;
}

static void close_script(struct script *script)
{
	damage_release(&script->damage);
	symbols_free(script->syms);
	ts_tasks_free(script->tasks);
	chunk_table_close(&script->table);
	selection_close(&script->selection);
	capture_close(&script->capture);
	spill_release(&script->spill);
}

/* Damage is said on stderr and in the exit status; what could be read was printed. */
static int report_damage(struct script *script)
{
	size_t nr_missing;

	print_running(&script->capture, script->table.selection);
	nr_missing = print_account(&script->capture) + print_header_damage(&script->capture);
	say_damage(&script->capture, &script->damage);
	if (script->nr_unreadable)
		ts_warn("%" PRIu64 " samples could not be decoded and were left out",
			script->nr_unreadable);
	return script->damage.nr || script->nr_unreadable || nr_missing ? 1 : 0;
}

int cmd_script(int argc, char **argv)
{
	const struct argp_child children[] = {
		{.argp = &selection_argp}, {.argp = &spill_argp}, {0}};
	const struct argp argp = {.options = option_table,
				  .parser = take_option,
				  .children = children,
				  .doc = "Prints every sample of a capture in the order of time."};
	unsigned int nr_workers = workers_default();
	struct script_options options = {0};
	struct script script = {.lock = PTHREAD_MUTEX_INITIALIZER};
	const struct conveyor_job job = {.arg = &script,
					 .open = open_thread,
					 .format = format_window,
					 .close = close_thread};
	struct ts_error err;
	int status = 1;
	int ret;

	argv[0] = (char *)"tstream script"; /* what its usage and argp's complaints begin with */
	argp_err_exit_status = 2;
	if (argp_parse(&argp, argc, argv, 0, NULL, &options))
		return 2;
	if (options.verbose)
		ts_log_set_level(TS_LOG_VERBOSE);
	spill_init(&script.spill, options.mem_limit, NULL);
	ret = open_script(&script, &options, nr_workers, &err);
	if (!ret)
		ret = conveyor_run(&script.table, ORDERED_SAMPLES, nr_workers, STDOUT_FILENO, &job,
				   &err);
	if (!ret || ret == -EPIPE) {
		print_unused(&script.capture);
		status = report_damage(&script);
		say_reads(&script.table);
		say_spilled(&script.spill);
	} else {
		if (ret == -ENOMEM)
			spill_failed(&script.spill, &err);
		ts_log_error(&err);
	}
	close_script(&script);
	return status;
}
