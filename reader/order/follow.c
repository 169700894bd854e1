// SPDX-License-Identifier: Apache-2.0
/*
 * A step:
 * - find out whether the capture is still being recorded;
 * - map the streams that have grown, and hop through the new part;
 * - find the time up to which all streams are complete;
 * - replay the names and maps up to this time.
 *
 * Chunks that reach beyond this time stay for the next step. chunk.given_ns notes up to which time
 * their records were given.
 */
#include "reader/order/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/min_max.h"
#include "common/directory/directory.h"
#include "common/directory/recorder.h"
#include "reader/capture/account.h"
#include "reader/capture/capture_streams.h"
#include "reader/chunks/live_capture.h"
#include "reader/chunks/stream_walk.h"
#include "reader/order/replay.h"
#include "reader/runtime/memory.h"

/*
 * So near to the end of a growing stream, damage may be a block that is being written: no block is
 * larger.
 */
#define LAST_BLOCK_BYTES (4u << 20)

static int no_memory(const struct follow *f, struct ts_error *err)
{
	return ts_error_sys(err, ENOMEM, "cannot follow %s", f->o.capture->path);
}

/* --- the table of a step --- */

/* Passes a whole chunk: the next one is searched behind it. */
static void pass_chunk(struct follow *f, const struct chunk *chunk)
{
	if (chunk->header_bytes)
		f->next[chunk->stream] = chunk->offset + chunk->bytes;
	live_capture_note(f->last_ns, chunk);
	f->nr_lost += chunk->lost_cause ? chunk->lost : 0;
}

