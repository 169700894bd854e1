# SPDX-License-Identifier: Apache-2.0
# The rooms, in the order of the data.
include common/base/local.mk
include common/json/local.mk
include common/options/local.mk
include common/perf/local.mk
include common/stream/local.mk
include common/directory/local.mk
