// SPDX-License-Identifier: Apache-2.0
/* These tests open real events of this kernel; where that is refused they are skipped. */
#include "streamer/rings/source.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/sleepers.h"

struct opened { /* everything a source hangs on */
	struct event_list events;
	struct event_options options;
	struct target target;
	struct layout_machine machine;
	struct layout layout;
	struct privilege privilege;
	struct source source;
	struct ts_notes notes;
	void **maps;
	size_t map_bytes;
};

static void skip_unprivileged(void)
{
	struct privilege privilege;

	privilege_read(&privilege);
	if (!privilege.has_perfmon)
		cr_skip_test("needs CAP_PERFMON");
}

static void skip_without_tracepoints(void)
{
	struct event_list list = {0};
	struct ts_error err;

	if (event_parse(&list, "raw_syscalls:sys_enter", NULL, &err))
		cr_skip_test("needs the tracepoint raw_syscalls:sys_enter");
	event_list_release(&list);
}

static void target_this_thread(struct target *target)
{
	char text[32];
	struct ts_error err;

	snprintf(text, sizeof(text), "%d", (int)gettid());
	cr_assert_eq(target_set_ids(target, TARGET_TIDS, text, &err), 0);
}

/* Plans and opens the owners; the target must be set. */
static void open_owners(struct opened *o, const char *events, size_t ring_pages)
{
	struct ts_error err = {0};
	struct layout_input in;

	if (events)
		cr_assert_eq(event_parse(&o->events, events, NULL, &err), 0, "%s", err.text);
	else
		cr_assert_eq(event_add_default(&o->events, &err), 0);
	o->options.inherit = true;
	privilege_read(&o->privilege);
	cr_assert_eq(event_options_settle(&o->options, 0, NULL, &err), 0);
	cr_assert_eq(layout_machine_init(&o->machine, &err), 0, "%s", err.text);
	in = (struct layout_input){.topology = o->machine.topology,
				   .spec = "cpu",
				   .present = o->machine.present,
				   .online = o->machine.online,
				   .monitored = o->target.cpus,
				   .allowed = o->machine.allowed,
				   .isolated = o->machine.isolated};
	cr_assert_eq(layout_init(&o->layout, &in, NULL, &err), 0, "%s", err.text);
	cr_assert_eq(source_init(&o->source, &o->events, &o->options, &o->target, &o->layout,
				 &o->privilege, &err),
		     0, "%s", err.text);
	cr_assert_eq(source_open_owners(&o->source, 4096, 4096, &err), 0, "%s", err.text);
	o->maps = calloc(o->source.nr_rings, sizeof(void *));
	o->map_bytes = (ring_pages + 1) * sysconf(_SC_PAGESIZE);
	for (size_t i = 0; i < o->source.nr_rings; i++) {
		o->maps[i] = mmap(NULL, o->map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
				  o->source.rings[i].fd, 0);
		cr_assert_neq(o->maps[i], MAP_FAILED);
	}
}

static void open_all(struct opened *o, const char *events, size_t ring_pages)
{
	struct ts_error err = {0};

	open_owners(o, events, ring_pages);
	cr_assert_eq(source_open_events(&o->source, &o->notes, &err), 0, "%s", err.text);
}

static void release(struct opened *o)
{
	for (size_t i = 0; i < o->source.nr_rings; i++)
		munmap(o->maps[i], o->map_bytes);
	free(o->maps);
	source_release(&o->source);
	source_release(&o->source);
	layout_release(&o->layout);
	layout_machine_release(&o->machine);
	event_list_release(&o->events);
	target_release(&o->target);
	ts_notes_release(&o->notes);
}

/* Records of this type in all rings. */
static uint64_t count_records(const struct opened *o, uint32_t type)
{
	size_t size = o->map_bytes - sysconf(_SC_PAGESIZE);
	uint64_t nr = 0;

	for (size_t i = 0; i < o->source.nr_rings; i++) {
		const struct perf_event_mmap_page *page = o->maps[i];
		const uint8_t *data = (const uint8_t *)page + page->data_offset;
		uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);

		for (uint64_t pos = 0; pos < head;) { /* headers are aligned, they never wrap */
			const struct perf_event_header *hdr = (const void *)(data + pos % size);

			nr += hdr->type == type;
			pos += hdr->size;
		}
	}
	return nr;
}

