// SPDX-License-Identifier: Apache-2.0
#include "config.h"

#include "reader/export/export_format.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "reader/export/export_chrome.h"
#include "reader/export/export_firefox.h"
#include "reader/export/export_folded.h"
#include "reader/export/export_otlp.h"
#include "reader/export/export_perfetto.h"
#include "reader/export/export_parquet.h"
#include "reader/export/export_pprof.h"
#include "reader/export/export_speedscope.h"

/* Of a row: its writer, or the library that it lacks in this build. */
#ifdef ZLIB_LACKS
#define ZLIB_WRITES(writer) .lacks = ZLIB_LACKS
#else
#define ZLIB_WRITES(writer) .write = (writer)
#endif
#ifdef PROTOBUF_LACKS
#define PROTOBUF_WRITES(writer) .lacks = PROTOBUF_LACKS
#else
#define PROTOBUF_WRITES(writer) .write = (writer)
#endif
#ifdef PROTOBUF_LACKS /* pprof needs both */
#define PPROF_WRITES(writer) PROTOBUF_WRITES(writer)
#else
#define PPROF_WRITES(writer) ZLIB_WRITES(writer)
#endif

static const struct export_format formats[] = {
	{
		.name = "folded",
		.suffix = "folded",
		.opener = "flamegraph.pl draws it, and www.speedscope.app opens it, in the browser",
		.looks = {.is_folded = true},
		.has_marks = true,
		.write = export_folded_write,
	},
	{
		.name = "pprof",
		.suffix = "pb.gz",
		.opener = "'go tool pprof -http=: FILE' opens it in the browser",
		.looks = {.by_object = true, .by_path = true, .by_kind = true},
		.wants_about = true,
		PPROF_WRITES(export_pprof_write),
	},
	{
		.name = "firefox",
		.suffix = "json.gz",
		.opener = "profiler.firefox.com opens it, and sends nothing",
		.looks = {.by_object = true, .by_path = true, .by_kind = true},
		.wants_about = true,
		.is_bare = true,
		.times = {EXPORT_FIREFOX_THREADS, EXPORT_FIREFOX_SAMPLES},
		ZLIB_WRITES(export_firefox_write),
	},
	{
		.name = "speedscope",
		.suffix = "speedscope.json.gz",
		.opener = "www.speedscope.app opens it in the browser, and sends nothing",
		.looks = {.by_object = true, .by_path = true, .by_kind = true},
		.wants_about = true,
		.is_bare = true,
		.times = {EXPORT_SPEEDSCOPE_THREADS, EXPORT_TIMES_ALL},
		ZLIB_WRITES(export_speedscope_write),
	},
	{
		.name = "chrome",
		.suffix = "trace.json.gz",
		.opener = "ui.perfetto.dev and www.speedscope.app open it, and send nothing",
		.looks = {.by_kind = true},
		.wants_about = true,
		.is_bare = true,
		.has_timelines = true,
		.weightless = "it shows times",
		.times = {EXPORT_TIMES_ALL, EXPORT_TIMES_ALL},
		ZLIB_WRITES(export_chrome_write),
	},
	{
		.name = "perfetto",
		.suffix = "perfetto-trace",
		.opener = "ui.perfetto.dev opens it, and sends nothing",
		.looks = {.by_object = true, .by_path = true, .by_kind = true},
		.wants_about = true,
		.is_bare = true,
		.weightless = "it has samples and their periods",
		.times = {EXPORT_TIMES_ALL, EXPORT_TIMES_ALL},
		PROTOBUF_WRITES(export_perfetto_write),
	},
	{
		.name = "otlp-development",
		.suffix = "otlp",
		.opener = "it has v1development of OTLP 1.11.0, which later versions change",
		.looks = {.by_object = true, .by_path = true, .by_kind = true},
		.wants_about = true,
		.is_bare = true,
		.times = {EXPORT_TIMES_ALL, EXPORT_TIMES_ALL, .without_gaps = true},
		PROTOBUF_WRITES(export_otlp_write),
	},
	{
		.name = "parquet",
		.suffix = "parquet",
		.opener = "DuckDB reads it: SELECT * FROM 'DIR/samples.parquet'",
		.looks = {.by_object = true, .by_path = true, .by_kind = true},
		.wants_about = true,
		.has_all_events = true,
		.weightless = "it has samples and their periods",
		.times = {EXPORT_TIMES_ALL, EXPORT_TIMES_ALL, .without_gaps = true},
		.files = export_parquet_files,
		.write_files = export_parquet_write,
	},
	{
		.name = "perf.data",
		.suffix = "perf.data",
		.opener = "'perf report -i FILE' reads it, and so do hotspot and perf2bolt",
		.is_copy = true,
		.weightless = "it has samples and their periods",
	},
};

void export_format_hint(struct ts_error *err)
{
	char names[128] = "";

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
			 i ? ", " : "", formats[i].name);
	ts_error_hint(err, "the formats are: %s", names);
}

static int refuse_unbuilt(const struct export_format *format, struct ts_error *err)
{
	ts_error_set(err, EINVAL, "cannot export as %s: this tstream was built without %s",
		     format->name, format->lacks);
	return ts_error_hint(
		err, "install it with its headers and tools, then configure and make again");
}

const struct export_format *export_format_find(const char *name, struct ts_error *err)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (!strcmp(formats[i].name, name))
			return formats[i].lacks && refuse_unbuilt(&formats[i], err) ? NULL
										    : &formats[i];
	ts_error_set(err, EINVAL, "cannot export as '%s': no such format", name);
	export_format_hint(err);
	return NULL;
}