static int add_chunk(struct follow *f, const struct chunk *chunk)
{
	struct chunk_table *t = f->o.table;

	if (t->nr >= f->cap) {
		size_t cap = 2 * t->nr + 64;
		struct chunk *grown =
			memory_resize(f->o.capture->memory, t->chunks, cap, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		t->chunks = grown;
		f->cap = cap;
	}
	t->chunks[t->nr++] = *chunk;
	t->nr_seen++;
	if (chunk->flags & CHUNK_SAMPLES && chunk->time_max_ns) {
		t->last_ns = ts_max(t->last_ns, chunk->time_max_ns);
		f->nr_late += chunk->time_min_ns < f->given_ns;
	}
	return 0;
}

/* Notes a place once: after a restart it is met again. */
static int note_damage(struct follow *f, struct chunk_damage *place)
{
	const struct damage one = {.items = place, .nr = 1};

	return damage_merge(f->o.damage, &one);
}

/* The earliest time that a later step may want again. */
static uint64_t oldest_wanted(const struct follow *f)
{
	const struct selection *s = f->o.selection;

	return f->is_window && s->times.nr ? ts_min(s->times.items[0].from_ns, f->until_ns + 1)
					   : f->until_ns + 1;
}

/* Keeps the chunks that the next step may want. All their side-band up to now was replayed. */
static void drop_given(struct follow *f)
{
	const uint64_t oldest_ns = oldest_wanted(f);
	struct chunk_table *t = f->o.table;
	size_t nr = 0;

	for (size_t i = 0; i < t->nr; i++) {
		if (t->chunks[i].time_max_ns < oldest_ns) {
			memory_free((void *)(uintptr_t)t->chunks[i].inflated);
			continue;
		}
		t->chunks[nr] = t->chunks[i];
		t->chunks[nr++].given_ns = f->until_ns;
	}
	t->nr = nr;
}

static int compare_chunks(const void *a, const void *b)
{
	const struct chunk *x = a, *y = b;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int finish_table(struct follow *f)
{
	struct chunk_table *t = f->o.table;

	if (t->nr)
		qsort(t->chunks, t->nr, sizeof(*t->chunks), compare_chunks);
	free((void *)(uintptr_t)t->reads->seen);
	t->reads->seen = calloc(t->nr + 1, sizeof(*t->reads->seen));
	return t->reads->seen ? 0 : -ENOMEM;
}

/* --- growth --- */

/* Maps a stream again if it has grown. If that fails, the stream stays as long as it was. */
static void map_again(struct follow *f, struct capture_stream *s)
{
	struct ts_error ignored;
	struct stat st;
	struct map map;

	if (fstatat(f->dir_fd, capture_streams_name(s), &st, AT_SYMLINK_NOFOLLOW) ||
	    st.st_size < 0 || (uint64_t)st.st_size <= s->map.len)
		return;
	if (map_open_at(&map, f->dir_fd, capture_streams_name(s), s->path, &ignored))
		return;
	if (map.len < s->map.len) {
		map_close(&map);
		return;
	}
	map_close(&s->map);
	s->map = map;
	s->end = map.len;
}

static bool may_be_on_its_way(const struct follow *f, const struct chunk_damage *damage)
{
	return f->o.capture->is_running && damage->stream &&
	       f->o.capture->streams[damage->stream].end - damage->offset < LAST_BLOCK_BYTES;
}

/* Adds the chunks that are whole by now. */
static int walk_on(struct follow *f, uint32_t stream)
{
	struct chunk_damage damage;
	enum range_scan_found found;
	struct chunk chunk;
	struct stream_walk walk;
	int rc = 0;

	stream_walk_resume(&walk, f->o.capture, stream, f->next[stream]);
	while (!rc && (found = stream_walk_next(&walk, &chunk, &damage)) != RANGE_SCAN_END) {
		if (found == RANGE_SCAN_CHUNK) {
			if (chunk.flags & CHUNK_TORN && f->o.capture->is_running)
				break;
			rc = add_chunk(f, &chunk);
			pass_chunk(f, &chunk);
			continue;
		}
		if (may_be_on_its_way(f, &damage))
			break;
		rc = note_damage(f, &damage);
		f->next[stream] = walk.at;
	}
	return rc;
}

static int take_growth(struct follow *f)
{
	int rc = 0;

	for (uint32_t i = 1; !rc && i < f->o.capture->nr_streams; i++) {
		map_again(f, &f->o.capture->streams[i]);
		rc = walk_on(f, i);
	}
	return rc;
}

/* --- from the beginning --- */

/* Chunks that the last writes have not completed yet do not belong to this step. */
static void leave_out_torn(struct follow *f)
{
	struct chunk_table *t = f->o.table;
	size_t nr = 0;

	t->last_ns = 0;
	for (size_t i = 0; i < t->nr; i++) {
		if (t->chunks[i].flags & CHUNK_TORN && f->o.capture->is_running)
			continue;
		if (t->chunks[i].flags & CHUNK_SAMPLES)
			t->last_ns = ts_max(t->last_ns, t->chunks[i].time_max_ns);
		pass_chunk(f, &t->chunks[i]);
		t->chunks[nr++] = t->chunks[i];
	}
	t->nr = nr;
}

static int take_damage(struct follow *f, const struct damage *damage)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < damage_kept(damage); i++)
		if (!may_be_on_its_way(f, &damage->items[i]))
			rc = note_damage(f, &damage->items[i]);
	return rc;
}

static int begin_following(struct follow *f, struct ts_error *err)
{
	struct capture *c = f->o.capture;
	int rc = chunk_table_open(f->o.table, c, f->nr_workers, 0, NULL, err);

	if (rc)
		return rc;
	f->nr_lost = 0;
	free(f->next);
	free(f->last_ns);
	f->next = calloc(c->nr_streams, sizeof(*f->next));
	f->last_ns = calloc(c->nr_streams, sizeof(*f->last_ns));
	*f->o.tasks = tasks_new(c->memory);
	if (!f->next || !f->last_ns || !*f->o.tasks || take_damage(f, &f->o.table->damage))
		return no_memory(f, err);
	damage_release(&f->o.table->damage);
	f->cap = f->o.table->nr;
	leave_out_torn(f);
	return 0;
}

static size_t count_ids(const struct ts_header *h)
{
	size_t nr = 0;

	for (size_t i = 0; i < h->events.nr; i++)
		nr += h->events.items[i].nr_ids;
	return nr;
}

