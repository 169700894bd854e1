// SPDX-License-Identifier: Apache-2.0
#include "reader/page/flame_svg.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "reader/page/frame_palette.h"
#include "reader/page/markup.h"
#include "reader/runtime/text.h"

#define PICTURE_WIDTH 1200 /* pixels, like all lengths here */
#define MARGIN	      10
#define ROW_HEIGHT    16
#define GRAPH_WIDTH   (PICTURE_WIDTH - 2 * MARGIN)
#define BOX_LEAST     0.25 /* pixels */
#define BOX_EMBEDDED  1.0  /* the same in a page, whose size matters */
#define NAME_EMBEDDED 200  /* characters of a name there */
#define LETTER_WIDTH  6.7  /* of the font below */
#define LINE_HEIGHT   16
#define TITLE_Y	      24
#define SUBTITLE_Y    (TITLE_Y + LINE_HEIGHT + 2)
#define LETTERS_LEAST 3
#define LETTERS_TITLE 130
#define LETTERS_HEAD  172 /* of another line above the graph */
#define ROW_LEAST     4.0 /* pixels: narrower boxes do not make the picture higher */
#define BLOCK_BYTES   (1u << 20)
#define CHANGE_SHOWN  0.0005 /* smaller changes of a share have no sign */

struct drawing {
	const struct flame_svg *svg;
	struct ts_bytes out;
	bool is_compared;
	uint32_t nr_rows;	     /* of boxes that are drawn */
	double warnings_y, legend_y; /* of the first line of each */
	double top, height;	     /* of the graph; of the picture */
};

/* --- shares --- */

static double side_share(const struct drawing *d, const struct stack_weight *weights, uint32_t side)
{
	return stack_weight_share(&weights[side], &d->svg->paths->weight[side]);
}

/* In a comparison the mean of both sides, if both have samples. */
static double width_share(const struct drawing *d, const struct stack_weight *weights)
{
	uint32_t nr = 0;
	double sum = 0;

	for (uint32_t side = 0; side < d->svg->paths->nr_sides; side++) {
		nr += d->svg->paths->weight[side].nr_samples > 0;
		sum += side_share(d, weights, side);
	}
	return nr ? sum / nr : 0;
}

static double change_of(const struct drawing *d, const struct stack_node *node)
{
	return side_share(d, node->total, STACK_NEW) - side_share(d, node->total, STACK_OLD);
}

static double width_of(const struct drawing *d, const struct stack_node *node)
{
	return width_share(d, node->total) * GRAPH_WIDTH;
}

static bool is_drawn(const struct drawing *d, const struct stack_node *node)
{
	return node->depth < d->nr_rows &&
	       width_of(d, node) >= (d->svg->is_embedded ? BOX_EMBEDDED : BOX_LEAST);
}

/* Rows up to the deepest box that can be seen well; some picture is made in any case. */
static uint32_t count_rows(const struct drawing *d)
{
	uint32_t nr = 1;

	for (uint32_t i = 0; i < d->svg->tree->nr; i++) {
		const struct stack_node *node = &d->svg->tree->nodes[i];

		if (node->depth >= nr && width_of(d, node) >= ROW_LEAST)
			nr = node->depth + 1;
	}
	return nr;
}

/* The share of the samples that go on above the last row. */
static double cut_share(const struct drawing *d)
{
	double share = 0;

	for (uint32_t i = 0; i < d->svg->tree->nr; i++)
		if (d->svg->tree->nodes[i].depth == d->nr_rows)
			share += width_share(d, d->svg->tree->nodes[i].total);
	return share;
}

/* --- colours --- */

static unsigned int mix(unsigned int from, unsigned int to, double part, unsigned int shift)
{
	const double a = from >> shift & 255, b = to >> shift & 255;

	return (unsigned int)lround(a + (b - a) * part) << shift;
}

