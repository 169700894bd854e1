// SPDX-License-Identifier: Apache-2.0
#include "reader/page/frame_palette.h"

const struct frame_palette_row frame_palette[FRAME_KIND_NR] = {
	[FRAME_KIND_USER] = {"user", "f9ca55", "807303"},
	[FRAME_KIND_KERNEL] = {"kernel", "d9694f", "6b3010"},
	[FRAME_KIND_INLINED] = {"inlined", "58a8f0", "0a3f86"},
	[FRAME_KIND_JIT] = {"jit", "b4efc6", "5c7a6a"},
	[FRAME_KIND_UNKNOWN] = {"unknown", "a09aa0", "545a62"},
	[FRAME_KIND_COMMAND] = {"command", "d8c4e8", "a545c4"},
};
