// SPDX-License-Identifier: Apache-2.0
/*
 * The workload of ./bootstrap demo: for a number of seconds two processes compute ("compute") and
 * two make system calls ("syscalls"), each in functions that a report can be checked against by eye.
 *
 *	workload [SECONDS]
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MATRIX	64
#define NUMBERS 4096

struct compute {
	double a[MATRIX][MATRIX];
	double b[MATRIX][MATRIX];
	double c[MATRIX][MATRIX];
	uint32_t numbers[NUMBERS];
	uint32_t seed;
};

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

__attribute__((noinline)) static void multiply_matrices(struct compute *w)
{
	for (int i = 0; i < MATRIX; i++)
		for (int j = 0; j < MATRIX; j++) {
			double sum = 0;

			for (int k = 0; k < MATRIX; k++)
				sum += w->a[i][k] * w->b[k][j];
			w->c[i][j] = sum;
		}
	w->a[w->seed % MATRIX][0] = w->c[0][w->seed % MATRIX] / (1 + w->c[0][0]);
}

__attribute__((noinline)) static void shuffle_numbers(struct compute *w)
{
	for (int i = 0; i < NUMBERS; i++) {
		w->seed = w->seed * 1664525 + 1013904223;
		w->numbers[i] = w->seed;
	}
}

/* Shell sort: a plain loop of our own, so that the time is spent in this function. */
__attribute__((noinline)) static void sort_numbers(struct compute *w)
{
	for (int gap = NUMBERS / 2; gap > 0; gap /= 2)
		for (int i = gap; i < NUMBERS; i++) {
			uint32_t value = w->numbers[i];
			int j = i;

			for (; j >= gap && w->numbers[j - gap] > value; j -= gap)
				w->numbers[j] = w->numbers[j - gap];
			w->numbers[j] = value;
		}
}

static int compute_until(double end_s)
{
	struct compute *w = calloc(1, sizeof(*w));

	if (!w)
		return 1;
	for (int i = 0; i < MATRIX; i++)
		for (int j = 0; j < MATRIX; j++)
			w->a[i][j] = w->b[i][j] = (double)(i + j) / MATRIX;
	while (now_s() < end_s) {
		multiply_matrices(w);
		shuffle_numbers(w);
		sort_numbers(w);
	}
	free(w);
	return 0;
}

__attribute__((noinline)) static int read_status(void)
{
	char text[4096];
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (read(fd, text, sizeof(text)) <= 0) {
		close(fd);
		return -1;
	}
	return close(fd);
}

__attribute__((noinline)) static int pass_bytes(const int fds[2])
{
	char bytes[512] = "";

	for (int i = 0; i < 64; i++)
		if (write(fds[1], bytes, sizeof(bytes)) < 0 ||
		    read(fds[0], bytes, sizeof(bytes)) < 0)
			return -1;
	return 0;
}

static int make_system_calls_until(double end_s)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return 1;
	while (now_s() < end_s)
		if (read_status() < 0 || pass_bytes(fds) < 0)
			return 1;
	return 0;
}

static void start(const char *name, int (*run)(double end_s), double end_s)
{
	pid_t pid = fork();

	if (pid < 0) {
		perror("workload: cannot fork");
		exit(1);
	}
	if (pid)
		return;
	prctl(PR_SET_NAME, name);
	_exit(run(end_s));
}

int main(int argc, char **argv)
{
	double end_s = now_s() + (argc > 1 ? atof(argv[1]) : 3);
	int failed = 0;
	int status;

	for (int i = 0; i < 2; i++) {
		start("compute", compute_until, end_s);
		start("syscalls", make_system_calls_until, end_s);
	}
	while (wait(&status) > 0)
		failed |= status;
	return failed ? 1 : 0;
}