Test(source, opens_anew_for_the_same_ring_when_a_cpu_is_back)
{
	struct opened o = {0};
	struct ts_error err = {0};
	struct ts_events described;
	unsigned int cpu;
	size_t before, first, nr = 0;

	skip_unprivileged();
	open_all(&o, "cpu-clock,page-faults", 8);
	cr_assert_eq(source_enable_sideband(&o.source, &err), 0);
	cr_assert_eq(source_enable(&o.source, "page-faults", &err), 0);
	before = o.source.nr_fds;
	cpu = o.source.rings[0].cpu;
	source_detach(&o.source, cpu);
	for (size_t i = 0; i < before; i++) {
		bool is_there = o.source.rings[o.source.fds[i].ring].cpu == cpu;

		cr_expect_eq(o.source.fds[i].state == SOURCE_FD_DETACHED, is_there);
		nr += is_there;
	}
	cr_assert_eq(nr, 3);
	cr_assert_eq(source_disable(&o.source, "page-faults", &err), 0);
	cr_assert_eq(source_enable(&o.source, "cpu-clock", &err), 0);
	cr_assert_eq(source_reopen(&o.source, cpu, &first, &err), 0, "%s", err.text);
	cr_assert_eq(first, before);
	cr_assert_eq(o.source.nr_fds, before + nr);
	for (size_t i = first; i < o.source.nr_fds; i++) {
		const struct source_fd *fd = &o.source.fds[i];

		cr_expect_eq(fd->state, SOURCE_FD_LIVE);
		cr_expect_eq(o.source.rings[fd->ring].cpu, cpu);
		cr_expect_eq(fd->is_on, fd->event != 1);
	}
	cr_assert_eq(source_resume(&o.source, first, &err), 0, "%s", err.text);
	cr_assert_eq(source_describe(&o.source, &described, &err), 0);
	cr_expect_eq(described.items[0].nr_ids, (before + nr) / 3);
	ts_events_release(&described);
	cr_assert_eq(source_reopen(&o.source, cpu, &first, &err), 0);
	cr_expect_eq(first, o.source.nr_fds);
	release(&o);
}

Test(source, opens_samples_and_sideband_of_everybody_on_every_cpu)
{
	struct opened o = {0};
	struct ts_events described;
	struct ts_error err = {0};
	size_t nr_cpus;

	skip_unprivileged();
	open_all(&o, "cpu-clock,context-switches:u", 4);
	nr_cpus = hwloc_bitmap_weight(o.machine.online);
	cr_expect_eq(o.source.nr_rings, 2 * nr_cpus);
	cr_expect_eq(o.source.nr_fds, 3 * nr_cpus);
	cr_expect_eq(source_descriptors(&o.source, &(struct target_counts){1, 1}), 5 * nr_cpus);
	for (size_t i = 0; i < o.source.nr_fds; i++) {
		const struct source_fd *fd = &o.source.fds[i];
		bool is_sideband = o.source.rings[fd->ring].kind == TS_RING_SIDEBAND;

		cr_expect(fd->fd >= 0 && fd->id && fd->tid == -1);
		cr_expect_eq(is_sideband, fd->event == 2);
	}
	cr_assert_eq(source_describe(&o.source, &described, &err), 0, "%s", err.text);
	cr_assert_eq(described.nr, 3);
	cr_expect_str_eq(described.items[0].name, "cpu-clock");
	cr_expect_str_eq(described.items[1].name, "context-switches:u");
	cr_expect_str_eq(described.items[2].name, "dummy:HG");
	cr_expect_eq(described.items[0].nr_ids, nr_cpus);
	cr_expect_eq(ts_events_find(&described, o.source.fds[0].id), o.source.fds[0].event);
	ts_events_release(&described);
	release(&o);
}

/* perf 6.1's name for it: H where the default event leaves guests out (docs/decisions/0030-attr.md). */
static const char *clock_instead_of_cycles(void)
{
#ifdef __x86_64__
	if (__builtin_cpu_is("amd"))
		return "cpu-clock:ppp";
#endif
	return "cpu-clock:pppH";
}

Test(source, falls_from_cycles_to_the_clock_as_perf_does)
{
	struct perf_event_attr cycles = {.type = PERF_TYPE_HARDWARE, .size = sizeof(cycles)};
	const char *name = clock_instead_of_cycles();
	struct opened o = {0};
	char note[128];
	long fd = syscall(SYS_perf_event_open, &cycles, 0, -1, -1, 0);

	skip_unprivileged();
	if (fd >= 0) {
		close((int)fd);
		cr_skip_test("this machine counts cycles");
	}
	target_this_thread(&o.target);
	open_all(&o, NULL, 1);
	snprintf(note, sizeof(note),
		 "this machine does not count cycles: %s is recorded instead of cycles", name);
	cr_expect_str_eq(o.source.names[0], name);
	cr_expect_eq(o.source.attrs[0].type, PERF_TYPE_SOFTWARE);
	cr_expect_eq(o.notes.nr, 1);
	cr_expect_str_eq(o.notes.items[0], note);
	release(&o);
}

