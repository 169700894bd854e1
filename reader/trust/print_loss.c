// SPDX-License-Identifier: Apache-2.0
#include "reader/trust/print_loss.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/sum.h"
#include "reader/runtime/text.h"
#include "reader/trust/loss_grid.h"

#define COLUMNS_DEFAULT 80
#define LINES_DEFAULT	64
#define CELL_BYTES	64

/* --- the terminal --- */

static bool is_utf8_locale(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "UTF-8") || strcasestr(value, "utf8");
	}
	return false;
}

/* less, as pager.c starts it, passes colours through; another pager may not. */
static bool pager_takes_colors(void)
{
	const char *pager = getenv("PAGER");

	return !pager || !*pager || !strcmp(pager, "cat");
}

static bool wants_colors(void)
{
	const char *term = getenv("TERM"), *none = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0 && !(none && *none) &&
	       pager_takes_colors();
}

static size_t number_of(const char *name, size_t otherwise)
{
	const char *value = getenv(name);
	unsigned long n = value ? strtoul(value, NULL, 10) : 0;

	return n && n < 10000 ? n : otherwise;
}

struct loss_style loss_style_of_terminal(void)
{
	struct loss_style style = {
		.has_utf8 = is_utf8_locale(),
		.has_colors = wants_colors(),
		.columns = number_of("COLUMNS", COLUMNS_DEFAULT),
		.lines = number_of("LINES", LINES_DEFAULT),
	};
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row) {
		style.columns = size.ws_col;
		style.lines = size.ws_row;
	}
	return style;
}

/* --- the table --- */

struct sums {
	uint64_t kept, lost, at_unknown_time;
	uint64_t by_cause[TS_LOSS_NR];
	uint64_t start_ns; /* of the earliest slot */
	size_t nr_without;
};

static struct sums add_up(const struct loss *l)
{
	struct sums s = {.start_ns = UINT64_MAX};

	for (size_t i = 0; i < l->nr; i++) {
		const struct loss_ring *r = &l->rings[i];
		uint64_t lost = loss_ring_lost(r), start = r->timeline.first * r->timeline.step_ns;

		s.kept += r->kept;
		s.lost = ts_sum(s.lost, lost);
		s.at_unknown_time = ts_sum(s.at_unknown_time, r->at_unknown_time);
		s.nr_without += !lost;
		for (unsigned int cause = 1; cause < TS_LOSS_NR; cause++)
			s.by_cause[cause] = ts_sum(s.by_cause[cause], r->lost[cause]);
		if (r->timeline.nr && start < s.start_ns)
			s.start_ns = start;
	}
	return s;
}

static const char *cause_words(unsigned int cause)
{
	static const char *const words[TS_LOSS_NR] = {
		[TS_LOSS_RING_FULL] = "ring full", [TS_LOSS_PAUSED] = "paused",
		[TS_LOSS_DISK] = "disk",	   [TS_LOSS_COMPRESSION] = "compression late",
		[TS_LOSS_HARDWARE] = "hardware",
	};

	return words[cause] ? words[cause] : ts_loss_cause_name((enum ts_loss_cause)cause);
}

static void put_causes(const uint64_t *by_cause, struct ts_bytes *out)
{
	char text[CELL_BYTES] = "";
	size_t len = 0;

	for (unsigned int cause = 1; cause < TS_LOSS_NR && len < sizeof(text); cause++)
		if (by_cause[cause])
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s %" PRIu64,
						len ? ", " : "", cause_words(cause),
						by_cause[cause]);
	ts_bytes_printf(out, "  %-22s", text);
}

/* The slot that lost most, in seconds after the earliest slot. */
static void put_worst(const struct ts_timeline *t, uint64_t start_ns, struct ts_bytes *out)
{
	uint64_t most = 0, at_s, step_s = t->step_ns / TS_NS_PER_SEC;
	uint32_t worst = 0;

	for (uint32_t i = 0; i < t->nr; i++) {
		uint64_t lost = 0;

		for (unsigned int cause = 1; cause < TS_LOSS_NR; cause++)
			lost = ts_sum(lost, t->slots[i].nr[cause]);
		if (lost > most) {
			most = lost;
			worst = i;
		}
	}
	if (!most) {
		text_put(out, "  -\n");
		return;
	}
	at_s = ((t->first + worst) * t->step_ns - start_ns) / TS_NS_PER_SEC;
	ts_bytes_printf(out, "  +%" PRIu64, at_s);
	if (step_s > 1)
		ts_bytes_printf(out, "..%" PRIu64, at_s + step_s);
	ts_bytes_printf(out, " s: %.2f %%\n", loss_percent(most, t->slots[worst].nr[TS_LOSS_NONE]));
}

