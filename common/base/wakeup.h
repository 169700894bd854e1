/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wakes a thread that polls an eventfd. The counter of an eventfd carries no message: the thread
 * that is woken looks at flags, which have an order of their own.
 *
 * Threads: any, at the same time.
 */
#ifndef TS_COMMON_BASE_WAKEUP_H
#define TS_COMMON_BASE_WAKEUP_H

/* Makes the descriptor readable. If its counter is full, it is readable already. */
void ts_wakeup_send(int fd);
/*
 * Takes all wakeups so far: the descriptor is not readable until the next one. Without any, waits
 * for one only if the descriptor blocks.
 */
void ts_wakeup_take(int fd);

#endif
