// SPDX-License-Identifier: Apache-2.0
#include "streamer/watch/hotplug.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/cpus.h"

#define KERNELS_GROUP 1 /* messages of the kernel itself, not those of udev */
#define MESSAGE_BYTES 4096
#define CPU_DIGITS    6

static int open_socket(void)
{
	struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = KERNELS_GROUP};
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	close(fd);
	return -1;
}

int hotplug_open(struct hotplug *h, hwloc_const_bitmap_t online, struct ts_error *err)
{
	*h = (struct hotplug){.fd = open_socket()};
	h->online = hwloc_bitmap_dup(online);
	h->went = hwloc_bitmap_alloc();
	h->came = hwloc_bitmap_alloc();
	if (h->online && h->went && h->came)
		return 0;
	hotplug_close(h);
	return ts_error_sys(err, ENOMEM, "cannot watch which CPUs are online");
}

void hotplug_take_message(struct hotplug *h, const char *text, size_t len)
{
	static const char head[] = "offline@/devices/system/cpu/cpu";
	size_t cpu = 0, nr = 0, at = sizeof(head) - 1;

	if (len <= at || memcmp(text, head, at) != 0)
		return;
	for (; at < len && text[at] >= '0' && text[at] <= '9' && nr < CPU_DIGITS; at++, nr++)
		cpu = cpu * 10 + (size_t)(text[at] - '0');
	if (nr && (at == len || !text[at]))
		hwloc_bitmap_set(h->went, (unsigned int)cpu);
}

void hotplug_compare(struct hotplug *h, hwloc_const_bitmap_t online)
{
	hwloc_bitmap_t gone = hwloc_bitmap_alloc();

	if (!gone)
		return;
	hwloc_bitmap_andnot(gone, h->online, online);
	hwloc_bitmap_or(h->went, h->went, gone);
	hwloc_bitmap_andnot(h->came, online, h->online);
	hwloc_bitmap_and(gone, h->went, online);
	hwloc_bitmap_or(h->came, h->came, gone);
	hwloc_bitmap_copy(h->online, online);
	hwloc_bitmap_free(gone);
}

/* It is no loss if messages did not fit (ENOBUFS): the online CPUs are read in any case. */
static void take_messages(struct hotplug *h)
{
	char text[MESSAGE_BYTES];
	struct sockaddr_nl from;
	socklen_t from_len = sizeof(from);
	ssize_t len;

	while ((len = recvfrom(h->fd, text, sizeof(text), 0, (struct sockaddr *)&from,
			       &from_len)) >= 0 ||
	       errno == EINTR || errno == ENOBUFS) {
		if (len > 0 && from.nl_pid == 0)
			hotplug_take_message(h, text, (size_t)len);
		from_len = sizeof(from);
	}
}

void hotplug_look(struct hotplug *h)
{
	hwloc_bitmap_t online = hwloc_bitmap_alloc();
	struct ts_error ignored;

	hwloc_bitmap_zero(h->went);
	hwloc_bitmap_zero(h->came);
	if (h->fd >= 0)
		take_messages(h); /* first: the next look sees later messages */
	if (online && ts_cpus_online(online, &ignored) == 0)
		hotplug_compare(h, online);
	hwloc_bitmap_free(online);
}

void hotplug_close(struct hotplug *h)
{
	if (h->fd > 0)
		close(h->fd);
	hwloc_bitmap_free(h->online);
	hwloc_bitmap_free(h->went);
	hwloc_bitmap_free(h->came);
	*h = (struct hotplug){.fd = -1};
}
