// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/units.h"
#include "streamer/triggers/trigger_parts.h"

#define NS_PER_US 1000

/* A time that ends at `end` of the text. */
static bool take_time(const char *text, size_t len, uint64_t *ret_us)
{
	char copy[32];
	uint64_t ns;

	if (len >= sizeof(copy))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	if (ts_parse_time(copy, 0, &ns) < 0)
		return false;
	*ret_us = ns / NS_PER_US;
	return *ret_us > 0;
}

static const char *take_resource(const char **at)
{
	static const char *const names[] = {"cpu", "memory", "io"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t len = strlen(names[i]);

		if (strncmp(*at, names[i], len) || (*at)[len] != ':')
			continue;
		*at += len + 1;
		return names[i];
	}
	return NULL;
}

static bool parse(const char *text, struct trigger_psi *psi)
{
	const char *at = text, *slash, *end;

	*psi = (struct trigger_psi){.text = text};
	if (strncmp(at, "psi:", 4) != 0)
		return false;
	at += 4;
	psi->resource = take_resource(&at);
	slash = strchr(at, '/');
	if (!psi->resource || !slash)
		return false;
	end = slash + strcspn(slash, ":");
	return take_time(at, (size_t)(slash - at), &psi->stall_us) &&
	       take_time(slash + 1, (size_t)(end - slash - 1), &psi->window_us) &&
	       psi->stall_us <= psi->window_us && trigger_take_action(end, &psi->action);
}

int trigger_add_psi(struct trigger_options *o, const char *text, struct ts_error *err)
{
	struct trigger_psi psi;

	if (!parse(text, &psi)) {
		ts_error_set(err, EINVAL,
			     "cannot use --trigger '%s': it must be event:EVENT, or psi:cpu, "
			     "psi:memory or psi:io, then :STALL/WINDOW",
			     text);
		return ts_error_hint(err,
				     "as in psi:memory:100ms/1s; each may have :stop behind it");
	}
	if (o->nr_psi == TRIGGER_PSI_MAX)
		return ts_error_set(err, EINVAL, "cannot use --trigger '%s': %d others are enough",
				    text, TRIGGER_PSI_MAX);
	o->psi[o->nr_psi++] = psi;
	return 0;
}

int trigger_psi_open(const struct trigger_psi *psi, struct ts_error *err)
{
	char path[64], words[64];
	int fd, code, len;

	snprintf(path, sizeof(path), "/proc/pressure/%s", psi->resource);
	len = snprintf(words, sizeof(words), "some %llu %llu", (unsigned long long)psi->stall_us,
		       (unsigned long long)psi->window_us);
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		ts_error_sys(err, errno, "cannot use --trigger '%s': cannot open %s", psi->text,
			     path);
		return err->code == ENOENT || err->code == EOPNOTSUPP
			       ? ts_error_hint(err, "this kernel does not watch pressure (psi=1)")
			       : -err->code;
	}
	if (write(fd, words, (size_t)len + 1) >= 0)
		return fd;
	code = errno;
	close(fd);
	ts_error_sys(err, code, "cannot use --trigger '%s': the kernel refuses it", psi->text);
	return code == EINVAL
		       ? ts_error_hint(err, "a window has 500ms to 10s, and for ordinary users "
					    "a multiple of 2s")
		       : -code;
}
