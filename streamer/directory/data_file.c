// SPDX-License-Identifier: Apache-2.0
#include "config.h"

#include "streamer/directory/data_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/stream/checksum.h"
#include "streamer/directory/features.h"
#include "streamer/directory/tracing_data.h"
#include "streamer/rings/record_walk.h"

static bool looks_into_kernel(const struct source *s)
{
	for (size_t i = 0; i + 1 < s->nr_attrs; i++) /* the last one is the side-band dummy */
		if (!s->attrs[i].exclude_kernel)
			return true;
	return false;
}

static void choose_synthesis(struct data_file *d)
{
	const struct source *s = &d->plan->source;
	const struct perf_event_attr *sideband = &s->attrs[s->nr_attrs - 1];

	d->synthesis.trailer_bytes = ts_record_trailer_bytes(sideband);
	d->synthesis.data_maps = event_wants_data_maps(s->events, &s->options);
	d->synthesis.build_ids = sideband->build_id || s->options.without_build_ids;
	d->synthesis.namespaces = sideband->namespaces;
	d->synthesis.map_limit_ms = (unsigned int)d->plan->options->map_limit_ms;
}

/*
 * Lists the events. Without build-ids of the kernel the recorder puts them into the maps, so the
 * attr says that records may have them.
 */
static int list_events(const struct data_file *d, struct ts_events *ret, struct ts_error *err)
{
	const struct source *s = &d->plan->source;
	int code = source_describe(s, ret, err);

	if (code >= 0 && s->options.without_build_ids)
		ret->items[ret->nr - 1].attr.build_id = 1;
	return code;
}

/* Adds an ID_INDEX of the descriptors from `first` on. */
static int put_id_index(struct data_file *d, size_t first)
{
	const struct source *s = &d->plan->source;
	struct synthesis_id *ids = calloc(s->nr_fds - first, sizeof(*ids));

	if (!ids)
		return -ENOMEM;
	for (size_t i = first; i < s->nr_fds; i++) {
		const struct source_fd *fd = &s->fds[i];

		ids[i - first] = (struct synthesis_id){.id = fd->id,
						       .idx = fd->ring,
						       .cpu = (int32_t)s->rings[fd->ring].cpu,
						       .tid = fd->tid};
	}
	synthesis_id_index(&d->head, ids, s->nr_fds - first);
	free(ids);
	return 0;
}

static int put_thread_map(struct data_file *d, struct ts_error *err)
{
	const struct target *t = &d->plan->options->target;
	pid_t *tids;
	size_t nr;
	int code;

	if (t->kind == TARGET_SYSTEM) {
		synthesis_thread_map(&d->tables, NULL, 0);
		return 0;
	}
	code = target_threads(t, &tids, &nr, err);
	if (code < 0)
		return code;
	synthesis_thread_map(&d->tables, tids, nr);
	free(tids);
	return 0;
}

/* Adds the CPUs whose samples are recorded, ascending. */
static int put_cpu_map(struct data_file *d)
{
	const struct source *s = &d->plan->source;
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	uint32_t *cpus = calloc(s->nr_rings, sizeof(*cpus));
	size_t nr = 0;

	if (!set || !cpus) {
		hwloc_bitmap_free(set);
		free(cpus);
		return -ENOMEM;
	}
	for (size_t i = 0; i < s->nr_rings; i++)
		if (s->rings[i].kind != TS_RING_SIDEBAND && !s->rings[i].is_absent)
			hwloc_bitmap_set(set, s->rings[i].cpu);
	for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu))
		cpus[nr++] = (uint32_t)cpu;
	synthesis_cpu_map(&d->tables, cpus, nr);
	hwloc_bitmap_free(set);
	free(cpus);
	return 0;
}

static void put_event_updates(struct data_file *d)
{
	for (size_t i = 0; i < d->events.nr; i++) {
		const struct ts_event *e = &d->events.items[i];

		if (e->nr_ids > 0)
			synthesis_event_update(&d->tables, &e->attr, e->name, e->ids[0]);
	}
}

