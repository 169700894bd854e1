// SPDX-License-Identifier: Apache-2.0
#include "streamer/events/event_regs.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* In the order of their bits; NULL: the kernel does not record the register. */
static const char *const names[] = {
#if defined(__x86_64__)
	"ax", "bx", "cx", "dx", "si", "di", "bp",  "sp",  "ip",	 "flags", "cs",	 "ss",
	NULL, NULL, NULL, NULL, "r8", "r9", "r10", "r11", "r12", "r13",	  "r14", "r15",
#elif defined(__aarch64__)
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",	 "x7",	"x8",  "x9",  "x10",
	"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
	"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "lr",  "sp",  "pc",
#elif defined(__riscv)
	"pc", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
	"a1", "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
	"s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
#else
	NULL,
#endif
};

#define NR_NAMES (sizeof(names) / sizeof(names[0]))

static uint64_t bit_of(const char *name, size_t len)
{
	for (size_t i = 0; i < NR_NAMES; i++)
		if (names[i] && strlen(names[i]) == len && !strncasecmp(names[i], name, len))
			return 1ULL << i;
	return 0;
}

static int refuse_register(const char *option, const char *text, size_t len, struct ts_error *err)
{
	char all[256] = "";

	for (size_t i = 0; i < NR_NAMES; i++) {
		if (!names[i])
			continue;
		if (all[0])
			strcat(all, ","); /* 33 names of three letters at most */
		strcat(all, names[i]);
	}
	ts_error_set(err, EINVAL, "cannot use %s '%.*s': there is no such register", option,
		     (int)len, text);
	return ts_error_hint(err, "the registers are %s", all);
}

int event_parse_regs(const char *option, const char *text, uint64_t *ret, struct ts_error *err)
{
	uint64_t mask = 0;

	if (!EVENT_REGS_ALL)
		return ts_error_set(err, EINVAL,
				    "cannot use %s: the registers of this architecture are not "
				    "known",
				    option);
	if (!text) {
		*ret = EVENT_REGS_ALL;
		return 0;
	}
	for (;;) {
		size_t len = strcspn(text, ",");
		uint64_t bit = bit_of(text, len);

		if (!bit)
			return refuse_register(option, text, len, err);
		mask |= bit;
		if (!text[len])
			break;
		text += len + 1;
	}
	*ret = mask;
	return 0;
}
