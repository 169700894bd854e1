// SPDX-License-Identifier: Apache-2.0
#include "streamer/watch/caller_state.h"

#include <unistd.h>

void caller_state_restore(const struct caller_state *state)
{
	sigaction(SIGCHLD, &state->sigchld, NULL);
	sigaction(SIGXFSZ, &state->sigxfsz, NULL);
	sigprocmask(SIG_SETMASK, &state->mask, NULL);
	if (state->environment)
		environ = (char **)state->environment;
}
