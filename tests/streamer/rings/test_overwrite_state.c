// SPDX-License-Identifier: Apache-2.0
#include "streamer/rings/overwrite_state.h"

#include <criterion/criterion.h>

Test(overwrite_state, goes_round)
{
	enum overwrite_state state = OVERWRITE_NOTREADY;

	cr_expect(overwrite_state_move(&state, OVERWRITE_RUNNING));
	for (int i = 0; i < 3; i++) {
		cr_expect(overwrite_state_move(&state, OVERWRITE_DATA_PENDING));
		cr_expect(overwrite_state_move(&state, OVERWRITE_EMPTY));
		cr_expect(overwrite_state_move(&state, OVERWRITE_RUNNING));
	}
}

Test(overwrite_state, knows_no_other_step)
{
	static const enum overwrite_state next[] = {OVERWRITE_RUNNING, OVERWRITE_DATA_PENDING,
						    OVERWRITE_EMPTY, OVERWRITE_RUNNING};

	for (enum overwrite_state from = OVERWRITE_NOTREADY; from <= OVERWRITE_EMPTY; from++)
		for (enum overwrite_state to = OVERWRITE_NOTREADY; to <= OVERWRITE_EMPTY; to++) {
			enum overwrite_state state = from;

			cr_expect_eq(overwrite_state_move(&state, to), to == next[from]);
			cr_expect_eq(state, to == next[from] ? to : from);
		}
}