static void put_numbers(uint64_t kept, uint64_t lost, uint64_t at_unknown_time,
			struct ts_bytes *out)
{
	ts_bytes_printf(out, " %12" PRIu64 " %12" PRIu64 " %7.2f %12" PRIu64, kept, lost,
			loss_percent(lost, kept), at_unknown_time);
}

static void put_ring(const struct loss *l, const struct loss_ring *r, uint64_t start_ns,
		     struct ts_bytes *out)
{
	const char *kind = l->source == LOSS_FROM_RECORDS ? "all"
			   : r->is_sideband		  ? "side-band"
							  : "samples";

	if (r->cpu == LOSS_NO_CPU)
		text_put(out, "  any");
	else
		ts_bytes_printf(out, "%5" PRIu32, r->cpu);
	ts_bytes_printf(out, " %-9s", kind);
	put_numbers(r->kept, loss_ring_lost(r), r->at_unknown_time, out);
	put_causes(r->lost, out);
	put_worst(&r->timeline, start_ns, out);
}

static const char *describe_source(const struct loss *l)
{
	if (l->source == LOSS_FROM_CHUNKS)
		return "# The recording did not end: this is what its chunks tell; what was lost "
		       "after the last chunk of a ring\n# is not known.\n";
	if (l->is_exact)
		return "";
	return "# As far as LOST records tell: what was lost after the last record of a ring is "
	       "not "
	       "known.\n";
}

static void put_head(const struct loss *l, const struct sums *s, const char *capture,
		     struct ts_bytes *out)
{
	text_put(out, "# Lost while recording ");
	text_name(out, capture, 0);
	ts_bytes_printf(out, ": %" PRIu64 " of %" PRIu64 " records (%.2f %%)\n", s->lost,
			ts_sum(s->kept, s->lost), loss_percent(s->lost, s->kept));
	text_put(out, describe_source(l));
	if (!s->lost)
		return;
	ts_bytes_printf(out, "#\n# %3s %-9s %12s %12s %7s %12s  %-22s  %s\n", "CPU", "Ring", "Kept",
			"Lost", "%", "Unknown when", "Why", "Worst second");
}

void print_loss_table(const struct loss *l, const char *capture, const struct loss_style *style,
		      struct ts_bytes *out)
{
	struct sums s = add_up(l);

	if (!style->quiet)
		put_head(l, &s, capture, out);
	for (size_t i = 0; i < l->nr; i++)
		if (loss_ring_lost(&l->rings[i]))
			put_ring(l, &l->rings[i], s.start_ns, out);
	if (style->quiet || !s.lost)
		return;
	text_put(out, "#\n# all          ");
	put_numbers(s.kept, s.lost, s.at_unknown_time, out);
	put_causes(s.by_cause, out);
	ts_bytes_printf(out, "\n");
	if (s.nr_without)
		ts_bytes_printf(out, "# %zu ring%s lost nothing.\n", s.nr_without,
				s.nr_without == 1 ? "" : "s");
}

/* --- the line of a report --- */

void print_loss_bias(const struct loss *l, struct ts_bytes *out)
{
	struct loss_bias b;
	const char *between = "";

	if (!loss_bias(l, &b))
		return;
	ts_bytes_printf(out,
			"# Loss bias: %.1f %% of the records are lost, and not evenly. Shares "
			"can be off by ",
			b.percent);
	if (b.cpu_points >= LOSS_BIAS_POINTS) {
		ts_bytes_printf(out, "%.1f points by CPU (CPU %" PRIu32 " lost %.1f %%)",
				b.cpu_points, b.cpu, b.cpu_percent);
		between = ", ";
	}
	if (b.time_points >= LOSS_BIAS_POINTS)
		ts_bytes_printf(out, "%s%.1f points by time (+%" PRIu64 " s lost %.1f %%)", between,
				b.time_points, b.after_s, b.time_percent);
	text_put(out, "; see --loss\n#\n");
}
