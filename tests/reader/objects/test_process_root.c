// SPDX-License-Identifier: Apache-2.0
/* A process whose first thread has ended: the files of its other thread are its files. */
#include "reader/objects/process_root.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reader/objects/process_file.h"
#include "reader/objects/untrusted_file.h"

#define OTHER 65534

static pid_t child;

static void *live_on(void *arg)
{
	pause();
	return arg;
}

/* As an ordinary user, if root is asked. */
static void run_child(void)
{
	pthread_t thread;

	if (!geteuid() && (setgid(OTHER) || setuid(OTHER)))
		_exit(1);
	prctl(PR_SET_DUMPABLE, 1); /* as after exec */
	if (pthread_create(&thread, NULL, live_on, NULL))
		_exit(1);
	pthread_exit(NULL);
}

/* The kernel shows the first thread as a zombie when it has ended. */
static bool is_zombie(void)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", child);
	file = fopen(path, "re");
	cr_assert_not_null(file);
	cr_assert_eq(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
	fclose(file);
	return state == 'Z';
}

static void set_up(void)
{
	child = fork();
	if (!child)
		run_child();
	while (!is_zombie())
		usleep(1000);
}

static void tear_down(void)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

TestSuite(process_root, .init = set_up, .fini = tear_down, .timeout = 60);

Test(process_root, takes_a_thread_that_lives)
{
	const uint32_t tid = process_root_thread((uint32_t)child);
	char path[64];

	cr_assert_neq(tid, (uint32_t)child);
	snprintf(path, sizeof(path), "/proc/%d/task/%u", child, tid);
	cr_expect_eq(access(path, F_OK), 0);
	cr_expect_eq(process_root_thread((uint32_t)getpid()), (uint32_t)getpid());
	cr_expect_eq(process_root_thread(UINT32_MAX), UINT32_MAX, "no such process");
}

Test(process_root, finds_what_it_runs_and_has_mapped)
{
	char link[PROCESS_FILE_BYTES], program[4096] = "", mapped[PROCESS_FILE_BYTES];
	struct stat st;

	cr_assert(process_file_program((uint32_t)child, link));
	cr_assert_gt(readlink(link, program, sizeof(program) - 1), 0, "%s", link);
	cr_expect(process_file_mapped((uint32_t)child, program, mapped));
	cr_expect_eq(lstat(mapped, &st), 0, "%s", mapped); /* only root may follow it */
}

/* Written by another user than the one who asks: the owner of the process may do so. */
Test(process_root, believes_the_owner_of_the_process)
{
	char path[] = "/tmp/tstream-root-XXXXXX";
	const struct untrusted_file wanted = {
		.pid = (uint32_t)child, .archived = "none", .path = path};
	const struct symbol_search search = {.pid = (uint32_t)child};
	struct untrusted_file_place place;
	struct ts_error err;
	int fd = mkstemp(path);
	FILE *file;

	cr_assert_geq(fd, 0);
	cr_assert(geteuid() || !fchown(fd, OTHER, OTHER));
	close(fd);
	file = untrusted_file_find(&wanted, &search, &place, &err);
	cr_expect_not_null(file, "%s", err.text);
	if (file)
		fclose(file);
	unlink(path);
}
