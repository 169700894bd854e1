# SPDX-License-Identifier: Apache-2.0
common_sources += common/json/json.c common/json/json.h
common_sources += common/json/json_parse.c
common_sources += common/json/json_print.c
common_sources += common/json/json_tree.h
EXTRA_DIST += common/json/README.md
