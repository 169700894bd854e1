/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Further copy buffers for writers whose disk lags, from a store that all writers share.
 *
 * A writer may not wait for memory, so it asks while it has a buffer left and goes on; the main
 * thread maps and touches as many buffers as that writer has had so far, and hands them over. The
 * store has a bound; nothing is given back before the end. See docs/decisions/0025-supply.md.
 *
 * Threads: supply_ask() and supply_take() for the writer whose slot it is, supply_serve() for the
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

#define SUPPLY_BATCH_MAX 16 /* buffers handed over at once */

enum supply_turn {
	SUPPLY_WRITER, /* nothing is asked for */
	SUPPLY_MAIN,   /* the writer asked */
	SUPPLY_GIVEN,  /* `memory` is the writer's to take; none: there is nothing left */
};

struct supply_slot { /* a writer's */
	/* constant once the writer runs */
	const struct buffer_pool *pool; /* its place and size of buffers; NULL: nobody's */
	int wake_fd;			/* an eventfd in the writer's wait */

	/* shared: ordering note 9 of docs/threads.md */
	_Atomic int turn;

	/* whose turn it is */
	uint32_t nr_wanted;
	uint32_t nr;
	uint8_t *memory[SUPPLY_BATCH_MAX]; /* of pool->buffer_bytes each */
};

struct supply {
	/* constant after init */
	struct supply_slot *slots;
	size_t nr_slots;
	uint64_t max_bytes;
	int fd; /* readable when a writer asked; -1 when released */

	/* main only */
	uint64_t bytes; /* handed over so far */
};

/* The bound of a recording: 256 MiB, or a 64th of the machine's memory where that is less. */
uint64_t supply_default_bytes(void);

int supply_init(struct supply *s, size_t nr_writers, uint64_t max_bytes, struct ts_error *err);
/* Unmaps what nobody took; accepts { .fd = -1 }; idempotent. */
void supply_release(struct supply *s);

/* The slot of writer `number`, for its pool, which outlives the supply's use. */
struct supply_slot *supply_slot(struct supply *s, size_t number, const struct buffer_pool *pool,
				int wake_fd);

/* Writer: asks for some buffers, unless it did already or there are no more. */
void supply_ask(struct supply *s, struct supply_slot *slot, uint32_t nr);
/* Writer: what was given since; 0: nothing. They are its own then. */
uint32_t supply_take(struct supply_slot *slot, uint8_t **ret_memory);

/* Main: gives what was asked for. */
void supply_serve(struct supply *s);

#endif