Test(source, puts_samples_and_sideband_into_their_own_rings_and_counts_what_is_lost)
{
	struct opened o = {0};
	struct source_lost *lost;
	struct ts_error err = {0};
	uint64_t kept, nr_lost = 0;
	size_t nr;

	skip_unprivileged();
	skip_without_tracepoints();
	target_this_thread(&o.target);
	open_all(&o, "raw_syscalls:sys_enter", 1);
	cr_assert_eq(source_enable_sideband(&o.source, &err), 0);
	cr_assert_eq(source_enable(&o.source, "raw_syscalls:sys_enter", &err), 0, "%s", err.text);
	for (int i = 0; i < 10000; i++)
		syscall(SYS_getppid);
	cr_assert_eq(source_disable(&o.source, NULL, &err), 0);
	source_disable_all(&o.source);
	cr_assert_eq(source_read_lost(&o.source, &lost, &nr, &err), 0, "%s", err.text);
	if (!o.source.counts_lost)
		cr_skip_test("needs PERF_FORMAT_LOST (Linux 6.0)");
	for (size_t i = 0; i < nr; i++) {
		cr_expect_eq(lost[i].event, 0);
		cr_expect_eq(o.source.rings[lost[i].ring].kind, TS_RING_SAMPLES);
		nr_lost += lost[i].records;
	}
	kept = count_records(&o, PERF_RECORD_SAMPLE);
	cr_expect_gt(kept, 0);
	cr_expect_gt(nr_lost, 5000);
	cr_expect_geq(kept + nr_lost, 10000);
	cr_expect_lt(kept + nr_lost, 10100);
	free(lost);
	release(&o);
}

Test(source, opens_every_thread_of_a_process_and_leaves_out_what_is_gone)
{
	struct opened o = {0};
	struct ts_error err = {0};
	char text[32];
	pid_t pid;

	skip_unprivileged();
	pid = sleepers_make(3);
	snprintf(text, sizeof(text), "%d", pid);
	cr_assert_eq(target_set_ids(&o.target, TARGET_PIDS, text, &err), 0);
	open_all(&o, "task-clock", 1);
	cr_expect_eq(o.source.nr_fds, 3 * 2 * (size_t)hwloc_bitmap_weight(o.machine.online));
	release(&o);

	cr_assert_eq(target_set_ids(&o.target, TARGET_TIDS, text, &err), 0);
	memset(&o.source, 0, sizeof(o.source));
	open_owners(&o, "task-clock", 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	cr_expect_eq(source_open_events(&o.source, NULL, &err), -ESRCH);
	cr_expect_eq(o.source.nr_fds, 0);
	release(&o);
}

Test(source, names_the_event_and_the_reason_of_a_refusal)
{
	struct opened o = {0};
	struct ts_error err = {0};

	skip_unprivileged();
	skip_without_tracepoints();
	target_this_thread(&o.target);
	open_owners(&o, "raw_syscalls:sys_enter", 1);
	cr_assert_eq(event_set_filter(&o.events, "nope == 1", &err), 0);
	cr_assert_eq(source_open_events(&o.source, NULL, &err), 0);
	cr_expect_eq(source_set_filters(&o.source, NULL, NULL, &err), -EINVAL);
	cr_expect_str_eq(err.text, "cannot filter raw_syscalls:sys_enter by 'nope == 1': the "
				   "kernel refuses the expression");
	release(&o);

	target_this_thread(&o.target);
	open_all(&o, "task-clock", 1);
	cr_expect_eq(source_enable(&o.source, "nope", &err), -ENOENT);
	cr_expect_str_eq(err.text, "cannot enable event nope: it is not recorded");
	release(&o);
}

Test(source, limits_samples_to_the_cpus_asked_for_but_not_sideband)
{
	struct opened o = {0};
	struct ts_error err = {0};
	size_t nr_samples = 0, nr_sideband = 0;
	char text[16];

	skip_unprivileged();
	cr_assert_eq(layout_machine_init(&o.machine, &err), 0);
	snprintf(text, sizeof(text), "%d", hwloc_bitmap_last(o.machine.online));
	layout_machine_release(&o.machine);
	cr_assert_eq(target_set_cpus(&o.target, text, &err), 0);
	open_all(&o, "cpu-clock", 1);
	for (size_t i = 0; i < o.source.nr_rings; i++) {
		nr_samples += o.source.rings[i].kind == TS_RING_SAMPLES;
		nr_sideband += o.source.rings[i].kind == TS_RING_SIDEBAND;
	}
	cr_expect_eq(nr_samples, 1);
	cr_expect_eq(nr_sideband, (size_t)hwloc_bitmap_weight(o.machine.online));
	release(&o);
}
