// SPDX-License-Identifier: Apache-2.0
#include "streamer/events/event_pmu.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/cpus.h"
#include "common/base/text_file.h"

#define DEVICES "/sys/bus/event_source/devices"

static const char *root_of(const char *root)
{
	return root ? root : DEVICES;
}

/* Reads the text of root/pmu/folder/name, without the newline. `folder` may be "". */
static int read_line(const char *root, const char *pmu, const char *folder, const char *name,
		     char buf[PMU_TEXT])
{
	struct ts_bytes text = {0};
	char path[PATH_MAX];
	int rc;

	if (strchr(pmu, '/') || strchr(name, '/') || pmu[0] == '.' || name[0] == '.')
		return -ENOENT;
	if (snprintf(path, sizeof(path), "%s/%s/%s%s%s", root_of(root), pmu, folder,
		     *folder ? "/" : "", name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	rc = ts_text_file_read_word(&text, AT_FDCWD, path);
	if (!rc && (!text.len || text.len >= PMU_TEXT))
		rc = -EINVAL;
	if (!rc)
		memcpy(buf, text.data, text.len + 1);
	ts_bytes_release(&text);
	return rc;
}

static bool has_pmu(const char *root, const char *name)
{
	char text[PMU_TEXT];

	return !read_line(root, name, "", "type", text);
}

/* True for "NAME_7", with or without "uncore_" before it. */
static bool is_numbered(const char *entry, const char *name)
{
	size_t len = strlen(name);

	if (!strncmp(entry, "uncore_", 7) && strncmp(name, "uncore_", 7))
		entry += 7;
	if (strncmp(entry, name, len))
		return false;
	entry += len;
	if (*entry == '_')
		entry++;
	return entry[strspn(entry, "0123456789")] == '\0';
}

static bool fits(const char *entry, const char *name)
{
	return strpbrk(name, "*?[") ? !fnmatch(name, entry, 0) : is_numbered(entry, name);
}

int event_pmu_for_each(const char *root, const char *name, pmu_visit visit, void *ctx,
		       struct ts_error *err)
{
	struct dirent *entry;
	int rc = 0, nr = 0;
	DIR *dir;

	if (has_pmu(root, name)) {
		rc = visit(ctx, name, err);
		return rc ? rc : 1;
	}
	dir = opendir(root_of(root));
	while (dir && !rc && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !fits(entry->d_name, name))
			continue;
		rc = visit(ctx, entry->d_name, err);
		nr++;
	}
	if (dir)
		closedir(dir);
	return rc ? rc : nr;
}

int event_pmu_type(const char *root, const char *pmu, uint32_t *ret_type)
{
	char text[PMU_TEXT], *end;
	unsigned long type;
	int rc = read_line(root, pmu, "", "type", text);

	if (rc)
		return rc;
	errno = 0;
	type = strtoul(text, &end, 10);
	if (errno || end == text || *end || type > UINT32_MAX)
		return -EINVAL;
	*ret_type = type;
	return 0;
}

bool event_pmu_alias(const char *root, const char *pmu, const char *event, char buf[PMU_TEXT])
{
	return !read_line(root, pmu, "events", event, buf);
}

/* False for "energy.scale" and the like: these files describe an event. */
static bool is_event(const char *name)
{
	static const char *const about[] = {".scale", ".unit", ".per-pkg", ".snapshot"};
	const char *dot = strrchr(name, '.');

	if (name[0] == '.')
		return false;
	for (size_t i = 0; dot && i < sizeof(about) / sizeof(about[0]); i++)
		if (!strcmp(dot, about[i]))
			return false;
	return true;
}

int event_pmu_events(const char *root, const char *pmu, pmu_visit visit, void *ctx,
		     struct ts_error *err)
{
	struct dirent *entry;
	char path[PATH_MAX];
	int rc = 0;
	DIR *dir;

	if (snprintf(path, sizeof(path), "%s/%s/events", root_of(root), pmu) >= (int)sizeof(path))
		return 0;
	dir = opendir(path);
	while (dir && !rc && (entry = readdir(dir)))
		if (is_event(entry->d_name))
			rc = visit(ctx, entry->d_name, err);
	if (dir)
		closedir(dir);
	return rc;
}

/* Returns the config word of a format: "config:...", "config1:..." */
static __u64 *word_of(struct perf_event_attr *attr, const char *format)
{
	if (!strncmp(format, "config:", 7))
		return &attr->config;
	if (!strncmp(format, "config1:", 8))
		return &attr->config1;
	if (!strncmp(format, "config2:", 8))
		return &attr->config2;
	return NULL;
}

/* Spreads the low bits of *value over the bits lo..hi of *word and shifts them out. */
static void put_range(__u64 *word, unsigned int lo, unsigned int hi, uint64_t *value)
{
	for (unsigned int bit = lo; bit <= hi; bit++, *value >>= 1)
		if (*value & 1)
			*word |= 1ULL << bit;
}

int event_pmu_put_value(const char *root, const char *pmu, const char *format, uint64_t value,
			struct perf_event_attr *attr)
{
	char text[PMU_TEXT], *at;
	__u64 *word, result;
	int rc = read_line(root, pmu, "format", format, text);

	if (rc)
		return -ENOENT;
	word = word_of(attr, text);
	if (!word)
		return -EINVAL;
	result = *word;
	at = strchr(text, ':');
	do {
		unsigned long lo = strtoul(at + 1, &at, 10), hi = lo;

		if (*at == '-')
			hi = strtoul(at + 1, &at, 10);
		if (hi < lo || hi > 63 || (*at && *at != ','))
			return -EINVAL;
		put_range(&result, lo, hi, &value);
	} while (*at);
	if (value)
		return -ERANGE;
	*word = result;
	return 0;
}

bool event_pmu_cpus(const char *root, const char *pmu, hwloc_bitmap_t ret)
{
	char text[PMU_TEXT];
	struct ts_error err;

	if (read_line(root, pmu, "", "cpumask", text) && read_line(root, pmu, "", "cpus", text))
		return false;
	return !ts_cpus_parse(text, ret, &err) && !hwloc_bitmap_iszero(ret);
}