/* Adds the kernel and its modules, as far as this user may see them. */
static int put_kernel(struct data_file *d, struct ts_notes *notes, struct ts_error *err)
{
	int code;

	if (!d->sees_kernel)
		return 0;
	code = kallsyms_load(&d->symbols, "/proc/kallsyms", err);
	if (code < 0)
		return code;
	synthesis_kernel(&d->head, &d->symbols, &d->synthesis, notes);
	return synthesis_modules(&d->modules, &d->synthesis, err);
}

static bool has_cgroups(const struct data_file *d)
{
	return d->plan->options->event.sample_bits & PERF_SAMPLE_CGROUP;
}

/*
 * Programs and cgroups, of which the kernel reports new ones by records: call it when side-band is
 * enabled. Cgroups are added only where samples have cgroup ids.
 */
static int put_programs_and_cgroups(const struct data_file *d, struct ts_bytes *out,
				    struct ts_error *err)
{
	int code = 0;

	if (d->sees_kernel)
		code = synthesis_bpf(out, &d->symbols, &d->synthesis, err);
	if (code >= 0 && has_cgroups(d))
		code = synthesis_cgroups(out, &d->synthesis, err);
	return code;
}

static int put_tracing_data(struct data_file *d, struct ts_error *err)
{
	const struct event_list *events = &d->plan->options->events;
	bool has_tracepoints = false;

	for (size_t i = 0; i < events->nr; i++)
		has_tracepoints = has_tracepoints || events->items[i].tracepoint;
	if (!has_tracepoints)
		return 0;
	return tracing_data_collect(ts_header_feature(&d->features, TS_FEAT_TRACING_DATA), NULL,
				    events, err);
}

static int collect_features(struct data_file *d, const struct data_file_facts *facts,
			    struct ts_error *err)
{
	struct features_facts known = {
		.version = PACKAGE_VERSION,
		.words = (const char *const *)facts->argv + 1,
		.nr_words = (size_t)facts->argc - 1,
	};
	const struct record_options *o = d->plan->options;
	int code;

	if ((code = features_collect(&d->features, &known, err)) < 0)
		return code;
	if (o->event.use_clockid &&
	    (code = features_set_clock(&d->features, o->event.clockid, err)) < 0)
		return code;
	if (o->compress_level)
		features_set_compressed(&d->features, o->compress_level, 0, 0);
	if (o->event.branches)
		ts_header_feature(&d->features, TS_FEAT_BRANCH_STACK); /* has no content */
	if ((code = features_set_build_ids(&d->features, d->sees_kernel, &d->file_ids, err)) < 0)
		return code;
	return put_tracing_data(d, err);
}

/* Functions above that can only run out of memory leave the error sentence to this one. */
static int check_memory(struct data_file *d, int code, struct ts_error *err)
{
	const struct ts_bytes *runs[] = {&d->head,  &d->modules, &d->tables,   &d->bpf,
					 &d->tasks, &d->mapped,	 &d->file_ids, &d->tail};

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		if (ts_bytes_failed(runs[i]))
			code = -ENOMEM;
	if (code == -ENOMEM)
		return ts_error_sys(err, ENOMEM, "cannot describe the capture");
	return code;
}

int data_file_init(struct data_file *d, const struct record_plan *plan,
		   const struct data_file_facts *facts, struct ts_notes *notes,
		   struct ts_error *err)
{
	int code;

	memset(d, 0, sizeof(*d));
	d->plan = plan;
	d->command = facts->command;
	d->sees_kernel = looks_into_kernel(&plan->source);
	choose_synthesis(d);
	if ((code = list_events(d, &d->events, err)) < 0 || (code = put_id_index(d, 0)) < 0 ||
	    (code = put_kernel(d, notes, err)) < 0)
		goto out;
	put_event_updates(d);
	if ((code = put_thread_map(d, err)) < 0 || (code = put_cpu_map(d)) < 0)
		goto out;
	synthesis_finished_init(&d->tail);
	code = collect_features(d, facts, err);
out:
	code = check_memory(d, code, err);
	if (code < 0)
		data_file_release(d);
	return code < 0 ? code : 0;
}

