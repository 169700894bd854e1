// SPDX-License-Identifier: Apache-2.0
#include "streamer/targets/privilege.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/resource.h>
#include <unistd.h>

static const struct privilege user = {
	.paranoid = 2, .mlock_kb = 516, .memlock_bytes = 64 << 10, .nr_online = 2};
static const struct privilege root = {.has_perfmon = true,
				      .has_ipc_lock = true,
				      .has_sys_admin = true,
				      .paranoid = 2,
				      .mlock_kb = 516,
				      .nr_online = 2};

/* The sentence about a failed open of an event. */
static const char *explain(const struct privilege *p, struct perf_event_attr attr,
			   enum target_kind kind, int code, struct ts_error *err)
{
	struct event event = {.name = (char *)"ev"};
	struct target target = {.kind = kind};

	attr.size = sizeof(attr);
	cr_assert_eq(privilege_explain_open(p, &event, &attr, &target, 3, code, err), -code);
	return err->text;
}

Test(privilege, keeps_an_ordinary_user_to_his_own_code)
{
	struct privilege relaxed = user;

	cr_expect(privilege_is_user_only(&user));
	cr_expect(!privilege_is_user_only(&root));
	relaxed.paranoid = 1;
	cr_expect(!privilege_is_user_only(&relaxed));
}

Test(privilege, says_early_that_the_whole_system_is_not_his)
{
	struct target system = {.kind = TARGET_SYSTEM}, own = {.kind = TARGET_COMMAND};
	struct ts_error err;

	cr_expect_eq(privilege_check_target(&user, &system, &err), -EACCES);
	cr_expect_str_eq(err.text, "cannot record the whole system: "
				   "kernel.perf_event_paranoid=2 forbids that to ordinary users");
	cr_expect_str_eq(err.hint, "run as root or with CAP_PERFMON, or let root do 'sysctl "
				   "kernel.perf_event_paranoid=0' (now 2)");
	cr_expect_eq(privilege_check_target(&user, &own, &err), 0);
	cr_expect_eq(privilege_check_target(&root, &system, &err), 0);
}

Test(privilege, halves_rings_until_they_fit_the_locked_memory)
{
	uint64_t bytes = 512 << 10, sideband = 2 * (68 << 10);
	struct ts_notes notes = {0};
	struct ts_error err;

	if (sysconf(_SC_PAGESIZE) != 4096)
		cr_skip_test("the figures are for pages of 4 KiB");
	cr_expect_eq(privilege_fit_rings(&user, 2, sideband, &bytes, &notes, &err), 0);
	cr_expect_eq(bytes, 256 << 10);
	cr_assert_eq(notes.nr, 1);
	cr_expect_str_eq(notes.items[0], "rings have 256K, not 512K, to fit the memory that this "
					 "user may lock (kernel.perf_event_mlock_kb=516)");
	bytes = 512 << 10;
	cr_expect_eq(privilege_fit_rings(&user, 2, 0, &bytes, NULL, &err), 0);
	cr_expect_eq(bytes, 512 << 10);
	cr_expect_eq(privilege_fit_rings(&root, 2, 1ULL << 40, &bytes, NULL, &err), 0);
	cr_expect_eq(bytes, 512 << 10);
	cr_expect_eq(privilege_fit_rings(&user, 2, 2 << 20, &bytes, NULL, &err), -EPERM);
	cr_expect_str_eq(
		err.text,
		"cannot map 2 rings: they need at least 2M, but this user may lock only 1.1M");
	cr_expect_str_eq(err.hint,
			 "record fewer CPUs (-C), or let root do 'sysctl "
			 "kernel.perf_event_mlock_kb=1000' (now 516) or 'ulimit -l 1032', or give "
			 "CAP_IPC_LOCK");
	ts_notes_release(&notes);
}

Test(privilege, raises_the_limit_of_descriptors_or_says_what_it_is)
{
	struct rlimit limit = {.rlim_cur = 200, .rlim_max = 400};
	struct ts_error err;

	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	cr_expect_eq(privilege_raise_files(10, &err), 0);
	cr_expect_eq(privilege_raise_files(250, &err), 0);
	getrlimit(RLIMIT_NOFILE, &limit);
	cr_expect(limit.rlim_cur >= 314 && limit.rlim_cur <= 400);
	cr_expect_leq(privilege_files_left(), limit.rlim_cur - 3);
	cr_expect_geq(privilege_files_left(), limit.rlim_cur - 64);
	cr_expect_eq(privilege_raise_files(1ULL << 40, &err), -EMFILE);
	cr_expect(strstr(err.text, "RLIMIT_NOFILE allows this process"), "%s", err.text);
	cr_expect(strstr(err.hint, "fs.nr_open="), "%s", err.hint);
}

