// SPDX-License-Identifier: Apache-2.0
#include "reader/objects/symbol_place_options.h"

enum { /* options without a letter; the commands' own begin at 256 */
       OPTION_SYMFS = 768,
       OPTION_KALLSYMS,
       OPTION_DEBUGINFOD,
       OPTION_FULL_SOURCE_PATH,
};

static const struct argp_option option_table[] = {
	{"symfs", OPTION_SYMFS, "DIR", 0, NULL, 0},
	{"full-source-path", OPTION_FULL_SOURCE_PATH, NULL, OPTION_HIDDEN, NULL, 0},
	{"kallsyms", OPTION_KALLSYMS, "FILE", 0, NULL, 0},
	{"vmlinux", 'k', "FILE", 0, NULL, 0},
	{"debuginfod", OPTION_DEBUGINFOD, "URLS", OPTION_ARG_OPTIONAL, NULL, 0},
	{0},
};

static error_t take_option(int key, char *arg, struct argp_state *state)
{
	struct symbol_places *places = state->input;
	struct ts_error err;
	int rc;

	switch (key) {
	case OPTION_SYMFS:
		rc = symbol_places_set_symfs(places, arg, &err);
		break;
	case OPTION_KALLSYMS:
		rc = symbol_places_set_kallsyms(places, arg, &err);
		break;
	case OPTION_DEBUGINFOD:
		rc = symbol_places_set_servers(places, arg, &err);
		break;
	case 'k':
		rc = symbol_places_set_vmlinux(places, arg, &err);
		break;
	case OPTION_FULL_SOURCE_PATH:
		places->with_source_paths = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (rc)
		argp_error(state, "%s", err.text);
	return 0;
}

const struct argp symbol_place_argp = {.options = option_table, .parser = take_option};
