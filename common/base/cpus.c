// SPDX-License-Identifier: Apache-2.0
#include "common/base/cpus.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/bytes.h"
#include "common/base/text_file.h"

#define SYSFS_CPU "/sys/devices/system/cpu/"

static int no_memory(struct ts_error *err, const char *what)
{
	return ts_error_sys(err, ENOMEM, "cannot %s", what);
}

/* Reads one number at *at and moves *at behind it. */
static int parse_cpu(const char *list, const char **at, unsigned int *ret, struct ts_error *err)
{
	unsigned long cpu;
	char *end;

	if (!isdigit((unsigned char)**at))
		return **at ? ts_error_set(err, EINVAL,
					   "cannot read CPUs '%s': a number is expected at '%s'",
					   list, *at)
			    : ts_error_set(err, EINVAL,
					   "cannot read CPUs '%s': a number is missing at its end",
					   list);
	errno = 0;
	cpu = strtoul(*at, &end, 10);
	if (errno || cpu >= TS_CPUS_MAX)
		return ts_error_set(err, EINVAL,
				    "cannot read CPUs '%s': no CPU has the number %.*s", list,
				    (int)(end - *at), *at);
	*at = end;
	*ret = cpu;
	return 0;
}

/* Reads "N" or "N-M" at *at. */
static int parse_range(const char *list, const char **at, hwloc_bitmap_t set, struct ts_error *err)
{
	unsigned int first, last;
	int rc = parse_cpu(list, at, &first, err);

	if (rc)
		return rc;
	last = first;
	if (**at == '-') {
		(*at)++;
		rc = parse_cpu(list, at, &last, err);
		if (rc)
			return rc;
	}
	if (last < first)
		return ts_error_set(err, EINVAL, "cannot read CPUs '%s': %u-%u runs backwards",
				    list, first, last);
	return hwloc_bitmap_set_range(set, first, last) ? no_memory(err, "read CPUs") : 0;
}

static int parse_list(const char *list, hwloc_bitmap_t set, struct ts_error *err)
{
	const char *at = list;
	int rc;

	while (*at && *at != '\n') {
		rc = parse_range(list, &at, set, err);
		if (rc)
			return rc;
		if (*at == ',')
			at++;
		else if (*at && *at != '\n')
			return ts_error_set(
				err, EINVAL,
				"cannot read CPUs '%s': a comma or the end is expected at '%s'",
				list, at);
	}
	return 0;
}

int ts_cpus_parse(const char *list, hwloc_bitmap_t set, struct ts_error *err)
{
	hwloc_bitmap_t parsed = hwloc_bitmap_alloc();
	int rc;

	if (!parsed)
		return no_memory(err, "read CPUs");
	rc = parse_list(list, parsed, err);
	if (!rc && hwloc_bitmap_copy(set, parsed))
		rc = no_memory(err, "read CPUs");
	hwloc_bitmap_free(parsed);
	return rc;
}

char *ts_cpus_text(hwloc_const_bitmap_t set)
{
	struct ts_bytes text;
	int first = hwloc_bitmap_first(set), last;

	ts_bytes_init(&text);
	while (first >= 0) {
		last = first;
		while (hwloc_bitmap_isset(set, last + 1))
			last++;
		ts_bytes_printf(&text, text.len ? ",%d" : "%d", first);
		if (last > first)
			ts_bytes_printf(&text, "-%d", last);
		first = hwloc_bitmap_next(set, last);
	}
	ts_bytes_zero(&text, 1);
	if (ts_bytes_failed(&text)) {
		ts_bytes_release(&text);
		return NULL;
	}
	return (char *)text.data;
}

/* Reads a file that holds one list. With `optional` a missing file counts as an empty list. */
static int read_list(const char *path, bool optional, hwloc_bitmap_t set, struct ts_error *err)
{
	struct ts_bytes text = {0};
	int rc = ts_text_file_read_word(&text, AT_FDCWD, path);
	const char *list = (const char *)text.data;

	if (rc == -ENOENT && optional) {
		hwloc_bitmap_zero(set);
		rc = 0;
	} else if (rc) {
		ts_error_sys(err, -rc, "cannot read %s", path);
	} else { /* nohz_full holds "(null)" if the kernel has no nohz_full= parameter */
		rc = ts_cpus_parse(*list != ' ' && *list != '(' ? list : "", set, err);
	}
	ts_bytes_release(&text);
	return rc;
}

int ts_cpus_online(hwloc_bitmap_t set, struct ts_error *err)
{
	return read_list(SYSFS_CPU "online", false, set, err);
}

int ts_cpus_present(hwloc_bitmap_t set, struct ts_error *err)
{
	return read_list(SYSFS_CPU "present", false, set, err);
}

int ts_cpus_isolated(hwloc_bitmap_t set, struct ts_error *err)
{
	hwloc_bitmap_t tickless = hwloc_bitmap_alloc();
	int rc;

	if (!tickless)
		return no_memory(err, "read CPUs");
	rc = read_list(SYSFS_CPU "isolated", true, set, err);
	if (!rc)
		rc = read_list(SYSFS_CPU "nohz_full", true, tickless, err);
	if (!rc && hwloc_bitmap_or(set, set, tickless))
		rc = no_memory(err, "read CPUs");
	hwloc_bitmap_free(tickless);
	return rc;
}

static int copy_mask(const cpu_set_t *mask, size_t bytes, hwloc_bitmap_t set)
{
	hwloc_bitmap_zero(set);
	for (size_t cpu = 0; cpu < bytes * 8; cpu++)
		if (CPU_ISSET_S(cpu, bytes, mask) && hwloc_bitmap_set(set, cpu))
			return -1;
	return 0;
}

int ts_cpus_allowed(hwloc_bitmap_t set, struct ts_error *err)
{
	/* The kernel refuses a mask that is shorter than its own: the mask grows until it fits. */
	for (size_t nr = 1024; nr <= TS_CPUS_MAX; nr *= 2) {
		size_t bytes = CPU_ALLOC_SIZE(nr);
		cpu_set_t *mask = CPU_ALLOC(nr);
		int rc;

		if (!mask)
			return no_memory(err, "read the allowed CPUs");
		if (!sched_getaffinity(0, bytes, mask)) {
			rc = copy_mask(mask, bytes, set);
			CPU_FREE(mask);
			return rc ? no_memory(err, "read the allowed CPUs") : 0;
		}
		CPU_FREE(mask);
		if (errno != EINVAL)
			break;
	}
	return ts_error_sys(err, errno, "cannot read the allowed CPUs");
}

int ts_cpus_node(unsigned int cpu)
{
	char path[64];
	struct dirent *entry;
	int node = -1;
	DIR *folder;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u", cpu);
	folder = opendir(path);
	if (!folder)
		return -1;
	/* The entry "node3" is a link to the node's folder. */
	while (node < 0 && (entry = readdir(folder)))
		if (sscanf(entry->d_name, "node%d", &node) != 1)
			node = -1;
	closedir(folder);
	return node;
}

unsigned int ts_cpus_count_allowed(void)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	struct ts_error ignored;
	int nr = 1;

	if (set && !ts_cpus_allowed(set, &ignored))
		nr = hwloc_bitmap_weight(set);
	hwloc_bitmap_free(set);
	return nr > 1 ? (unsigned int)nr : 1;
}
