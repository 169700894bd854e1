# SPDX-License-Identifier: Apache-2.0
# The rooms, in the order of the data.
include streamer/machine/local.mk
include streamer/watch/local.mk
include streamer/events/local.mk
include streamer/targets/local.mk
include streamer/layout/local.mk
include streamer/rings/local.mk
include streamer/writer/local.mk
include streamer/plan/local.mk
include streamer/synthesis/local.mk
include streamer/directory/local.mk
include streamer/triggers/local.mk
include streamer/recording/local.mk
include streamer/control/local.mk
include streamer/record/local.mk
