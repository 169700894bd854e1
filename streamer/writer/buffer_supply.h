/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Further copy buffers for writers whose disk lags, from a store that all writers share.
 *
 * A writer may not wait for memory, so it asks while it has a buffer left and goes on; the main
 * thread maps and touches as many buffers as that writer has had so far, and hands them over. The
 * store has a bound; nothing is given back before the end. See docs/decisions/0025-supply.md.
 *
 * Threads: buffer_supply_ask() and buffer_supply_take() for the writer whose slot it is, buffer_supply_serve() for the
 * main thread, at any time; the others for the main thread while no writer runs.
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
	BUFFER_SUPPLY_GIVEN,  /* `memory` is the writer's to take; none: there is nothing left */
};

struct buffer_supply_slot { /* a writer's */
	/* constant once the writer runs */
	const struct buffer_pool *pool; /* its place and size of buffers; NULL: nobody's */
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

/* The bound of a recording: 256 MiB, or a 64th of the machine's memory where that is less. */
uint64_t buffer_supply_default_bytes(void);

int buffer_supply_init(struct buffer_supply *s, size_t nr_writers, uint64_t max_bytes,
		       struct ts_error *err);
/* Unmaps what nobody took; accepts { .fd = -1 }; idempotent. */
void buffer_supply_release(struct buffer_supply *s);

/* The slot of writer `number`, for its pool, which outlives the supply's use. */
struct buffer_supply_slot *buffer_supply_slot(struct buffer_supply *s, size_t number,
					      const struct buffer_pool *pool, int wake_fd);

/* Writer: asks for some buffers, unless it did already or there are no more. */
void buffer_supply_ask(struct buffer_supply *s, struct buffer_supply_slot *slot, uint32_t nr);
/* Writer: what was given since; 0: nothing. They are its own then. */
uint32_t buffer_supply_take(struct buffer_supply_slot *slot, uint8_t **ret_memory);

/* Main: gives what was asked for. */
void buffer_supply_serve(struct buffer_supply *s);

#endif
