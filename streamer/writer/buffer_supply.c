// SPDX-License-Identifier: Apache-2.0
#include "streamer/writer/buffer_supply.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/min_max.h"
#include "common/base/wakeup.h"

#define BYTES_MAX   (256ull << 20)
#define MEMORY_PART 64

uint64_t buffer_supply_default_bytes(void)
{
	long pages = sysconf(_SC_PHYS_PAGES);
	uint64_t part =
		pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) / MEMORY_PART : 0;

	return ts_min(part, BYTES_MAX);
}

int buffer_supply_init(struct buffer_supply *s, size_t nr_writers, uint64_t max_bytes,
		       struct ts_error *err)
{
	*s = (struct buffer_supply){.max_bytes = max_bytes, .nr_slots = nr_writers, .fd = -1};
	s->slots = calloc(nr_writers + 1, sizeof(*s->slots));
	if (s->slots)
		s->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->fd >= 0)
		return 0;
	ts_error_sys(err, s->slots ? errno : ENOMEM, "cannot prepare the supply of copy buffers");
	buffer_supply_release(s);
	return -err->code;
}

void buffer_supply_release(struct buffer_supply *s)
{
	uint8_t *memory[BUFFER_SUPPLY_BATCH_MAX];
	size_t i;
	uint32_t nr;

	for (i = 0; s->slots && i < s->nr_slots; i++)
		for (nr = buffer_supply_take(&s->slots[i], memory); nr > 0; nr--)
			munmap(memory[nr - 1], s->slots[i].pool->buffer_bytes);
	free(s->slots);
	s->slots = NULL;
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

struct buffer_supply_slot *buffer_supply_slot(struct buffer_supply *s, size_t number,
					      const struct buffer_pool *pool, int wake_fd)
{
	struct buffer_supply_slot *slot = &s->slots[number];

	slot->pool = pool;
	slot->wake_fd = wake_fd;
	return slot;
}

void buffer_supply_ask(struct buffer_supply *s, struct buffer_supply_slot *slot, uint32_t nr)
{
	if (atomic_load_explicit(&slot->turn, memory_order_relaxed) != BUFFER_SUPPLY_WRITER)
		return;
	slot->nr_wanted = ts_min(nr, BUFFER_SUPPLY_BATCH_MAX);
	/* Release: partner is the acquire in buffer_supply_serve(), which reads nr_wanted. */
	atomic_store_explicit(&slot->turn, BUFFER_SUPPLY_MAIN, memory_order_release);
	ts_wakeup_send(s->fd);
}

uint32_t buffer_supply_take(struct buffer_supply_slot *slot, uint8_t **ret_memory)
{
	uint32_t nr;

	/* Acquire: partner is the release in give_buffer(), which filled `memory`. */
	if (atomic_load_explicit(&slot->turn, memory_order_acquire) != BUFFER_SUPPLY_GIVEN ||
	    !slot->nr)
		return 0; /* main gave none: the turn stays, so the writer asks no more */
	nr = slot->nr;
	memcpy(ret_memory, slot->memory, nr * sizeof(*ret_memory));
	slot->nr = 0;
	atomic_store_explicit(&slot->turn, BUFFER_SUPPLY_WRITER, memory_order_relaxed);
	return nr;
}

static void give_buffer(struct buffer_supply *s, struct buffer_supply_slot *slot)
{
	size_t bytes = slot->pool->buffer_bytes;

	slot->nr = 0;
	while (slot->nr < slot->nr_wanted && s->bytes + bytes <= s->max_bytes) {
		uint8_t *memory = buffer_map_memory(slot->pool);

		if (!memory)
			break;
		slot->memory[slot->nr++] = memory;
		s->bytes += bytes;
	}
	atomic_store_explicit(&slot->turn, BUFFER_SUPPLY_GIVEN, memory_order_release);
	ts_wakeup_send(slot->wake_fd);
}

void buffer_supply_serve(struct buffer_supply *s)
{
	ts_wakeup_take(s->fd);
	for (size_t i = 0; i < s->nr_slots; i++)
		if (atomic_load_explicit(&s->slots[i].turn, memory_order_acquire) ==
		    BUFFER_SUPPLY_MAIN)
			give_buffer(s, &s->slots[i]);
}
