// SPDX-License-Identifier: Apache-2.0
#include "config.h"

#include "reader/export/otlp_words.h"

#include <errno.h>
#include <stdlib.h>

static void list_lines(struct otlp_words *w)
{
	for (size_t i = 0; i < w->texts.nr; i++) {
		w->lines[i] = (Otlp__AnyValue)OTLP__ANY_VALUE__INIT;
		w->lines[i].value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
		w->lines[i].string_value = w->texts.items[i];
		w->pointers[i] = &w->lines[i];
	}
	w->all = (Otlp__ArrayValue)OTLP__ARRAY_VALUE__INIT;
	w->all.values = w->pointers;
	w->all.n_values = w->texts.nr;
}

static void name_scope(struct otlp_words *w)
{
	w->array = (Otlp__AnyValue)OTLP__ANY_VALUE__INIT;
	w->array.value_case = OTLP__ANY_VALUE__VALUE_ARRAY_VALUE;
	w->array.array_value = &w->all;
	w->about = (Otlp__KeyValue)OTLP__KEY_VALUE__INIT;
	w->about.key = "tstream.about";
	w->about.value = &w->array;
	w->abouts[0] = &w->about;
	w->scope = (Otlp__InstrumentationScope)OTLP__INSTRUMENTATION_SCOPE__INIT;
	w->scope.name = PACKAGE_NAME;
	w->scope.version = PACKAGE_VERSION;
	w->scope.attributes = w->abouts;
	w->scope.n_attributes = 1;
}

int otlp_words_init(struct otlp_words *w, const struct export_about *about)
{
	*w = (struct otlp_words){0};
	if (export_texts_init(&w->texts, about))
		return -ENOMEM;
	w->lines = calloc(w->texts.nr + 1, sizeof(*w->lines));
	w->pointers = calloc(w->texts.nr + 1, sizeof(Otlp__AnyValue *));
	if (!w->lines || !w->pointers)
		return -ENOMEM;
	list_lines(w);
	name_scope(w);
	return 0;
}

void otlp_words_release(struct otlp_words *w)
{
	export_texts_release(&w->texts);
	free(w->lines);
	free(w->pointers);
	*w = (struct otlp_words){0};
}
