// SPDX-License-Identifier: Apache-2.0
#include "streamer/machine/proc_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A place in a line that ends at `end` without a NUL. */
struct place {
	const char *at, *end;
};

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return 16;
}

/* Reads a number in base, and the character `then` after it. */
static bool take_number(struct place *p, int base, char then, uint64_t *ret)
{
	const char *from = p->at;
	uint64_t v = 0;

	for (; p->at < p->end && digit(*p->at) < base; p->at++)
		v = v * (uint64_t)base + (uint64_t)digit(*p->at);
	if (p->at == from || p->at == p->end || *p->at != then)
		return false;
	p->at++;
	*ret = v;
	return true;
}

/* "r-xp " */
static bool take_permissions(struct place *p, struct proc_map *ret)
{
	const char *s = p->at;

	if (p->end - s < 5 || s[4] != ' ')
		return false;
	ret->prot = (s[0] == 'r' ? PROT_READ : 0) | (s[1] == 'w' ? PROT_WRITE : 0) |
		    (s[2] == 'x' ? PROT_EXEC : 0);
	ret->flags = s[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	p->at += 5;
	return true;
}

bool proc_parse_map(const char *line, size_t len, struct proc_map *ret)
{
	struct place p = {line, line + len};
	uint64_t maj, min;

	if (!take_number(&p, 16, '-', &ret->start) || !take_number(&p, 16, ' ', &ret->end) ||
	    !take_permissions(&p, ret) || !take_number(&p, 16, ' ', &ret->pgoff) ||
	    !take_number(&p, 16, ':', &maj) || !take_number(&p, 16, ' ', &min))
		return false;
	ret->maj = (uint32_t)maj;
	ret->min = (uint32_t)min;
	/* the kernel writes a space after the inode even if no name follows */
	if (!take_number(&p, 10, ' ', &ret->ino))
		return false;
	while (p.at < p.end && *p.at == ' ')
		p.at++;
	ret->name = p.at;
	ret->name_len = (size_t)(p.end - p.at);
	return ret->end > ret->start;
}

/* The name is in brackets and may contain brackets: the last ')' ends it. */
static const char *take_comm(const char *text, char comm[PROC_COMM_BYTES])
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	size_t len;

	if (!open || !close || close < open)
		return NULL;
	len = (size_t)(close - open - 1);
	if (len > PROC_COMM_BYTES - 1)
		len = PROC_COMM_BYTES - 1;
	memset(comm, 0, PROC_COMM_BYTES);
	memcpy(comm, open + 1, len);
	return close + 1;
}

bool proc_parse_stat(const char *text, struct proc_stat *ret)
{
	const char *rest = take_comm(text, ret->comm);

	/*
	 * state ppid pgrp session tty tpgid flags 4 faults 4 times priority nice threads - - vsize
	 */
	return rest && sscanf(rest,
			      " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
			      "%" SCNu64 " %*d %*u %" SCNu64,
			      &ret->ppid, &ret->nr_threads, &ret->vsize_bytes) == 3;
}

pid_t proc_parse_tgid(const char *status)
{
	const char *line = strstr(status, "\nTgid:");

	return line ? (pid_t)strtol(line + strlen("\nTgid:"), NULL, 10) : 0;
}