/* Nothing before, or nothing now, is the full colour. */
static unsigned int colour_of_change(const struct drawing *d, const struct stack_node *node)
{
	const double now = side_share(d, node->total, STACK_NEW);
	const double before = side_share(d, node->total, STACK_OLD);
	const double part = now + before > 0 ? (now - before) / (now + before) : 0;
	const unsigned int to = part < 0 ? PALETTE_LESS : PALETTE_MORE;

	return mix(PALETTE_SAME, to, fabs(part), 16) | mix(PALETTE_SAME, to, fabs(part), 8) |
	       mix(PALETTE_SAME, to, fabs(part), 0);
}

static void put_scheme(struct ts_bytes *out, bool is_dark)
{
	ts_bytes_printf(out, ".back{fill:#%s}text{fill:#%s}",
			is_dark ? PALETTE_BACKGROUND_DARK : PALETTE_BACKGROUND_LIGHT,
			is_dark ? PALETTE_TEXT_DARK : PALETTE_TEXT_LIGHT);
	for (int kind = 0; kind < FRAME_KIND_NR; kind++)
		ts_bytes_printf(out, ".%s rect{fill:#%s}", frame_palette[kind].name,
				is_dark ? frame_palette[kind].dark : frame_palette[kind].light);
}

static void put_style(struct drawing *d)
{
	struct ts_bytes *out = &d->out;

	text_put(out, "<style>text{font:11px \"DejaVu Sans Mono\",Menlo,Consolas,monospace;"
		      "white-space:pre}.head{font-size:15px;font-weight:bold}"
		      "g:hover>rect{stroke:currentColor}");
	ts_bytes_printf(
		out, ".warn rect{fill:#%06x}.warn text,.change text{fill:#" PALETTE_TEXT_LIGHT "}",
		PALETTE_MORE);
	put_scheme(out, false);
	text_put(out, "@media(prefers-color-scheme:dark){");
	put_scheme(out, true);
	text_put(out, "}</style>\n");
}

/* --- head --- */

static void put_line(struct drawing *d, const char *class, const char *text, size_t len,
		     size_t most, double y)
{
	ts_bytes_printf(&d->out, "<text class=\"%s\" x=\"%d\" y=\"%.0f\">", class, MARGIN, y);
	markup_put_cut(&d->out, text, len, most);
	text_put(&d->out, "</text>\n");
}

/* Each line of the warnings on a coloured bar. */
static void put_warnings(struct drawing *d)
{
	const char *line = d->svg->warnings;
	double y = d->warnings_y;

	for (const char *end; *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		ts_bytes_printf(&d->out,
				"<g class=\"warn\"><rect x=\"0\" y=\"%.0f\" width=\"%d\" "
				"height=\"%d\"/>",
				y - 12, PICTURE_WIDTH, LINE_HEIGHT);
		put_line(d, "warned", line, (size_t)(end - line), LETTERS_HEAD, y);
		text_put(&d->out, "</g>\n");
		y += LINE_HEIGHT;
	}
}

static double put_sample(struct drawing *d, const char *class, const char *attribute,
			 const char *name, double x, double y)
{
	ts_bytes_printf(&d->out,
			"<g class=\"%s\"><rect x=\"%.1f\" y=\"%.0f\" width=\"11\" "
			"height=\"11\"%s/></g><text x=\"%.1f\" y=\"%.0f\">%s</text>\n",
			class, x, y - 10, attribute, x + 15, y, name);
	return x + 15 + LETTER_WIDTH * ((double)strlen(name) + 2);
}

static bool has_kind(const struct drawing *d, enum frame_kind kind)
{
	for (uint32_t i = 0; i < d->svg->tree->nr; i++)
		if (d->svg->paths->looks->items[d->svg->tree->nodes[i].look].kind == kind)
			return true;
	return false;
}

static void put_change_sample(struct drawing *d, unsigned int colour, const char *name, double *x,
			      double y)
{
	char attribute[32];

	snprintf(attribute, sizeof(attribute), " fill=\"#%06x\"", colour);
	*x = put_sample(d, "change", attribute, name, *x, y);
}

