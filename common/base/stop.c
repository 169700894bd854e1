// SPDX-License-Identifier: Apache-2.0
#include "common/base/stop.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/base/wakeup.h"

int ts_stop_init(struct ts_stop *stop, struct ts_error *err)
{
	atomic_init(&stop->raised, false);
	stop->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (stop->fd < 0)
		return ts_error_sys(err, errno, "cannot create an eventfd for stopping");
	return 0;
}

void ts_stop_release(struct ts_stop *stop)
{
	if (stop->fd >= 0)
		close(stop->fd);
	stop->fd = -1;
}

void ts_stop_raise(struct ts_stop *stop)
{
	/* Release: partner is the acquire in ts_stop_is_raised(). */
	atomic_store_explicit(&stop->raised, true, memory_order_release);
	ts_wakeup_send(stop->fd);
}

void ts_stop_lower(struct ts_stop *stop)
{
	atomic_store_explicit(&stop->raised, false, memory_order_relaxed);
	ts_wakeup_take(stop->fd);
}

bool ts_stop_is_raised(const struct ts_stop *stop)
{
	/* Acquire: partner is the release in ts_stop_raise(). */
	return atomic_load_explicit(&stop->raised, memory_order_acquire);
}