int data_file_add_ids(struct data_file *d, size_t first, struct ts_error *err)
{
	struct ts_events now;
	int code;

	if (first >= d->plan->source.nr_fds)
		return 0;
	code = list_events(d, &now, err);
	if (code < 0)
		return code;
	ts_events_release(&d->events);
	d->events = now;
	return check_memory(d, put_id_index(d, first), err);
}

int data_file_scan(struct data_file *d, struct ts_notes *notes, struct ts_error *err)
{
	const struct target *t = &d->plan->options->target;
	struct synthesis_target who = {.command = d->command};
	int code;

	/* Processes of a user come and go meanwhile: so all names and maps are needed, too. */
	who.all = t->kind == TARGET_SYSTEM || t->kind == TARGET_USER;
	if (t->kind == TARGET_PIDS) {
		who.pids = t->ids;
		who.nr_pids = t->nr_ids;
	} else if (t->kind == TARGET_TIDS) {
		who.tids = t->ids;
		who.nr_tids = t->nr_ids;
	}
	ts_bytes_clear(&d->tasks);
	ts_bytes_clear(&d->bpf);
	code = synthesis_tasks(&d->tasks, &who, &d->synthesis, NULL, notes, err);
	if (code == -ESRCH) /* they have just ended: the kernel's own records report it */
		code = 0;
	if (code >= 0)
		code = put_programs_and_cgroups(d, &d->bpf, err);
	return check_memory(d, code, err);
}

int data_file_scan_again(struct data_file *d, uint64_t time_ns, struct ts_bytes *run,
			 struct ts_error *err)
{
	static const struct synthesis_target all = {.all = true, .is_again = true};
	size_t from = run->len;
	int code = synthesis_tasks(run, &all, &d->synthesis, NULL, NULL, err);

	if (code >= 0)
		code = put_programs_and_cgroups(d, run, err);
	if (code < 0)
		return code;
	if (ts_bytes_failed(run))
		return ts_error_sys(err, ENOMEM, "cannot list processes");
	record_walk_set_times(run->data + from, run->len - from, time_ns);
	return 0;
}

static void put_losses(struct data_file *d, const struct ledger *ledger)
{
	const struct source *s = &d->plan->source;

	for (size_t i = 0; i < ledger->nr_lost; i++) {
		const struct source_lost *lost = &ledger->lost[i];
		const struct ts_event *e = &d->events.items[lost->event];

		synthesis_lost_samples(&d->tail, &e->attr, e->nr_ids ? e->ids[0] : 0,
				       s->rings[lost->ring].cpu, lost->records);
	}
}

/*
 * Appends the modules of now if they differ from those of the start: a module that went still
 * counts.
 */
static int add_new_modules(struct data_file *d, struct ts_error *err)
{
	struct ts_bytes now = {0};
	int code = synthesis_modules(&now, &d->synthesis, err);
	bool is_same;

	is_same = now.len == d->modules.len - d->modules_at &&
		  (now.len == 0 || !memcmp(now.data, d->modules.data + d->modules_at, now.len));
	if (!code && !is_same) {
		d->modules_at = d->modules.len;
		ts_bytes_put(&d->modules, now.data, now.len);
	}
	ts_bytes_release(&now);
	return code;
}

int data_file_finish(struct data_file *d, const struct ledger *ledger, struct ts_error *err)
{
	const struct record_options *o = d->plan->options;
	int code = d->sees_kernel ? add_new_modules(d, err) : 0;

	if (code >= 0 && (d->sees_kernel || d->file_ids.len))
		code = features_set_build_ids(&d->features, d->sees_kernel, &d->file_ids, err);
	put_losses(d, ledger);
	features_set_sample_time(&d->features, ledger->first_sample_ns, ledger->last_sample_ns);
	if (o->compress_level)
		features_set_compressed(&d->features, o->compress_level, ledger->total.raw_bytes,
					ledger->total.stream_bytes);
	return check_memory(d, code, err);
}