static double put_kinds(struct drawing *d, double x, double y)
{
	for (int kind = 0; kind < FRAME_KIND_NR; kind++)
		if (has_kind(d, kind))
			x = put_sample(d, frame_palette[kind].name, "", frame_palette[kind].name, x,
				       y);
	return x;
}

static double put_changes(struct drawing *d, double x, double y)
{
	put_change_sample(d, PALETTE_LESS, "less than before", &x, y);
	put_change_sample(d, PALETTE_SAME, "the same", &x, y);
	put_change_sample(d, PALETTE_MORE, "more than before", &x, y);
	return x;
}

static void put_legend(struct drawing *d)
{
	const double y = d->legend_y;
	const double x = d->is_compared ? put_changes(d, MARGIN, y) : put_kinds(d, MARGIN, y);
	const double cut = 100 * cut_share(d);

	if (cut > 0)
		ts_bytes_printf(&d->out,
				"<text x=\"%.1f\" y=\"%.0f\">narrow stacks are cut behind %" PRIu32
				" rows: %.2f%%</text>\n",
				x, y, d->nr_rows, cut);
}

static double count_lines(const char *text)
{
	double nr = 0;

	for (; *text; text++)
		nr += *text == '\n' || !text[1];
	return nr;
}

/* From above: title and subtitle, warnings, the legend, the graph. */
static void lay_out(struct drawing *d)
{
	d->warnings_y = SUBTITLE_Y + LINE_HEIGHT;
	d->legend_y = d->warnings_y + LINE_HEIGHT * count_lines(d->svg->warnings);
	d->top = d->legend_y + LINE_HEIGHT / 2;
	d->height = d->top + (double)d->nr_rows * ROW_HEIGHT + MARGIN;
}

static void put_head(struct drawing *d)
{
	const struct flame_svg *svg = d->svg;

	put_line(d, "head", svg->title, strlen(svg->title), LETTERS_TITLE, TITLE_Y);
	put_line(d, "sub", svg->subtitle, strlen(svg->subtitle), LETTERS_HEAD, SUBTITLE_Y);
	put_warnings(d);
	put_legend(d);
}

/* A text that is not shown, but told. */
static void put_whole(struct drawing *d, const char *text)
{
	markup_put_cut(&d->out, text, strlen(text), d->svg->is_embedded ? NAME_EMBEDDED : SIZE_MAX);
}

static void begin(struct drawing *d)
{
	const char *name = d->svg->is_embedded ? "still" : "title";

	ts_bytes_printf(&d->out,
			"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" "
			"width=\"%d\" height=\"%.0f\" role=\"img\" aria-labelledby=\"%s\"%s>\n"
			"<title id=\"%s\">",
			PICTURE_WIDTH, d->height, PICTURE_WIDTH, d->height, name,
			d->svg->is_embedded ? " class=\"still\"" : "", name);
	put_whole(d, d->svg->title);
	text_put(&d->out, "</title>\n");
	if (!d->svg->is_embedded)
		put_style(d);
	text_put(&d->out, "<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n");
	put_head(d);
}

/* --- boxes --- */

static void put_numbers(struct drawing *d, const struct stack_node *node)
{
	const uint64_t nr = node->total[STACK_NEW].nr_samples;

	ts_bytes_printf(&d->out, ": %" PRIu64 " sample%s, %.2f%%", nr, nr == 1 ? "" : "s",
			100 * side_share(d, node->total, STACK_NEW));
	if (d->is_compared)
		ts_bytes_printf(&d->out, "; before: %" PRIu64 ", %.2f%% (%+.2f)",
				node->total[STACK_OLD].nr_samples,
				100 * side_share(d, node->total, STACK_OLD),
				100 * change_of(d, node));
}

