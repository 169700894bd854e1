// SPDX-License-Identifier: Apache-2.0
#include "common/options/command_line.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

enum way { WAY_NONE, WAY_ONE, WAY_TWO };

struct inner {
	const char *text;
};

struct outer {
	bool flag, cleared, was_settled;
	const char *text, *read, *words[8];
	enum way way;
	uint64_t bits, number, time_ns;
	struct inner inner;
	size_t nr_words;
};

static struct outer options;
static struct ts_notes notes;
static struct ts_error err;
static enum ts_command_asks asks;

static int read_text(void *to, const char *value, struct ts_error *ret)
{
	struct outer *o = to;

	o->read = value ? value : "none";
	return strcmp(o->read, "bad") != 0 ? 0 : ts_error_set(ret, EINVAL, "cannot use bad");
}

static int take_word(void *to, char **rest, struct ts_error *ret)
{
	struct outer *o = to;

	(void)ret;
	o->words[o->nr_words++] = *rest;
	return 0;
}

static int take_rest(void *to, char **rest, struct ts_error *ret)
{
	for (; *rest; rest++)
		take_word(to, rest, ret);
	return 0;
}

static int settle(void *to, struct ts_error *ret)
{
	struct outer *o = to;

	o->was_settled = true;
	return o->flag && o->text ? ts_error_set(ret, EINVAL, "cannot have both") : 0;
}

#define AT(field) .at = offsetof(struct outer, field)

static const struct ts_option inner_rows[] = {
	{TS_OPTION_TEXT, "inner", 0, "TEXT", .at = offsetof(struct inner, text)},
	{0},
};

static const struct ts_option rows[] = {
	{TS_OPTION_FLAG, "flag", 'f', NULL, AT(flag)},
	{TS_OPTION_NO_FLAG, "clear", AT(cleared)},
	{TS_OPTION_TEXT, "text", 't', "TEXT", AT(text)},
	{TS_OPTION_ALIAS, .name = "words"},
	{TS_OPTION_CHOICE, "two", AT(way), .sets = WAY_TWO},
	{TS_OPTION_BITS, "low", AT(bits), .sets = 1},
	{TS_OPTION_BITS, "high", AT(bits), .sets = 1ull << 40},
	{TS_OPTION_NUMBER, "number", 'n', "N", AT(number), .least = 2, .most = 9},
	{TS_OPTION_TIME, "time", 0, "TIME", AT(time_ns), .least = 1000, .why = "it must be a time"},
	{TS_OPTION_READ, "graph", 'g', "[HOW]", .read = read_text, .may_be_next = true},
	{TS_OPTION_READ, "level", 'z', "[N]", .read = read_text},
	{TS_OPTION_PART, .part = inner_rows, AT(inner)},
	{TS_OPTION_NOTED, "always", 'A', NULL, .why = "it is so"},
	{TS_OPTION_NOTED, "buffer", 0, "SIZE", .why = "there is none"},
	{TS_OPTION_NOTED, .name = "mute"},
	{TS_OPTION_REFUSED, "never", 0, NULL, .why = "it is not there", .instead = "leave it out"},
	{0},
};

static const struct ts_command command = {
	.name = "try", .rows = rows, .take_word = take_word, .settle = settle};
static const struct ts_command runner = {
	.name = "run", .rows = rows, .take_word = take_rest, .rest_is_program = true};
static const struct ts_command wordless = {.name = "mute", .rows = rows};

/* Reads a command line: words separated by single blanks. */
static int read_by(const struct ts_command *c, const char *line)
{
	static char copy[256];
	static char *argv[32];
	int argc = 0;

	strcpy(copy, line);
	argv[argc++] = (char *)"tstream";
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	options = (struct outer){.cleared = true};
	ts_notes_release(&notes);
	return ts_command_read(c, &options, argc, argv, &asks, &notes, &err);
}

static int read_line(const char *line)
{
	return read_by(&command, line);
}

static void release(void)
{
	ts_notes_release(&notes);
}

TestSuite(command_line, .fini = release);

Test(command_line, puts_each_kind_of_row_where_it_belongs)
{
	cr_assert_eq(read_line("-f --clear --two --low --high -n 9 --time 2us --inner=in"), 0, "%s",
		     err.text);
	cr_expect(options.flag);
	cr_expect_not(options.cleared);
	cr_expect_eq(options.way, WAY_TWO);
	cr_expect_eq(options.bits, 1 | 1ull << 40);
	cr_expect_eq(options.number, 9);
	cr_expect_eq(options.time_ns, 2000);
	cr_expect_str_eq(options.inner.text, "in");
	cr_expect(options.was_settled);
	cr_expect_eq(asks, TS_ASKS_NOTHING);
}

Test(command_line, takes_words_between_options_and_behind_two_dashes)
{
	cr_assert_eq(read_line("one -n 2 two -- -f"), 0, "%s", err.text);
	cr_assert_eq(options.nr_words, 3);
	cr_expect_str_eq(options.words[0], "one");
	cr_expect_str_eq(options.words[2], "-f");
	cr_expect_not(options.flag);
}

Test(command_line, ends_its_options_at_a_command)
{
	cr_assert_eq(read_by(&runner, "-f ls -l --text x"), 0, "%s", err.text);
	cr_expect(options.flag);
	cr_expect_null(options.text);
	cr_assert_eq(options.nr_words, 4);
	cr_expect_str_eq(options.words[1], "-l");
}

