/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tstream record: options to plan, plan to recording, recording to exit status.
 *
 * Threads: main thread.
 */
#ifndef TS_STREAMER_RECORD_CMD_RECORD_H
#define TS_STREAMER_RECORD_CMD_RECORD_H

#include "streamer/plan/record_options.h" /* cmd_record_line */

/*
 * argv[0] is the command's name. Returns the exit status, or ends by a signal where that is right.
 */
int cmd_record(int argc, char **argv);

#endif