/* Keeps only the newest list of modules: a module that went is in no later directory. */
static void forget_modules(struct data_file *d)
{
	if (!d->modules_at)
		return;
	d->modules.len -= d->modules_at;
	memmove(d->modules.data, d->modules.data + d->modules_at, d->modules.len);
	d->modules_at = 0;
}

int data_file_begin_next(struct data_file *d, const struct live_table *table, struct ts_error *err)
{
	const struct record_options *o = d->plan->options;
	int code = 0;

	ts_bytes_clear(&d->tasks);
	ts_bytes_clear(&d->bpf);
	ts_bytes_clear(&d->mapped);
	live_table_put(table, NULL, &d->tasks, &d->bpf);
	forget_modules(d);
	if (has_cgroups(d))
		code = synthesis_cgroups(&d->bpf, &d->synthesis, err);
	features_set_sample_time(&d->features, 0, 0);
	if (o->compress_level)
		features_set_compressed(&d->features, o->compress_level, 0, 0);
	return check_memory(d, code, err);
}

/* Programs and cgroups that are gone are kept up to this size; beyond it, only those that exist. */
#define GONE_BYTES_MAX (4u << 20)

int data_file_condense(struct data_file *d, const struct live_table *table,
		       const struct sideband_log *log, const struct needed_tasks *needed,
		       struct ts_error *err)
{
	struct ts_bytes tasks = {0}, others = {0};
	int code = 0;

	live_table_put(table, needed, &tasks, NULL);
	ts_bytes_put(&others, d->bpf.data, d->bpf.len);
	sideband_log_put(log, needed, &tasks, &others);
	if (others.len > GONE_BYTES_MAX) {
		ts_bytes_clear(&others);
		live_table_put(table, NULL, NULL, &others);
		if (has_cgroups(d))
			code = synthesis_cgroups(&others, &d->synthesis, err);
	}
	if (ts_bytes_failed(&tasks) || ts_bytes_failed(&others))
		code = -ENOMEM;
	if (code >= 0) {
		ts_bytes_release(&d->tasks);
		ts_bytes_release(&d->bpf);
		d->tasks = tasks;
		d->bpf = others;
		ts_bytes_clear(&d->mapped);
		return 0;
	}
	ts_bytes_release(&tasks);
	ts_bytes_release(&others);
	return check_memory(d, code, err);
}

int data_file_write(struct data_file *d, struct ts_dir *dir, struct ts_error *err)
{
	const struct ts_bytes *runs[] = {&d->head,  &d->modules, &d->tables, &d->bpf,
					 &d->tasks, &d->mapped,	 &d->tail};
	struct ts_bytes records = {0}, file = {0};
	int code;

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		ts_bytes_put(&records, runs[i]->data, runs[i]->len);
	if (ts_bytes_failed(&records))
		code = ts_error_sys(err, ENOMEM, "cannot describe the capture");
	else
		code = ts_header_pack(&d->events, records.data, records.len, &d->features, &file,
				      err);
	if (!code)
		code = ts_dir_replace(dir, TS_DIR_DATA, file.data, file.len, err);
	if (!code) {
		d->written_bytes = file.len;
		d->written_checksum = ts_checksum(file.data, file.len);
	}
	ts_bytes_release(&records);
	ts_bytes_release(&file);
	return code;
}

void data_file_release(struct data_file *d)
{
	ts_events_release(&d->events);
	ts_feature_set_release(&d->features);
	kallsyms_release(&d->symbols);
	ts_bytes_release(&d->head);
	ts_bytes_release(&d->modules);
	ts_bytes_release(&d->tables);
	ts_bytes_release(&d->bpf);
	ts_bytes_release(&d->tasks);
	ts_bytes_release(&d->mapped);
	ts_bytes_release(&d->file_ids);
	ts_bytes_release(&d->tail);
}
