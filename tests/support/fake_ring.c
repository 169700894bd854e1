// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/clock.h"

static void need(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	abort();
}

void fake_ring_init(struct fake_ring *f, size_t data_bytes)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *map;

	memset(f, 0, sizeof(*f));
	f->size_bytes = data_bytes;
	f->map_bytes = page_bytes + data_bytes;
	f->watermark_bytes = ring_watermark_bytes(data_bytes, true);
	f->id = 1;
	f->mem_fd = memfd_create("fake ring", MFD_CLOEXEC);
	need(f->mem_fd >= 0 && ftruncate(f->mem_fd, (off_t)f->map_bytes) == 0, "memfd");
	f->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	need(f->ready_fd >= 0, "eventfd");
	map = mmap(NULL, f->map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, f->mem_fd, 0);
	need(map != MAP_FAILED, "mmap");
	f->page = (struct perf_event_mmap_page *)map;
	f->data = map + page_bytes;
	f->page->data_offset = page_bytes;
	f->page->data_size = data_bytes;
}

void fake_ring_release(struct fake_ring *f)
{
	if (f->map_bytes)
		munmap(f->page, f->map_bytes);
	close(f->mem_fd);
	close(f->ready_fd);
	memset(f, 0, sizeof(*f));
}

void fake_ring_open(struct fake_ring *f, struct ring *r, uint32_t number, enum ts_ring_kind kind)
{
	struct ring_id id = {.number = number, .cpu = f->cpu, .kind = kind};
	struct ts_error err;

	if (ring_open(r, &id, f->mem_fd, f->ready_fd, f->size_bytes, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	munmap(f->page, f->map_bytes);
	f->map_bytes = 0;
	f->page = r->page;
	f->data = r->data;
}

void fake_ring_start_at(struct fake_ring *f, uint64_t pos)
{
	f->head_pos = pos;
	f->wakeup_pos = pos;
	f->seen_tail_pos = pos;
	f->page->data_head = pos;
	f->page->data_tail = pos;
}

void fake_ring_wake(struct fake_ring *f)
{
	const uint64_t one = 1;

	need(write(f->ready_fd, &one, sizeof(one)) == sizeof(one), "eventfd");
}

static void put_bytes(struct fake_ring *f, const void *from, size_t len)
{
	size_t off = f->head_pos & (f->size_bytes - 1);
	size_t until_end = f->size_bytes - off;
	size_t first = len < until_end ? len : until_end;

	memcpy(f->data + off, from, first);
	memcpy(f->data, (const uint8_t *)from + first, len - first);
	f->head_pos += len;
}

static void put_lost(struct fake_ring *f)
{
	uint64_t words[FAKE_LOST_BYTES / 8] = {0};
	struct perf_event_header hdr = {.type = PERF_RECORD_LOST, .size = FAKE_LOST_BYTES};

	memcpy(words, &hdr, sizeof(hdr));
	words[1] = f->id;
	words[2] = f->pending_lost;
	words[4] = ts_clock_now_ns();
	words[5] = f->cpu;
	words[6] = f->id;
	put_bytes(f, words, sizeof(words));
	f->pending_lost = 0;
}

/* How long the consumer takes, seen from the producer's side. */
static void note_gap(struct fake_ring *f, uint64_t tail_pos)
{
	uint64_t gap_ns;

	if (tail_pos != f->seen_tail_pos) {
		f->seen_tail_pos = tail_pos;
		gap_ns = f->over_since_ns ? ts_clock_now_ns() - f->over_since_ns : 0;
		f->gap_max_ns = gap_ns > f->gap_max_ns ? gap_ns : f->gap_max_ns;
		f->over_since_ns = 0;
	}
	if (!f->over_since_ns && f->head_pos - tail_pos > f->watermark_bytes)
		f->over_since_ns = ts_clock_now_ns();
}

bool fake_ring_put(struct fake_ring *f, const void *record)
{
	struct perf_event_header hdr;
	uint64_t tail_pos, needed;

	memcpy(&hdr, record, sizeof(hdr));
	/* Acquire: partner is the release of data_tail in ring.c. */
	tail_pos = __atomic_load_n(&f->page->data_tail, __ATOMIC_ACQUIRE);
	note_gap(f, tail_pos);
	needed = hdr.size + (f->pending_lost ? FAKE_LOST_BYTES : 0);
	if (f->head_pos - tail_pos + needed > f->size_bytes) {
		f->pending_lost++;
		f->lost++;
		return false;
	}
	if (f->pending_lost)
		put_lost(f);
	put_bytes(f, record, hdr.size);
	/* Release: partner is the acquire of data_head in ring.c. */
	__atomic_store_n(&f->page->data_head, f->head_pos, __ATOMIC_RELEASE);
	if (f->head_pos - f->wakeup_pos > f->watermark_bytes) {
		f->wakeup_pos += f->watermark_bytes;
		fake_ring_wake(f);
	}
	return true;
}

bool fake_ring_put_sample(struct fake_ring *f, size_t size_bytes)
{
	static _Thread_local uint64_t words[65536 / 8];
	struct perf_event_header hdr = {
		.type = PERF_RECORD_SAMPLE,
		.misc = PERF_RECORD_MISC_USER,
		.size = (uint16_t)size_bytes,
	};
	size_t i;

	memcpy(words, &hdr, sizeof(hdr));
	words[1] = f->id;
	words[2] = f->next_number;
	words[3] = 0;
	words[4] = ts_clock_now_ns();
	words[5] = f->cpu;
	words[6] = 1;
	for (i = FAKE_SAMPLE_BYTES_MIN / 8; i < size_bytes / 8; i++)
		words[i] = f->next_number;
	if (!fake_ring_put(f, words))
		return false;
	f->next_number++;
	f->written++;
	return true;
}

uint64_t fake_sample_number(const void *record)
{
	uint64_t number;

	memcpy(&number, (const uint8_t *)record + 16, sizeof(number));
	return number;
}

static void sleep_us(uint64_t us)
{
	struct timespec ts = ts_clock_timespec(us * TS_NS_PER_US);

	nanosleep(&ts, NULL);
}

/* A room that never comes must end the test, not hang it. */
static void put_waiting(struct fake_ring *f, size_t size_bytes)
{
	uint64_t until_ns = ts_clock_now_ns() + 20 * TS_NS_PER_SEC;

	while (!fake_ring_put_sample(f, size_bytes)) {
		f->pending_lost--;
		f->lost--;
		fake_ring_wake(f);
		need(ts_clock_now_ns() < until_ns, "fake ring: nobody drains it");
		sleep_us(200);
	}
}

static void produce(void *arg)
{
	struct fake_producer *p = arg;
	size_t steps = (p->size_max - p->size_min) / 8 + 1;
	uint64_t i;

	for (i = 0; i < p->nr_samples; i++) {
		size_t size = p->size_min + 8 * ((i * 7919) % steps);

		if (p->waits)
			put_waiting(p->ring, size);
		else if (!fake_ring_put_sample(p->ring, size))
			p->ring->next_number++;
		if (p->pause_us && (i + 1) % p->burst == 0)
			sleep_us(p->pause_us);
	}
}

void fake_producer_start(struct fake_producer *p, unsigned number)
{
	struct ts_error err;
	char name[TS_THREAD_NAME_BYTES];

	snprintf(name, sizeof(name), "producer-%u", number % 1000);
	need(ts_thread_start(&p->thread, name, NULL, 0, produce, p, &err) == 0, "producer");
}

void fake_producer_join(struct fake_producer *p)
{
	ts_thread_join(&p->thread);
}