/* Does the path still lead to the directory? */
static bool is_in_place(const struct follow *f)
{
	struct stat there, ours;

	return !stat(f->o.capture->path, &there) && !fstat(f->dir_fd, &ours) &&
	       there.st_ino == ours.st_ino && there.st_dev == ours.st_dev;
}

/*
 * The recorder replaces the header when it knows the existing tasks, when a CPU came, and at the
 * end. The header is read again if it has more events. It is also read again if it has more tasks,
 * unless the recording has ended.
 */
static int reread_header(struct follow *f, struct ts_error *err)
{
	struct capture *c = f->o.capture, fresh;
	struct ts_error ignored;
	struct map *old = &c->streams[0].map;
	bool is_running = c->is_running;
	struct stat st;

	if (fstatat(f->dir_fd, TS_DIR_DATA, &st, AT_SYMLINK_NOFOLLOW) ||
	    (uint64_t)st.st_mtim.tv_sec * TS_NS_PER_SEC + (uint64_t)st.st_mtim.tv_nsec ==
		    old->changed_ns ||
	    !is_in_place(f) || capture_open(&fresh, c->path, &ignored))
		return 0;
	old->changed_ns = fresh.streams[0].map.changed_ns;
	if (fresh.nr_streams != c->nr_streams ||
	    (count_ids(&fresh.header) == count_ids(&c->header) &&
	     (!is_running || fresh.header.data_size == c->header.data_size))) {
		capture_close(&fresh);
		return 0;
	}
	fresh.memory = c->memory;
	fresh.progress = c->progress;
	fresh.is_running = is_running;
	fresh.opened_ns = c->opened_ns;
	symbols_free(*f->o.symbols);
	tasks_free(*f->o.tasks);
	*f->o.symbols = NULL;
	*f->o.tasks = NULL;
	chunk_table_close(f->o.table);
	capture_close(c);
	*c = fresh;
	f->is_restarted = true;
	return begin_following(f, err);
}

/* --- a step --- */

/* Sleeps until the next step is due; false: following must stop. */
static bool wait_for_step(struct follow *f)
{
	struct progress *p = f->o.capture->progress;
	uint64_t now_ns = ts_clock_now_ns();

	while (now_ns < f->step_ns && !progress_is_stopped(p)) {
		struct pollfd fd = {.fd = p ? p->stop.fd : -1, .events = POLLIN};

		poll(&fd, 1, (int)((f->step_ns - now_ns) / TS_NS_PER_MS) + 1);
		now_ns = ts_clock_now_ns();
	}
	f->step_ns = now_ns + f->period_ns;
	return !progress_is_stopped(p);
}

static int look_again(struct follow *f, struct ts_error *err)
{
	struct capture *c = f->o.capture;
	int rc;

	drop_given(f);
	/*
	 * Set both before any stream is read: records that are written later belong to the next
	 * step.
	 */
	c->is_running = f->dir_fd >= 0 && ts_recorder_holds_at(f->dir_fd, ".");
	c->opened_ns = ts_clock_ns(CLOCK_REALTIME);
	rc = reread_header(f, err);
	if (!rc && !f->is_restarted && take_growth(f))
		rc = no_memory(f, err);
	return rc;
}

/*
 * Applies the text: --last begins where it began in the first step, unless it is a moving window.
 */
static int select_step(struct follow *f, uint64_t until_ns, struct ts_error *err)
{
	const struct chunk_table *t = f->o.table;
	struct selection_text text = *f->text;
	struct selection *s = f->o.selection;
	bool is_begun = f->from_ns;
	int rc;

	selection_close(s);
	if (text.last && is_begun && !f->is_window)
		text.last = NULL;
	rc = selection_open(s, &text, &f->o.capture->header.events, t->first_ns,
			    ts_min(t->last_ns, until_ns), err);
	if (!rc && text.last && s->times.nr)
		f->from_ns = s->times.items[0].from_ns;
	else if (!rc && f->from_ns && time_ranges_clip(&s->times, f->from_ns, UINT64_MAX))
		rc = no_memory(f, err);
	if (!rc)
		rc = selection_end_at(s, until_ns, err);
	f->o.table->selection = s;
	return rc;
}

