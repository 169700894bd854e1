# SPDX-License-Identifier: Apache-2.0
# Style, markup and script of the page, in its order. Each script and each style is an element of its own.
page_files =
page_files += reader/html/page.css
page_files += reader/html/still.css
page_files += reader/html/body.html
page_files += reader/html/data.js
page_files += reader/html/words.js
page_files += reader/html/colours.js
page_files += reader/html/search.js
page_files += reader/html/selection.js
page_files += reader/html/totals.js
page_files += reader/html/state.js
page_files += reader/html/dragging.js
page_files += reader/html/canvas.js
page_files += reader/html/lanes.js
page_files += reader/html/heat.js
page_files += reader/html/flame.js
page_files += reader/html/sandwich.js
page_files += reader/html/flame_view.js
page_files += reader/html/table.js
page_files += reader/html/filters.js
page_files += reader/html/head.js
page_files += reader/html/keys.js
page_files += reader/html/main.js
page_made = reader/html/page_files.made.c
EXTRA_DIST += $(page_files) reader/html/page_files.awk reader/html/page_hashes.tsv
CLEANFILES += $(page_made)

html_sources =
html_sources += reader/html/base64.c reader/html/base64.h
html_sources += reader/html/html_callers.c reader/html/html_callers.h
html_sources += reader/html/html_data.c reader/html/html_data.h
html_sources += reader/html/html_elements.c reader/html/html_elements.h
html_sources += reader/html/html_events.c reader/html/html_events.h
html_sources += reader/html/html_meta.c reader/html/html_meta.h
html_sources += reader/html/html_page.c reader/html/html_page.h
html_sources += reader/html/html_rows.c reader/html/html_rows.h
html_sources += reader/html/html_source.h
html_sources += reader/html/html_still.c reader/html/html_still.h
html_sources += reader/html/html_tree.c reader/html/html_tree.h
html_sources += reader/html/page_files.h
if ZLIB
reader_sources += $(html_sources)
reader_made_sources += $(page_made)
endif

# Only od and awk make the bytes of the files. The hashes are in the tree; tests/page_files.py recomputes them.
$(page_made): $(page_files) reader/html/page_files.awk reader/html/page_hashes.tsv
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	for file in $(page_files); do \
		echo "file $$file" && od -An -v -tu1 $(srcdir)/$$file || exit 1; \
	done | $(AWK) -f $(srcdir)/reader/html/page_files.awk $(srcdir)/reader/html/page_hashes.tsv - >$@.new && \
	mv $@.new $@

# After a change of style or script: writes the hashes of the files into the tree.
.PHONY: page-hashes
page-hashes:
	cd $(srcdir) && $(PYTHON) tests/support/page_hashes.py $(page_files)

EXTRA_DIST += reader/html/README.md