/* A name and how many frames it stands for, as much as has room. */
static void put_name(struct drawing *d, const struct stack_node *node, const char *name,
		     size_t room)
{
	struct ts_bytes text = {0};

	text_put(&text, name);
	stack_tree_put_run(&node->run, &text);
	markup_put_cut(&d->out, (const char *)text.data, text.len, room);
	d->out.failed |= text.failed;
	ts_bytes_release(&text);
}

/* The name, in a comparison behind the sign of the change. */
static void put_label(struct drawing *d, const struct stack_node *node, const char *name, double x,
		      double y, double width)
{
	size_t room = (size_t)((width - 4) / LETTER_WIDTH);
	const char *sign = "";

	if (width < 4 || room < LETTERS_LEAST)
		return;
	if (d->is_compared && fabs(change_of(d, node)) >= CHANGE_SHOWN) {
		sign = change_of(d, node) > 0 ? "+" : "-";
		room--;
	}
	ts_bytes_printf(&d->out, "<text x=\"%.2f\" y=\"%.0f\">%s", x + 2, y + 12, sign);
	put_name(d, node, name, room);
	text_put(&d->out, "</text>");
}

static void put_box(struct drawing *d, const struct stack_node *node)
{
	const struct frame_look *look = &d->svg->paths->looks->items[node->look];
	const double x = MARGIN + GRAPH_WIDTH * width_share(d, node->before);
	const double width = width_of(d, node);
	const uint32_t row = d->svg->is_icicle ? node->depth : d->nr_rows - 1 - node->depth;
	const double y = d->top + (double)row * ROW_HEIGHT;

	ts_bytes_printf(&d->out, "<g class=\"%s\"><title>",
			d->is_compared ? "change" : frame_palette[look->kind].name);
	put_whole(d, look->name);
	if (*look->object && look->kind != FRAME_KIND_UNKNOWN) {
		text_put(&d->out, " (");
		put_whole(d, look->object);
		text_put(&d->out, ")");
	}
	stack_tree_put_run(&node->run, &d->out);
	put_numbers(d, node);
	ts_bytes_printf(&d->out, "</title><rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\"",
			x, y, width > 1 ? width - 0.5 : width, ROW_HEIGHT - 1);
	if (d->is_compared)
		ts_bytes_printf(&d->out, " fill=\"#%06x\"", colour_of_change(d, node));
	text_put(&d->out, "/>");
	put_label(d, node, look->name, x, y, width);
	text_put(&d->out, "</g>\n");
}

/* `to` takes full blocks; NULL: all stays in d->out, and -EFBIG if that is more than `most` bytes. */
static int draw(struct drawing *d, struct result_file *to, size_t most, struct ts_error *err)
{
	const struct stack_tree *tree = d->svg->tree;
	int rc = 0;

	d->nr_rows = count_rows(d);
	lay_out(d);
	begin(d);
	for (uint32_t i = 0; !rc && i < tree->nr; i++) {
		if (is_drawn(d, &tree->nodes[i]))
			put_box(d, &tree->nodes[i]);
		if (to && d->out.len >= BLOCK_BYTES)
			rc = result_file_write_block(to, &d->out, err);
		else if (!to && d->out.len > most)
			rc = -EFBIG;
	}
	text_put(&d->out, "</svg>\n");
	return rc;
}

int flame_svg_write(const struct flame_svg *svg, struct result_file *to, struct ts_error *err)
{
	struct drawing d = {.svg = svg, .is_compared = svg->paths->nr_sides == 2};
	int rc = draw(&d, to, 0, err);

	if (!rc)
		rc = result_file_write_block(to, &d.out, err);
	ts_bytes_release(&d.out);
	return rc;
}

bool flame_svg_put(const struct flame_svg *svg, size_t most, struct ts_bytes *out)
{
	struct drawing d = {.svg = svg, .is_compared = svg->paths->nr_sides == 2};
	const bool fits = !draw(&d, NULL, most, NULL);

	if (fits)
		ts_bytes_put(out, d.out.data, d.out.len);
	out->failed |= d.out.failed;
	ts_bytes_release(&d.out);
	return fits;
}
