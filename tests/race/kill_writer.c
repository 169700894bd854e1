// SPDX-License-Identifier: Apache-2.0
/*
 * A writer that is killed: a child process with producers, fake rings and a writer gets SIGKILL at
 * a random moment, again and again. Afterwards data.N consists of whole records, without a gap, and
 * no record is missing that was older than the flush time.
 *
 * KILLS=N in the environment plays N kills of each scene instead of 4.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "streamer/writer/writer.h"
#include "tests/support/fake_ring.h"
#include "tests/support/stream_check.h"

#define RINGS	   2
#define RING_BYTES (256u * 1024)
#define FLUSH_MS   100
#define SLACK_MS   400 /* what a busy machine may add */
#define TRIES	   5   /* a disk that is slower still is so seldom: never so often in a row */
#define HISTORY	   1024
#define ABREAST	   3 /* scenes at a time; each takes less than a tenth of a CPU */
#define NR_SCENES  (sizeof(scenes) / sizeof(scenes[0]))

struct scene {
	const char *name;
	const char *dir;
	enum sink_kind sink;
	bool direct;
	int compression_level;
	size_t size_max;
};

/* How far the producers were at which time; the parent reads it when the child is dead. */
struct progress {
	uint64_t time_ns;
	uint64_t numbers[RINGS];
};

struct history {
	_Atomic uint64_t nr;
	struct progress at[HISTORY];
};

static void die(const char *what)
{
	perror(what);
	_exit(2);
}

static void sleep_us(uint64_t us)
{
	struct timespec ts = ts_clock_timespec(us * TS_NS_PER_US);

	nanosleep(&ts, NULL);
}

/* --- the child --- */

/* As much as fits, so that nothing is lost and blocks follow each other closely. */
static void fill(struct fake_ring *f, size_t size_max, uint64_t turn)
{
	size_t steps = (size_max - FAKE_SAMPLE_BYTES_MIN) / 8 + 1;
	uint64_t tail_pos = __atomic_load_n(&f->page->data_tail, __ATOMIC_ACQUIRE);

	for (unsigned k = 0; f->head_pos - tail_pos < RING_BYTES / 4 * 3; k++)
		fake_ring_put_sample(f,
				     FAKE_SAMPLE_BYTES_MIN + 8 * ((turn * 31 + k * 7919) % steps));
}

static void produce(struct fake_ring *fakes, struct history *h, size_t size_max)
{
	uint64_t turn;

	for (turn = 0;; turn++) {
		struct progress *p = &h->at[turn % HISTORY];

		for (unsigned i = 0; i < RINGS; i++)
			if (turn % 64 > 16)
				fill(&fakes[i], size_max, turn);
			else /* seldom: then only the flush writes */
				fake_ring_put_sample(&fakes[i], 64);
		p->time_ns = ts_clock_now_ns();
		for (unsigned i = 0; i < RINGS; i++)
			p->numbers[i] = fakes[i].next_number;
		atomic_store(&h->nr, turn + 1);
		sleep_us(turn % 64 > 16 ? 500 : 10000);
	}
}

static void be_recorder(const struct scene *scene, const char *path, struct history *h)
{
	struct fake_ring fakes[RINGS];
	struct ring rings[RINGS], *refs[RINGS];
	struct ts_stop stop;
	struct ts_error err;
	struct writer_plan plan = {
		.rings = refs,
		.nr_rings = RINGS,
		.stream_path = path,
		.sink = scene->sink,
		.flush_ns = FLUSH_MS * TS_NS_PER_MS,
		.compression_level = scene->compression_level,
		.nr_buffers = 4,
		.buffer_bytes = 508u * 1024, /* blocks of 1 MiB would hide tears */
		.failure = &stop,
	};
	struct writer *w;

	for (unsigned i = 0; i < RINGS; i++) {
		fake_ring_init(&fakes[i], RING_BYTES);
		fake_ring_open(&fakes[i], &rings[i], i, TS_RING_SAMPLES);
		refs[i] = &rings[i];
	}
	plan.file.fd = open(path, O_WRONLY | O_TRUNC | (scene->direct ? O_DIRECT : 0));
	plan.file.align = 4096;
	plan.file.direct = scene->direct;
	if (plan.file.fd < 0 || ts_stop_init(&stop, &err) < 0)
		die(path);
	w = writer_new(&plan, &err);
	if (!w || writer_start(w, &err) < 0) {
		printf("# %s: %s\n", scene->name, err.text);
		_exit(3);
	}
	produce(fakes, h, scene->size_max);
}

/* --- the parent --- */

enum verdict { KILL_BAD, KILL_LATE, KILL_GOOD };

