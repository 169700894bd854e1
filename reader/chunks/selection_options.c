// SPDX-License-Identifier: Apache-2.0
#include "reader/chunks/selection_options.h"

enum { /* options without a letter; the commands' own begin at 256 */
       OPTION_TIME = 512,
       OPTION_LAST,
       OPTION_PID,
       OPTION_TID,
       OPTION_SYMBOL_FILTER,
};

static const struct argp_option option_table[] = {
	{"time", OPTION_TIME, "TIMES", 0, NULL, 0},
	{"last", OPTION_LAST, "TIME", 0, NULL, 0},
	{"cpu", 'C', "LIST", 0, NULL, 0},
	{"pid", OPTION_PID, "LIST", 0, NULL, 0},
	{"tid", OPTION_TID, "LIST", 0, NULL, 0},
	{"comms", 'c', "LIST", 0, NULL, 0},
	{"comm", 0, NULL, OPTION_ALIAS, NULL, 0},
	{"dsos", 'd', "LIST", 0, NULL, 0},
	{"dso", 0, NULL, OPTION_ALIAS, NULL, 0},
	{"symbols", 'S', "LIST", 0, NULL, 0},
	{"symbol", 0, NULL, OPTION_ALIAS, NULL, 0},
	{"symbol-filter", OPTION_SYMBOL_FILTER, "TEXT", 0, NULL, 0},
	{0},
};

static error_t take_option(int key, char *arg, struct argp_state *state)
{
	struct selection_text *text = state->input;
	struct ts_error err;

	switch (key) {
	case OPTION_TIME:
		text->time = arg;
		return 0;
	case OPTION_LAST:
		text->last = arg;
		return 0;
	case 'C':
		text->cpus = arg;
		return 0;
	case OPTION_PID:
		text->pids = arg;
		return 0;
	case OPTION_TID:
		text->tids = arg;
		return 0;
	case 'c':
		text->comms = arg;
		return 0;
	case 'd':
		text->dsos = arg;
		return 0;
	case 'S':
		text->symbols = arg;
		return 0;
	case OPTION_SYMBOL_FILTER:
		text->symbol_part = arg;
		return 0;
	case ARGP_KEY_END:
		if (selection_check(text, &err))
			argp_error(state, "%s", err.text);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp selection_argp = {.options = option_table, .parser = take_option};

void selection_check_dump(const struct selection_text *t, struct argp_state *state)
{
	if (t->dsos || t->symbols || t->symbol_part || t->is_known)
		argp_error(state,
			   "cannot dump by object or function: select by --time, --cpu, --pid, "
			   "--tid or --comm");
}
