// SPDX-License-Identifier: Apache-2.0
/*
 * Writers over fake rings whose disk fails: every trouble that can be injected at a completion, with
 * both sinks, direct and laid, plain and compressed. Each time the failure is told with file, writer
 * and cause, the stop flag goes up, the stream holds whole records, every record is in it or counted,
 * and the writer neither hangs nor spins.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/writer_scene.h"

#define HANG_S 240
/*
 * A producer that waits for room wakes the writer every 200 us, however slow the disk is; a spin
 * wakes itself faster.
 */
#define WAKEUPS	  20000
#define WAKEUP_NS 20000

struct trouble {
	const char *name;
	struct sink_faults faults; /* fail_at is of plain direct blocks */
	int code;		   /* that it ends with; 0: it goes on */
	const char *cause;
};

static const struct trouble troubles[] = {
	{"EIO", {.fail_at = 2, .fail_errno = EIO}, EIO, "Input/output error"},
	{"no space from the beginning", {.fail_errno = ENOSPC}, ENOSPC, "No space left"},
	{"no space", {.fail_at = 2, .fail_errno = ENOSPC}, ENOSPC, "No space left"},
	{"no space for a while",
	 {.fail_at = 2, .fail_errno = ENOSPC, .fail_times = 2},
	 ENOSPC,
	 "No space left"},
	{"quota", {.fail_at = 2, .fail_errno = EDQUOT}, EDQUOT, "quota exceeded"},
	{"short writes, then EIO",
	 {.short_every = 2, .fail_at = 3, .fail_errno = EIO},
	 EIO,
	 "Input/output error"},
	{"short writes, then no space",
	 {.short_every = 1, .fail_at = 3, .fail_errno = ENOSPC},
	 ENOSPC,
	 "No space left"},
	{"late, then EIO",
	 {.delay_ms = 20, .fail_at = 2, .fail_errno = EIO},
	 EIO,
	 "Input/output error"},
	{"EAGAIN without end",
	 {.fail_at = 2, .fail_errno = EAGAIN},
	 EAGAIN,
	 "temporarily unavailable"},
	{"short writes", {.short_every = 1}, 0, NULL},
	{"EINTR and short writes",
	 {.short_every = 3, .fail_at = 1, .fail_errno = EINTR, .fail_times = 5},
	 0,
	 NULL},
	{"EAGAIN for a while", {.fail_at = 1, .fail_errno = EAGAIN, .fail_times = 5}, 0, NULL},
};

static void check_failure(struct scene_rig *r, const struct trouble *t)
{
	scene_check(r, r->join_rc == -t->code,
		    r->join_rc ? r->error.text : "the failure was not reported");
	scene_check(r, strstr(r->error.text, r->path) != NULL, "the sentence lacks the file");
	scene_check(r, strstr(r->error.text, "writer 0") != NULL, "the sentence lacks the writer");
	scene_check(r, strstr(r->error.text, t->cause) != NULL, r->error.text);
	scene_check(r, ts_stop_is_raised(&r->stop), "the stop flag is down");
	scene_check(r, r->stats.unwritten_records > 0, "nothing counts as unwritten");
	scene_check(r, !r->got.has_footer, "a footer after a failure");
}

static void check_success(struct scene_rig *r)
{
	scene_check(r, r->join_rc == 0, r->error.text);
	scene_check(r, r->got.has_footer && !r->got.is_cut, "the stream has no end");
	scene_check(r, r->stats.unwritten_records == 0, "unwritten records");
}

static bool play_trouble(const struct scene *scene, const struct trouble *t)
{
	uint64_t start_ns = ts_clock_now_ns();
	struct scene_rig r;

	if (scene_play(&r, scene)) {
		uint64_t wakeups_max = WAKEUPS + (ts_clock_now_ns() - start_ns) / WAKEUP_NS;

		if (t->code)
			check_failure(&r, t);
		else
			check_success(&r);
		scene_check(&r, r.stats.wakeups < wakeups_max, "it spins");
		scene_check_account(&r);
	}
	scene_tear_down(&r);
	return scene_tell(&r);
}

static bool play_all(const struct trouble *t, enum sink_kind sink, bool direct, int level)
{
	char name[128];
	struct scene scene = {
		.name = name,
		.sink = sink,
		.direct = direct,
		.compression_level = level,
		.nr_buffers = 2,
		.nr_samples = 4000, /* 4 MiB in all: eight blocks and more */
		.size_max = 600,
		.burst = 200,
		.pause_us = 100,
		.faults = t->faults,
	};

	/*
	 * A laid block has many operations: fail within one, not always at its beginning. Of
	 * compressed blocks there may be a single one, and that has four operations at least.
	 */
	if (level)
		scene.faults.fail_at = direct ? 0 : 2;
	else if (!direct)
		scene.faults.fail_at *= 7;
	snprintf(name, sizeof(name), "%s, %s, %s: %s", sink_kind_name(sink),
		 direct ? "direct" : "laid", level ? "compressed" : "plain", t->name);
	return play_trouble(&scene, t);
}

int main(void)
{
	bool ok = true;

	setvbuf(stdout, NULL, _IOLBF, 0);
	alarm(HANG_S);
	for (size_t i = 0; i < sizeof(troubles) / sizeof(troubles[0]); i++)
		for (int how = 0; how < (troubles[i].code == EAGAIN ? 4 : 8); how++)
			ok &= play_all(&troubles[i], how & 1 ? SINK_PWRITE : SINK_URING, how & 2,
				       how & 4 ? 1 : 0);
	return ok ? 0 : 1;
}
