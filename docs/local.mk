# SPDX-License-Identifier: Apache-2.0
# Manual pages (dist_man_MANS) and documents (EXTRA_DIST), one a line, each line complete.
dist_man_MANS += docs/tstream.1
EXTRA_DIST += docs/decisions/0001-build.md
dist_man_MANS += docs/tstream-script.1
