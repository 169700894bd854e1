/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Further copy buffers for writers whose disk lags. All writers share one bound.
 *
 * A writer may not wait for memory. So it asks while it still has a buffer, and goes on. The main
 * thread maps and touches as many buffers as that writer already has (at most 16 at once), and
 * hands them over. All buffers together have a bound. No buffer is given back before the end. See
 * docs/decisions/0025-supply.md.
 *
 * Threads: a writer calls buffer_supply_ask() and buffer_supply_take() for its own slot. Main calls
 * buffer_supply_serve() at any time, buffer_supply_slot() before that writer starts, and
 * buffer_supply_take() once that writer has ended. It calls init and release while no writer runs.
 */
#ifndef TS_STREAMER_WRITER_BUFFER_SUPPLY_H
#define TS_STREAMER_WRITER_BUFFER_SUPPLY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "streamer/writer/buffer.h"

#define BUFFER_SUPPLY_BATCH_MAX 16 /* buffers handed over at once */

enum buffer_supply_turn {
	BUFFER_SUPPLY_WRITER, /* nothing is asked for */
	BUFFER_SUPPLY_MAIN,   /* the writer asked */
	BUFFER_SUPPLY_GIVEN,  /* the writer may take `memory`; nr 0: nothing is left */
};

struct buffer_supply_slot { /* a writer's */
	/* constant once the writer runs */
	const struct buffer_pool *pool; /* says size and memory nodes; NULL: the slot is unused */
	int wake_fd;			/* an eventfd in the writer's wait */

	/* shared: ordering note 9 of docs/threads.md */
	_Atomic int turn;

	/* whose turn it is */
	uint32_t nr_wanted;
	uint32_t nr;
	uint8_t *memory[BUFFER_SUPPLY_BATCH_MAX]; /* of pool->buffer_bytes each */
};

struct buffer_supply {
	/* constant after init */
	struct buffer_supply_slot *slots;
	size_t nr_slots;
	uint64_t max_bytes;
	int fd; /* readable when a writer asked; -1 when released */

	/* main only */
	uint64_t bytes; /* handed over so far */
};

/* The bound for a recording: 256 MiB, or a 64th of the machine's memory if that is less. */
uint64_t buffer_supply_default_bytes(void);

int buffer_supply_init(struct buffer_supply *s, size_t nr_writers, uint64_t max_bytes,
		       struct ts_error *err);
/* Unmaps buffers that nobody took. Accepts { .fd = -1 }. Idempotent. */
void buffer_supply_release(struct buffer_supply *s);

/*
 * Returns the slot of writer `number` and enters its pool. The pool must outlive all use of the
 * slot.
 */
struct buffer_supply_slot *buffer_supply_slot(struct buffer_supply *s, size_t number,
					      const struct buffer_pool *pool, int wake_fd);

/*
 * Writer: asks for `nr` buffers (at most BUFFER_SUPPLY_BATCH_MAX), unless it has asked already or
 * nothing is left.
 */
void buffer_supply_ask(struct buffer_supply *s, struct buffer_supply_slot *slot, uint32_t nr);
/* Takes the buffers that main has given; the caller owns them. Returns their number, maybe 0. */
uint32_t buffer_supply_take(struct buffer_supply_slot *slot, uint8_t **ret_memory);

/* Main: serves all writers that have asked. */
void buffer_supply_serve(struct buffer_supply *s);

#endif
