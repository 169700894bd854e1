/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stacks of one event as paths of looks: the command, then the frames from the outermost one to
 * the leaf, or leaf first. Paths that look the same are one, and the paths are sorted. So a tree of
 * them is made in one pass, and a list of them is the same for any number of threads.
 *
 *	sh;main;read    3 samples
 *	sh;main;write   1
 *
 * If unknown frames are joined, those of one look that follow each other are one number, whose run tells how many
 * they are. Paths that differ only in that are one, with the least and the most of all.
 *
 * A comparison has the stacks of two events, each of them on a side of its own. Weights of different
 * events do not add up, so paths of other events have none.
 *
 * Threads: made by one thread, immutable afterwards.
 */
#ifndef TS_READER_PAGE_STACK_PATHS_H
#define TS_READER_PAGE_STACK_PATHS_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/sum.h"
#include "reader/page/frame_looks.h"

enum stack_side {
	STACK_NEW,
	STACK_OLD, /* in a comparison */
	STACK_SIDES,
};

struct stack_weight {
	uint64_t nr_samples, period; /* sums */
};

/* Adds both. */
static inline void stack_weight_add(struct stack_weight *to, const struct stack_weight *more)
{
	to->nr_samples += more->nr_samples;
	to->period = ts_sum(to->period, more->period);
}

/* A part of 0 to 1, by period; events without periods count samples. */
static inline double stack_weight_share(const struct stack_weight *part,
					const struct stack_weight *whole)
{
	const double nr = whole->period ? (double)part->period : (double)part->nr_samples;
	const double of = whole->period ? (double)whole->period : (double)whole->nr_samples;

	return nr < of ? nr / of : of > 0;
}

struct stack_path {
	uint64_t first; /* index into stack_paths.numbers */
	uint32_t nr;	/* looks; at least two, or one if bare */
	uint32_t stack; /* private: its stack, while paths are made */
	struct stack_weight weight[STACK_SIDES];
};

/* So many frames are one look; equal unless paths were joined. More frames than a number holds are the largest. */
struct stack_run {
	uint16_t least, most;
};

struct stack_paths_plan {
	uint32_t events[STACK_SIDES]; /* by side */
	uint32_t nr_sides;	      /* 1 or 2 */
	bool with_others;   /* stacks of other events are paths, too: they weigh nothing */
	bool leaf_first;    /* the leaf, its callers, then the command */
	bool is_bare;	    /* the command is no look of a path */
	bool with_places;   /* stack_paths_find() is wanted */
	bool joins_unknown; /* unknown frames that follow each other, and look alike, are one */
};

struct stack_paths {
	const struct frame_looks *looks; /* names, by the numbers below */
	struct stack_path *items;	 /* owned; sorted */
	size_t nr;
	uint32_t *numbers;	/* owned; of all paths, one after the other */
	struct stack_run *runs; /* owned; of each number; NULL unless joins_unknown */
	uint64_t nr_nodes;	/* of the tree of these paths */
	struct stack_weight weight[STACK_SIDES];
	uint32_t nr_sides;
	/* with_places, else NULL: owned */
	uint64_t *first_of_part; /* the first stack of each part in of_stack[] */
	uint32_t *of_stack;	 /* its path, or STACK_PATHS_NONE */
};

#define STACK_PATHS_NONE UINT32_MAX

/*
 * *a was made with by_comm, and has the frames of *looks, which must outlive *p. Returns 0 or
 * -ENOMEM.
 */
int stack_paths_init(struct stack_paths *p, const struct aggregate *a,
		     const struct frame_looks *looks, const struct stack_paths_plan *plan);
void stack_paths_release(struct stack_paths *p); /* accepts a zeroed one; idempotent */

/* The most looks of a path, at least 1. */
uint32_t stack_paths_longest(const struct stack_paths *p);

/* The path of a stack of the aggregate; STACK_PATHS_NONE: it is of an event that has no paths. */
static inline uint32_t stack_paths_find(const struct stack_paths *p, uint32_t part, uint32_t stack)
{
	return p->of_stack[p->first_of_part[part] + stack];
}

#endif