static int take_names(struct follow *f, uint64_t until_ns, struct ts_error *err)
{
	int rc = replay_more(*f->o.tasks, f->o.table, until_ns, f->o.damage, f->o.warnings, err);

	if (rc)
		return rc;
	if (*f->o.symbols)
		return symbols_extend(*f->o.symbols, err);
	*f->o.symbols = symbols_new(*f->o.tasks, &f->o.capture->header, err);
	if (!*f->o.symbols)
		return -err->code;
	symbols_use_places(*f->o.symbols, f->o.capture->places, f->o.capture->archive);
	symbols_use_limits(*f->o.symbols, f->o.capture->memory, f->o.capture->progress);
	return 0;
}

/* The time up to which this step goes. */
static int find_end(struct follow *f, uint64_t *ret_ns)
{
	uint64_t until_ns;
	int rc;

	*ret_ns = UINT64_MAX;
	if (!f->o.capture->is_running)
		return 0;
	rc = live_capture_limit(f->o.capture, f->last_ns, &until_ns);
	*ret_ns = rc > 0 ? ts_max(until_ns, f->until_ns) : f->until_ns;
	return rc < 0 ? rc : 0;
}

static bool has_news(const struct follow *f, uint64_t until_ns)
{
	for (size_t i = 0; i < f->o.table->nr; i++) {
		const struct chunk *c = &f->o.table->chunks[i];

		if (!c->given_ns || (c->time_max_ns > c->given_ns && c->time_min_ns <= until_ns))
			return true;
	}
	return false;
}

/* Was the recorder of an ended capture killed? */
static int find_kill(struct follow *f)
{
	struct account account;
	int rc;

	f->was_killed = false;
	if (!f->has_ended || f->dir_fd < 0 || !f->was_running)
		return 0;
	rc = account_read(&account, f->o.capture);
	f->was_killed = !account.is_complete;
	account_release(&account);
	return rc;
}

static int give_step(struct follow *f, uint64_t until_ns, struct ts_error *err)
{
	const bool gives_all = f->is_window || (f->is_restarted && f->counts_again);
	struct chunk_table *t = f->o.table;
	int rc = finish_table(f) ? no_memory(f, err) : 0;

	if (!rc)
		rc = select_step(f, until_ns, err);
	if (!rc)
		rc = take_names(f, until_ns, err);
	for (size_t i = 0; i < t->nr; i++)
		if (gives_all)
			t->chunks[i].given_ns = 0;
		else if (f->is_restarted)
			t->chunks[i].given_ns = f->until_ns;
	f->until_ns = until_ns;
	f->given_ns = ts_max(f->given_ns, ts_min(t->last_ns, until_ns));
	return rc ? rc : 1;
}

int follow_next(struct follow *f, struct ts_error *err)
{
	while (!f->has_ended) {
		uint64_t until_ns;
		int rc;

		if (!wait_for_step(f))
			return 0;
		f->is_restarted = false;
		rc = f->has_begun ? look_again(f, err) : begin_following(f, err);
		if (rc || progress_is_stopped(f->o.capture->progress))
			return rc;
		f->has_ended = !f->o.capture->is_running;
		if (find_end(f, &until_ns) || find_kill(f))
			return no_memory(f, err);
		f->was_running |= f->o.capture->is_running;
		if (!f->has_begun || f->has_ended || f->is_restarted || has_news(f, until_ns)) {
			f->has_begun = true;
			return give_step(f, until_ns, err);
		}
		f->until_ns = until_ns;
	}
	return 0;
}

void follow_open(struct follow *f, const struct follow_objects *o,
		 const struct selection_text *text, uint64_t period_ns, unsigned int nr_workers)
{
	*f = (struct follow){
		.o = *o, .text = text, .nr_workers = nr_workers, .period_ns = period_ns};
	f->dir_fd = open(o->capture->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

void follow_close(struct follow *f)
{
	if (f->o.capture && f->dir_fd >= 0)
		close(f->dir_fd);
	free(f->next);
	free(f->last_ns);
	*f = (struct follow){0};
}
