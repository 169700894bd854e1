# SPDX-License-Identifier: Apache-2.0
# Manual pages (dist_man_MANS) and documents (EXTRA_DIST), one a line, each line complete.
dist_man_MANS += docs/tstream.1
EXTRA_DIST += docs/decisions/0001-build.md
dist_man_MANS += docs/tstream-script.1
EXTRA_DIST += docs/format.md
EXTRA_DIST += docs/decisions/0010-laying.md
EXTRA_DIST += docs/decisions/0011-chunks-in-type-65.md
EXTRA_DIST += docs/decisions/0012-xxh3.md
EXTRA_DIST += docs/decisions/0013-made-beside-its-name.md
EXTRA_DIST += docs/decisions/0014-versions-of-maps.md
EXTRA_DIST += docs/decisions/0020-what-existed.md
EXTRA_DIST += docs/threads.md
EXTRA_DIST += docs/differences.md
dist_man_MANS += docs/tstream-list.1
dist_man_MANS += docs/tstream-record.1
EXTRA_DIST += docs/design.md
EXTRA_DIST += docs/decisions/0030-attr.md
