# SPDX-License-Identifier: Apache-2.0
common_sources += common/options/command_line.c common/options/command_line.h
common_sources += common/options/completion.c common/options/completion.h
common_sources += common/options/option.c common/options/option.h
common_sources += common/options/option_help.c common/options/option_help.h
common_sources += common/options/print_command.c common/options/print_command.h
EXTRA_DIST += common/options/README.md