static void drop_capability(cap_value_t cap)
{
	cap_t caps = cap_get_proc();

	cr_assert(caps);
	cr_assert_eq(cap_set_flag(caps, CAP_EFFECTIVE, 1, &cap, CAP_CLEAR), 0);
	cr_assert_eq(cap_set_proc(caps), 0);
	cap_free(caps);
}

Test(privilege, does_with_the_hard_limit_where_raising_it_is_refused)
{
	struct rlimit limit = {.rlim_cur = 64 << 10, .rlim_max = 128 << 10};
	struct privilege p = user;

	drop_capability(CAP_SYS_RESOURCE);
	if (setrlimit(RLIMIT_MEMLOCK, &limit))
		cr_skip_test("may not have that much locked memory");
	p.memlock_bytes = UINT64_MAX;
	privilege_raise_memlock(&p);
	getrlimit(RLIMIT_MEMLOCK, &limit);
	cr_expect_eq(limit.rlim_cur, 128 << 10);
	cr_expect_eq(limit.rlim_max, 128 << 10);
}

Test(privilege, refuses_what_512_cpus_8_events_and_100_threads_would_take)
{
	struct rlimit limit = {.rlim_cur = 256, .rlim_max = 4096};
	struct ts_error err;

	drop_capability(CAP_SYS_RESOURCE);
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	cr_expect_eq(privilege_raise_files(461824, &err), -EMFILE);
	cr_expect(!strncmp(err.text, "cannot open 461824 descriptors in addition to ", 46), "%s",
		  err.text);
	cr_expect(strstr(err.text, "RLIMIT_NOFILE allows this process 4096"), "%s", err.text);
	cr_expect(strstr(err.hint, "4618"), "%s", err.hint);
	getrlimit(RLIMIT_NOFILE, &limit);
	cr_expect_eq(limit.rlim_cur, 256);
}

Test(privilege, raises_the_locked_memory_as_far_as_it_may)
{
	struct rlimit limit = {.rlim_cur = 64 << 10, .rlim_max = 1 << 20};
	struct privilege p;

	drop_capability(CAP_SYS_RESOURCE);
	drop_capability(CAP_IPC_LOCK);
	if (setrlimit(RLIMIT_MEMLOCK, &limit))
		cr_skip_test("may not have that much locked memory");
	privilege_read(&p);
	cr_expect_eq(p.memlock_bytes, 1 << 20);
	p.paranoid = 2;
	privilege_raise_memlock(&p);
	getrlimit(RLIMIT_MEMLOCK, &limit);
	cr_expect_eq(limit.rlim_cur, 1 << 20);
	cr_expect_eq(limit.rlim_max, 1 << 20);
}

Test(privilege, leaves_the_locked_memory_alone_where_it_is_not_limited)
{
	struct rlimit limit = {.rlim_cur = 64 << 10, .rlim_max = 64 << 10};

	if (setrlimit(RLIMIT_MEMLOCK, &limit))
		cr_skip_test("may not have that much locked memory");
	privilege_raise_memlock(&root);
	getrlimit(RLIMIT_MEMLOCK, &limit);
	cr_expect_eq(limit.rlim_cur, 64 << 10);
}

Test(privilege, names_the_setting_that_forbids_an_event_and_the_value_that_would_do)
{
	struct perf_event_attr clock = {.type = PERF_TYPE_SOFTWARE},
			       trace = {.type = PERF_TYPE_TRACEPOINT};
	struct ts_error err;

	cr_expect_str_eq(explain(&user, clock, TARGET_COMMAND, EACCES, &err),
			 "cannot open event ev [CPU 3]: kernel.perf_event_paranoid=2 forbids it to "
			 "ordinary users");
	cr_expect(strstr(err.hint, "kernel.perf_event_paranoid=1'"), "%s", err.hint);
	explain(&user, clock, TARGET_SYSTEM, EACCES, &err);
	cr_expect(strstr(err.hint, "kernel.perf_event_paranoid=0'"), "%s", err.hint);
	explain(&user, trace, TARGET_COMMAND, EPERM, &err);
	cr_expect(strstr(err.hint, "kernel.perf_event_paranoid=-1'"), "%s", err.hint);
	clock.exclude_kernel = 1;
	cr_expect_str_eq(explain(&user, clock, TARGET_PIDS, EACCES, &err),
			 "cannot open event ev [CPU 3]: this user may not observe that process");
	cr_expect_str_eq(explain(&root, clock, TARGET_PIDS, EPERM, &err),
			 "cannot open event ev [CPU 3]: the kernel refuses it although this user "
			 "has CAP_PERFMON");
	cr_expect_str_eq(explain(&root, trace, TARGET_SYSTEM, EPERM, &err),
			 "cannot open event ev [CPU 3]: the kernel allows counting this "
			 "tracepoint, but not recording it");
}

