/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scope of OTLP profiles: which program wrote them, and the words about the captures as an attribute.
 *
 * Threads: one owner.
 */
#ifndef TS_READER_EXPORT_OTLP_WORDS_H
#define TS_READER_EXPORT_OTLP_WORDS_H

#include "reader/export/export_about.h"
#include "reader/packed/otlp.pb-c.h"

struct otlp_words {
	Otlp__InstrumentationScope scope; /* refers to all of this, so it must not be moved */
	Otlp__KeyValue about, *abouts[1];
	Otlp__AnyValue array, *lines, **pointers; /* owned, the last two */
	Otlp__ArrayValue all;
	struct export_texts texts;
};

/* 0 or -ENOMEM; release in both cases. */
int otlp_words_init(struct otlp_words *w, const struct export_about *about);
void otlp_words_release(struct otlp_words *w); /* accepts a zeroed one; idempotent */

#endif
