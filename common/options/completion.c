// SPDX-License-Identifier: Apache-2.0
#include "common/options/completion.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct script { /* what is being made */
	const char *program;
	const struct ts_command *const *commands;
	size_t nr_commands;
	struct ts_bytes *out;
};

typedef void (*put_row)(const struct script *s, const struct ts_command *command,
			const struct ts_option_place *place);

static void each_row(const struct script *s, const struct ts_command *command, put_row put)
{
	size_t nr;
	struct ts_option_place *places = ts_options_list(command->rows, NULL, &nr);

	if (!places)
		s->out->failed = true;
	for (size_t i = 0; places && i < nr; i++)
		if (ts_option_is_shown(places[i].of))
			put(s, command, &places[i]);
	free(places);
}

/* Text between single quotes of a shell; of zsh's arguments also what means something in them. */
static void put_quoted(struct ts_bytes *out, const char *text, const char *escaped)
{
	for (; text && *text; text++) {
		if (*text == '\'')
			ts_bytes_printf(out, "'\\''");
		else
			ts_bytes_printf(out, "%s%c", strchr(escaped, *text) ? "\\" : "", *text);
	}
}

/* --- bash --- */

static void put_bash_row(const struct script *s, const struct ts_command *command,
			 const struct ts_option_place *place)
{
	(void)command;
	if (place->row->letter)
		ts_bytes_printf(s->out, " -%c", place->row->letter);
	if (place->row->name)
		ts_bytes_printf(s->out, " --%s", place->row->name);
}

static void put_bash(const struct script *s)
{
	ts_bytes_printf(s->out,
			"_%s()\n{\n"
			"\tlocal word=${COMP_WORDS[COMP_CWORD]} words=\n"
			"\tif ((COMP_CWORD == 1)); then\n\t\twords='",
			s->program);
	for (size_t i = 0; i < s->nr_commands; i++)
		ts_bytes_printf(s->out, "%s%s", i ? " " : "", s->commands[i]->name);
	ts_bytes_printf(s->out, "'\n\telif [[ $word == -* ]]; then\n"
				"\t\tcase ${COMP_WORDS[1]} in\n");
	for (size_t i = 0; i < s->nr_commands; i++) {
		ts_bytes_printf(s->out, "\t\t%s) words='--help", s->commands[i]->name);
		each_row(s, s->commands[i], put_bash_row);
		ts_bytes_printf(s->out, "' ;;\n");
	}
	ts_bytes_printf(s->out,
			"\t\tesac\n\tfi\n"
			"\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n}\n"
			"complete -o default -F _%s %s\n",
			s->program, s->program);
}

/* --- zsh --- */

static void put_zsh_name(const struct script *s, const struct ts_option_place *place, bool is_long)
{
	const struct ts_option *of = place->of;
	bool has_value = ts_option_takes_value(of), is_needed = ts_option_needs_value(of);

	ts_bytes_printf(s->out, " \\\n\t\t\t'*");
	if (is_long)
		ts_bytes_printf(s->out, "--%s%s[", place->row->name,
				has_value ? (is_needed ? "=" : "=-") : "");
	else
		ts_bytes_printf(s->out, "-%c%s[", place->row->letter,
				has_value ? (is_needed ? "+" : "-") : "");
	put_quoted(s->out, of->help ? of->help : place->row->name, "[]:\\");
	ts_bytes_printf(s->out, "]%s", has_value ? (is_needed ? ":" : "::") : "");
	if (has_value) {
		put_quoted(s->out, of->value, ":\\");
		ts_bytes_printf(s->out, ":_files");
	}
	ts_bytes_printf(s->out, "'");
}

static void put_zsh_row(const struct script *s, const struct ts_command *command,
			const struct ts_option_place *place)
{
	(void)command;
	if (place->row->letter)
		put_zsh_name(s, place, false);
	if (place->row->name)
		put_zsh_name(s, place, true);
}

static void put_zsh(const struct script *s)
{
	ts_bytes_printf(s->out, "#compdef %s\n_%s()\n{\n\tlocal -a commands\n\tcommands=(\n",
			s->program, s->program);
	for (size_t i = 0; i < s->nr_commands; i++) {
		ts_bytes_printf(s->out, "\t\t'%s:", s->commands[i]->name);
		put_quoted(s->out, s->commands[i]->summary, ":\\");
		ts_bytes_printf(s->out, "'\n");
	}
	ts_bytes_printf(s->out, "\t)\n\tif ((CURRENT == 2)); then\n"
				"\t\t_describe command commands\n\t\treturn\n\tfi\n"
				"\tlocal command=$words[2]\n\tshift words\n\t((CURRENT--))\n"
				"\tcase $command in\n");
	for (size_t i = 0; i < s->nr_commands; i++) {
		ts_bytes_printf(s->out, "\t%s)\n\t\t_arguments -s", s->commands[i]->name);
		each_row(s, s->commands[i], put_zsh_row);
		ts_bytes_printf(s->out, " \\\n\t\t\t'*:file:_files'\n\t\t;;\n");
	}
	ts_bytes_printf(
		s->out,
		"\tesac\n}\n"
		"if [ \"$funcstack[1]\" = _%s ]; then\n\t_%s \"$@\"\nelse\n\tcompdef _%s %s\nfi\n",
		s->program, s->program, s->program, s->program);
}

/* --- fish --- */

static void put_fish_row(const struct script *s, const struct ts_command *command,
			 const struct ts_option_place *place)
{
	const struct ts_option *row = place->row;

	ts_bytes_printf(s->out, "complete -c %s -n '__fish_seen_subcommand_from %s'", s->program,
			command->name);
	if (row->letter)
		ts_bytes_printf(s->out, " -s %c", row->letter);
	if (row->name)
		ts_bytes_printf(s->out, " -l %s", row->name);
	ts_bytes_printf(s->out, "%s -d '", ts_option_needs_value(place->of) ? " -r" : "");
	put_quoted(s->out, place->of->help ? place->of->help : row->name, "\\");
	ts_bytes_printf(s->out, "'\n");
}

static void put_fish(const struct script *s)
{
	for (size_t i = 0; i < s->nr_commands; i++) {
		ts_bytes_printf(s->out, "complete -c %s -f -n __fish_use_subcommand -a %s -d '",
				s->program, s->commands[i]->name);
		put_quoted(s->out, s->commands[i]->summary, "\\");
		ts_bytes_printf(s->out, "'\n");
		each_row(s, s->commands[i], put_fish_row);
	}
}

int ts_completion(const char *shell, const char *program, const struct ts_command *const *commands,
		  size_t nr_commands, struct ts_bytes *out, struct ts_error *err)
{
	const struct script s = {program, commands, nr_commands, out};

	if (!strcmp(shell, "bash"))
		put_bash(&s);
	else if (!strcmp(shell, "zsh"))
		put_zsh(&s);
	else if (!strcmp(shell, "fish"))
		put_fish(&s);
	else
		return ts_error_set(err, EINVAL, "cannot complete for '%s': give bash, zsh or fish",
				    shell);
	return 0;
}
