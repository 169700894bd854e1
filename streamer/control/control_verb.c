// SPDX-License-Identifier: Apache-2.0
#include "streamer/control/control_verb.h"

#include <string.h>

static const struct {
	const char *word;
	enum control_verb verb;
} words[] = {
	{"enable", CONTROL_ENABLE}, {"disable", CONTROL_DISABLE}, {"stop", CONTROL_STOP},
	{"ping", CONTROL_PING},	    {"evlist", CONTROL_EVLIST},	  {"snapshot", CONTROL_SNAPSHOT},
	{"rotate", CONTROL_ROTATE}, {"status", CONTROL_STATUS},
};

enum control_verb control_verb_parse(const char *line, char *argument)
{
	if (strnlen(line, CONTROL_LINE_BYTES) == CONTROL_LINE_BYTES)
		return CONTROL_UNKNOWN;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t len = strlen(words[i].word);

		if (strncmp(line, words[i].word, len))
			continue;
		strcpy(argument, line + len + strspn(line + len, " "));
		return words[i].verb;
	}
	return CONTROL_UNKNOWN;
}