/* Records of FLUSH_MS (and the slack) before the end must be in the stream. */
static bool has_what_is_older(const struct history *h, uint64_t killed_ns,
			      const struct stream_check *got)
{
	uint64_t nr = atomic_load(&h->nr), k;
	uint64_t limit_ns = killed_ns - (FLUSH_MS + SLACK_MS) * TS_NS_PER_MS;
	bool is_there = true;

	for (k = nr; k > 0 && nr - k < HISTORY - 2; k--) {
		const struct progress *p = &h->at[(k - 1) % HISTORY];

		if (p->time_ns > limit_ns)
			continue;
		for (unsigned i = 0; i < RINGS; i++)
			is_there &= got->next_number[i] >= p->numbers[i];
		break;
	}
	return is_there;
}

static enum verdict kill_once(const struct scene *scene, const char *path, struct history *h,
			      struct stream_check *got)
{
	uint64_t killed_ns;
	bool ok = true;
	pid_t pid;
	int status;

	memset(h, 0, sizeof(*h));
	pid = fork();
	if (pid == 0)
		be_recorder(scene, path, h);
	sleep_us(50000 + (uint64_t)rand() % 900000);
	killed_ns = ts_clock_now_ns();
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	if (WIFEXITED(status)) {
		printf("# %s: the recorder ended with %d\n", scene->name, WEXITSTATUS(status));
		return KILL_BAD;
	}
	if (!stream_check(path, got)) {
		printf("# %s: %s\n", scene->name, got->problem);
		return KILL_BAD;
	}
	for (unsigned i = 0; i < RINGS; i++)
		ok &= got->gaps[i] == 0;
	if (!ok) {
		printf("# %s: numbers are missing\n", scene->name);
		return KILL_BAD;
	}
	return has_what_is_older(h, killed_ns, got) ? KILL_GOOD : KILL_LATE;
}

/* Late ones are tried again: what is not written in time as a rule is late each time. */
static bool kill_in_time(const struct scene *scene, const char *path, struct history *h,
			 struct stream_check *got)
{
	enum verdict verdict = KILL_LATE;

	for (unsigned i = 0; i < TRIES && verdict == KILL_LATE; i++)
		verdict = kill_once(scene, path, h, got);
	if (verdict == KILL_LATE)
		printf("# %s: what was older than the flush time is missing\n", scene->name);
	return verdict == KILL_GOOD;
}

static bool play(const struct scene *scene, struct history *h, unsigned kills)
{
	struct stream_check got;
	uint64_t bytes = 0, cut = 0;
	bool ok = true;
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "%s/tstream-kill-XXXXXX", scene->dir);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		die(scene->dir);
	if (scene->direct && fcntl(fd, F_SETFL, O_DIRECT) < 0) {
		printf("ok - %s # SKIP no direct writes in %s\n", scene->name, scene->dir);
		goto done;
	}
	for (unsigned i = 0; i < kills && ok; i++) {
		ok = kill_in_time(scene, path, h, &got);
		bytes += got.bytes;
		cut += got.is_cut;
	}
	printf("%s - %s: %u kills, %llu in the middle of a block, %.1f MB\n", ok ? "ok" : "not ok",
	       scene->name, kills, (unsigned long long)cut, (double)bytes / 1e6);
done:
	close(fd);
	unlink(path);
	return ok;
}

static const struct scene scenes[] = {
	{"io_uring, direct", "/tmp", SINK_URING, .direct = true, .size_max = 600},
	{"io_uring, buffered", "/tmp", SINK_URING, .size_max = 600},
	{"io_uring, buffered, compressed", "/tmp", SINK_URING, .compression_level = 1,
	 .size_max = 4000},
	{"io_uring, buffered, tmpfs", "/dev/shm", SINK_URING, .size_max = 2000},
	{"pwrite, direct", "/tmp", SINK_PWRITE, .direct = true, .size_max = 600},
	{"pwrite, buffered, tmpfs", "/dev/shm", SINK_PWRITE, .size_max = 600},
};

/* Starts a scene as a process of its own: it sleeps most of the time, until the moment of a kill. */
static void start_scene(const struct scene *scene, unsigned kills, unsigned seed)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid > 0)
		return;
	struct history *h =
		mmap(NULL, sizeof(*h), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (h == MAP_FAILED)
		die("mmap");
	srand(seed);
	exit(play(scene, h, kills) ? 0 : 1);
}

static bool await_scene(void)
{
	int status;

	if (wait(&status) < 0)
		die("wait");
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(void)
{
	const char *text = getenv("KILLS");
	unsigned kills = text ? (unsigned)atoi(text) : 4;
	unsigned seed = (unsigned)ts_clock_now_ns(), started, ended;
	bool ok = true;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (started = 0, ended = 0; ended < NR_SCENES; ended++) {
		for (; started < NR_SCENES && started - ended < ABREAST; started++)
			start_scene(&scenes[started], kills, seed + started);
		ok &= await_scene();
	}
	return ok ? 0 : 1;
}
