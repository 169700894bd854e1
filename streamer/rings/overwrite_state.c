// SPDX-License-Identifier: Apache-2.0
#include "streamer/rings/overwrite_state.h"

bool overwrite_state_move(enum overwrite_state *state, enum overwrite_state to)
{
	static const enum overwrite_state next[] = {
		[OVERWRITE_NOTREADY] = OVERWRITE_RUNNING,
		[OVERWRITE_RUNNING] = OVERWRITE_DATA_PENDING,
		[OVERWRITE_DATA_PENDING] = OVERWRITE_EMPTY,
		[OVERWRITE_EMPTY] = OVERWRITE_RUNNING,
	};

	if (next[*state] != to)
		return false;
	*state = to;
	return true;
}
