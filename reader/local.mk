# SPDX-License-Identifier: Apache-2.0
# The rooms, in the order of the data.
include reader/runtime/local.mk
include reader/capture/local.mk
include reader/chunks/local.mk
include reader/tasks/local.mk
include reader/objects/local.mk
include reader/cfi/local.mk
include reader/symbols/local.mk
include reader/order/local.mk
include reader/tracepoints/local.mk
include reader/samples/local.mk
include reader/stacks/local.mk
include reader/rows/local.mk
include reader/trust/local.mk
include reader/dump/local.mk
include reader/page/local.mk
include reader/commands/local.mk
include reader/html/local.mk
include reader/encoding/local.mk
include reader/parquet/local.mk
include reader/report/local.mk
include reader/export/local.mk
include reader/script/local.mk
include reader/archive/local.mk
include reader/check/local.mk
include reader/merge/local.mk
include reader/compact/local.mk
