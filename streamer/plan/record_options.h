/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line of `tstream record`, read into one struct: perf's words, each checked alone.
 *
 * Reading prints nothing and opens nothing. Questions to the machine (does the event exist, may
 * this user do that) are answered where the option is used. Only the words of -e are looked up at
 * once, so that the error sentence can name them.
 *
 * Threads: main thread, before all others.
 */
#ifndef TS_STREAMER_PLAN_RECORD_OPTIONS_H
#define TS_STREAMER_PLAN_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/notes.h"
#include "common/options/command_line.h"
#include "streamer/events/event.h"
#include "streamer/events/event_attr.h"
#include "streamer/plan/trigger_options.h"
#include "streamer/targets/target.h"
#include "streamer/watch/disk_watch.h"

#define RECORD_DELAY_FOREVER (-1) /* -D -1: until `enable` comes */
#define RECORD_OUTPUT	     "tstream.data"

enum record_io { RECORD_IO_AUTO, RECORD_IO_URING, RECORD_IO_PWRITE };

struct switch_output {	   /* --switch-output */
	bool is_on;	   /* SIGUSR1 and SIGUSR2 make a cut, and so do: */
	uint64_t bytes;	   /* so many bytes written; 0: never */
	uint64_t every_ns; /* so much time; 0: never */
};

struct memory_history { /* -M */
	bool is_on;
	uint64_t bytes;	    /* to be held; 0: half of what is free in /dev/shm */
	uint64_t span_ns;   /* 0: as long as the bytes last */
	uint64_t before_ns; /* --before; 0: a snapshot has all that is held */
};

struct record_options {
	/* targets and events */
	struct target target;
	bool has_target;      /* one of -a -C -p -t was given */
	bool all_cpus;	      /* -a was */
	bool filters_trigger; /* --filter is for --switch-output-event, which came last */
	struct event_list events;
	struct event_options event;
	bool has_clock;		    /* -k was given */
	bool inherits;		    /* --inherit was given */
	bool exclude_self;	    /* leave the recorder itself out, where the kernel can */
	const char *before_command; /* the word in argv before it */
	char **command;		    /* NULL-terminated, within argv; NULL: none */

	/* how to record */
	uint64_t sideband_pages; /* -m, of a ring of side-band; 0: default */

	const char *threads;   /* value of --threads, "" for none; NULL: not given */
	uint64_t ring_pages;   /* -m; 0: default */
	uint64_t flush_ns;     /* --flush */
	uint64_t sync_ns;      /* --sync; 0: not given */
	enum record_io io;     /* --io */
	bool io_buffered;      /* through the page cache, also where direct writes are whole */
	int realtime;	       /* -r: SCHED_FIFO priority; 0: not given */
	int compress_level;    /* -z, of zstd; 0: none */
	bool has_level;	       /* -z was given */
	int64_t delay_ms;      /* -D; 0: none, RECORD_DELAY_FOREVER */
	uint64_t map_limit_ms; /* --proc-map-timeout; 0: default */
	const char *control;   /* --control; NULL: none */
	bool is_daemon;	       /* --daemon */
	const char *socket;    /* --socket; NULL: OUT.ctl, where there are several directories */
	uint64_t dead_man_ns;  /* --dead-man; 0: never */
	const char *output;    /* -o */
	struct disk_min_free min_free; /* --min-free */
	uint64_t max_bytes;	       /* --max-size; 0: none */
	struct switch_output switch_output;
	uint64_t switch_max_files;	 /* --switch-max-files; 0: all are kept */
	uint64_t keep_bytes;		 /* --keep-bytes; 0: all are kept */
	struct memory_history memory;	 /* -M */
	struct trigger_options triggers; /* --switch-output-event, --trigger */
	bool timestamp_filename;
	const char *on_snapshot; /* --on-snapshot; NULL: none */
	bool archives;		 /* --archive: finished directories get their symbols */

	/* messages */
	bool dry_run;
	bool help;
	enum ts_log_level level;
	struct ts_notes notes; /* owned: options that are accepted but mean something else here */
};

/*
 * Sets the defaults, then reads argv[1] and the words after it. 0, or -EINVAL. With `help` set,
 * nothing else counts.
 */
int record_options_read(struct record_options *options, int argc, char **argv,
			struct ts_error *err);
/*
 * For an error about a command that does not exist. If the word may have been meant as the value of
 * the option before it, and such a value is written differently, adds a hint.
 */
void record_options_explain_command(const struct record_options *options, struct ts_error *err);
void record_options_release(struct record_options *options); /* accepts a zeroed one */

/* The command line of `tstream record`. */
extern const struct ts_command cmd_record_line;

#endif
