// SPDX-License-Identifier: Apache-2.0
/* The vdso of this process, which is the recorded one if its build-id is. */
#include <errno.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "reader/objects/object_file.h"
#include "reader/symbols/module_parts.h"

/* The auxiliary vector has no length of the vdso; it is smaller than this on every architecture. */
#define VDSO_MAX_PAGES 8

/*
 * elf_memory() needs a size. Only loaded pages may be touched, and their number is not known. So
 * the kernel writes the pages into a pipe, which fails with EFAULT where the mapping ends.
 */
static size_t readable_bytes(const uint8_t *image)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 0;
	int fds[2];

	if (pipe(fds))
		return 0;
	while (size < VDSO_MAX_PAGES * page && write(fds[1], image + size, 1) == 1)
		size += page;
	close(fds[0]);
	close(fds[1]);
	return size;
}

static const void *find_vdso(size_t *ret_size)
{
	const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);

	*ret_size = image ? readable_bytes(image) : 0;
	return image;
}

int module_open_vdso(const struct module *m, struct elf_file *ret, struct ts_error *err)
{
	size_t size;
	const void *image = find_vdso(&size);
	int rc;

	if (!size)
		return ts_error_set(err, ENOENT,
				    "cannot read symbols of [vdso]: this process has none");
	rc = elf_file_open_image(ret, image, size, "[vdso]", err);
	return rc ? rc : object_file_check(ret, "[vdso]", &m->build_id, err);
}

int module_vdso_copy(void)
{
	int fd = memfd_create("vdso", MFD_CLOEXEC);
	size_t size;
	const void *image = find_vdso(&size);

	if (fd >= 0 && write(fd, image, size) == (ssize_t)size)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

int module_copy_vdso(const struct module *m, struct ts_error *err)
{
	struct elf_file vdso;
	int rc = module_open_vdso(m, &vdso, err), fd;

	if (rc)
		return rc;
	elf_file_close(&vdso);
	fd = module_vdso_copy();
	return fd < 0 ? ts_error_sys(err, ENOMEM, "cannot copy [vdso]") : fd;
}