Test(privilege, knows_what_the_kernel_refuses_with_its_functions)
{
	struct event functions = {
		.name = (char *)"f", .system = (char *)"ftrace", .tracepoint = (char *)"function"};
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .use_clockid = 1};
	struct target target = {.kind = TARGET_SYSTEM};
	struct ts_error err;

	privilege_explain_open(&root, &functions, &attr, &target, 3, EPERM, &err);
	cr_expect_str_eq(err.text, "cannot open event f [CPU 3]: the kernel does not let perf "
				   "events trace its functions");
	attr.sample_type = PERF_SAMPLE_STACK_USER;
	privilege_explain_open(&root, &functions, &attr, &target, 3, EINVAL, &err);
	cr_expect_str_eq(err.hint, "leave out --call-graph dwarf for it");
}

Test(privilege, words_each_refusal_of_an_open)
{
	static const struct {
		int code;
		const char *end;
	} cases[] = {
		{ENOENT, "this machine does not count it"},
		{EOPNOTSUPP, "that PMU can only count, not sample"},
		{EINVAL, "the kernel refuses its attributes"},
		{EMFILE, "this process has too many descriptors (RLIMIT_NOFILE)"},
		{ENODEV, "the CPU is offline or does not have that PMU"},
		{EBUSY, "another user occupies the PMU"},
		{ESRCH, "its process is gone"},
		{EIO, "Input/output error"},
	};
	struct perf_event_attr cycles = {.type = PERF_TYPE_HARDWARE};
	struct ts_error err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *text = explain(&root, cycles, TARGET_SYSTEM, cases[i].code, &err);

		cr_expect_str_eq(strstr(text, "]: ") + 3, cases[i].end);
	}
	cycles.precise_ip = 2;
	cr_expect_str_eq(explain(&root, cycles, TARGET_SYSTEM, EINVAL, &err),
			 "cannot open event ev [CPU 3]: the kernel refuses it; the machine may not "
			 "support that precision");
}

Test(privilege, words_a_ring_that_cannot_be_mapped)
{
	struct ts_error err;

	cr_expect_eq(privilege_explain_mmap(&user, 1, 512 << 10, EPERM, &err), -EPERM);
	cr_expect_str_eq(
		err.text,
		"cannot map a ring of 512K [CPU 1]: it exceeds the memory that this user may lock");
	cr_expect_str_eq(err.hint, "give a smaller -m, or raise kernel.perf_event_mlock_kb (now "
				   "516) or 'ulimit -l', or give CAP_IPC_LOCK");
}

Test(privilege, tells_root_of_a_namespace_that_its_capabilities_do_not_count)
{
	struct target system = {.kind = TARGET_SYSTEM};
	struct privilege p = user;
	struct ts_error err;

	p.is_in_namespace = true;
	cr_expect_eq(privilege_check_target(&p, &system, &err), -EACCES);
	cr_expect_str_eq(err.hint,
			 "capabilities of a user namespace (a rootless container) do not count "
			 "here: run outside of it, or let root of the host do 'sysctl "
			 "kernel.perf_event_paranoid=0' (now 2)");
}

Test(privilege, tells_a_filter_of_system_calls_from_the_kernels_own_refusals)
{
	struct perf_event_attr software = {.type = PERF_TYPE_SOFTWARE, .exclude_kernel = 1};
	struct perf_event_attr tracepoint = {.type = PERF_TYPE_TRACEPOINT};
	static const char filter[] = "cannot open event ev [CPU 3]: the seccomp filter of this "
				     "process (usual in containers) refuses perf_event_open()";
	struct privilege p = user;
	struct ts_error err;

	p.has_seccomp = true;
	cr_expect_str_eq(explain(&p, software, TARGET_COMMAND, EPERM, &err), filter);
	cr_expect(strstr(err.hint, "--cap-add=PERFMON"), "%s", err.hint);
	cr_expect_str_eq(explain(&p, software, TARGET_COMMAND, ENOSYS, &err), filter);
	explain(&p, software, TARGET_COMMAND, EACCES, &err);
	cr_expect_not(strstr(err.text, "seccomp"), "%s", err.text);
	explain(&p, tracepoint, TARGET_COMMAND, EPERM, &err);
	cr_expect_not(strstr(err.text, "seccomp"), "%s", err.text);
	explain(&user, software, TARGET_COMMAND, ENOSYS, &err);
	cr_expect_not(strstr(err.text, "seccomp"), "%s", err.text);
}

Test(privilege, reads_what_this_process_may)
{
	struct privilege p;

	privilege_read(&p);
	cr_expect_gt(p.nr_online, 0);
	cr_expect_gt(p.mlock_kb, 0);
	cr_expect(p.paranoid >= -1 && p.paranoid <= 4);
}