Test(command_line, refuses_a_word_where_none_may_stand)
{
	cr_assert_eq(read_by(&wordless, "-f word"), -EINVAL);
	cr_expect_str_eq(err.text,
			 "cannot use 'word': this command takes no arguments after its options");
}

Test(command_line, takes_the_next_word_for_a_value_that_may_be_left_out)
{
	cr_assert_eq(read_line("-g caller"), 0);
	cr_expect_str_eq(options.read, "caller");
	cr_assert_eq(read_line("-g -f"), 0);
	cr_expect_str_eq(options.read, "none");
	cr_assert_eq(read_line("-z 3"), 0);
	cr_expect_str_eq(options.read, "none", "only where the row says so");
	cr_expect_eq(options.nr_words, 1);
	cr_assert_eq(read_line("-z3"), 0);
	cr_expect_str_eq(options.read, "3");
}

Test(command_line, knows_other_names_and_beginnings)
{
	cr_assert_eq(read_line("--words=a"), 0);
	cr_expect_str_eq(options.text, "a");
	cr_assert_eq(read_line("--inn b"), 0);
	cr_expect_str_eq(options.inner.text, "b");
}

Test(command_line, notes_what_changes_nothing)
{
	cr_assert_eq(read_line("--always --buffer 4K --mute"), 0, "%s", err.text);
	cr_assert_eq(notes.nr, 2);
	cr_expect_str_eq(notes.items[0], "-A (--always) changes nothing: it is so");
	cr_expect_str_eq(notes.items[1], "--buffer changes nothing: there is none");
	cr_assert_eq(read_line("--buffer x"), -EINVAL);
	cr_expect_str_eq(err.text, "cannot use --buffer 'x': it must be a size");
}

Test(command_line, refuses_with_what_to_do_instead)
{
	cr_assert_eq(read_line("--never"), -EINVAL);
	cr_expect_str_eq(err.text, "cannot use --never: it is not there");
	cr_expect_str_eq(err.hint, "leave it out");
}

Test(command_line, says_what_is_wrong_with_a_word)
{
	static const struct {
		const char *line, *text, *hint;
	} rows_of[] = {
		{"--flaq", "cannot use --flaq: there is no such option", "did you mean --flag?"},
		{"-fX", "cannot use -X: there is no such option",
		 "'tstream try --help' lists the options"},
		{"-t --flaq -Xf", "cannot use -X: there is no such option",
		 "'tstream try --help' lists the options"},
		{"-g how -Xf", "cannot use -X: there is no such option",
		 "'tstream try --help' lists the options"},
		{"-t", "cannot use -t without a value", "'tstream try --help' lists the options"},
		{"-ft", "cannot use -t without a value", "'tstream try --help' lists the options"},
		{"a --text", "cannot use --text without a value",
		 "'tstream try --help' lists the options"},
		{"--flag=1", "cannot use --flag with a value",
		 "'tstream try --help' lists the options"},
		{"--t", "cannot use --t: several options begin with it",
		 "did you mean one of: --text --two --time"},
		{"--=x", "cannot use --: there is no such option",
		 "'tstream try --help' lists the options"},
		{"-n 1", "cannot use --number '1': it must be a number from 2 to 9", ""},
		{"-n x", "cannot use --number 'x': it must be a number from 2 to 9", ""},
		{"--time 1", "cannot use --time '1': it must be a time", ""},
		{"--time 1ns", "cannot use --time '1ns': it must be a time", ""},
		{"-gbad", "cannot use bad", ""},
		{"-f -t x", "cannot have both", ""},
	};

	for (size_t i = 0; i < sizeof(rows_of) / sizeof(rows_of[0]); i++) {
		cr_expect_eq(read_line(rows_of[i].line), -EINVAL, "%s", rows_of[i].line);
		cr_expect_str_eq(err.text, rows_of[i].text, "%s", rows_of[i].line);
		cr_expect_str_eq(err.hint, rows_of[i].hint, "%s", rows_of[i].line);
	}
}

Test(command_line, gives_help_in_the_middle_of_a_word)
{
	static const char *const lines[] = {"-hf", "-fh", "-hX", "-h/x", "-ht", "-?n", "a -hf b"};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		cr_expect_eq(read_line(lines[i]), 0, "%s", lines[i]);
		cr_expect_eq(asks, TS_ASKS_HELP, "%s", lines[i]);
		cr_expect_eq(options.nr_words, 0, "%s", lines[i]);
		cr_expect_eq(read_by(&runner, lines[i]), 0, "%s", lines[i]);
	}
}

Test(command_line, takes_what_two_names_of_an_option_begin_with)
{
	static const struct ts_option two[] = {
		{TS_OPTION_TEXT, "comms", 'c', "LIST", AT(text)},
		{TS_OPTION_ALIAS, .name = "comm"},
		{TS_OPTION_FLAG, "exclude-self", AT(flag)},
		{TS_OPTION_ALIAS, .name = "exclude-perf"},
		{0},
	};
	static const struct ts_command c = {.name = "two", .rows = two};

	cr_assert_eq(read_by(&c, "--com=x --exclude"), 0, "%s", err.text);
	cr_expect_str_eq(options.text, "x");
	cr_expect(options.flag);
}

Test(command_line, settles_nothing_once_help_is_asked_for)
{
	cr_assert_eq(read_line("-f --help -t x --nonsense"), 0);
	cr_expect_eq(asks, TS_ASKS_HELP);
	cr_expect_not(options.was_settled);
	cr_assert_eq(read_line("-h"), 0);
	cr_expect_eq(asks, TS_ASKS_HELP);
}
