// SPDX-License-Identifier: Apache-2.0
#include "common/options/completion.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char help_of_help[] = "show the options";

struct script { /* the script that is being made */
	const char *program;
	const struct ts_command *const *commands;
	size_t nr_commands;
	struct ts_bytes *out;
};

typedef void (*put_row)(const struct script *s, const struct ts_command *command,
			const struct ts_option_place *place);

static void each_row_of(const struct script *s, const struct ts_command *command, put_row put,
			bool hides)
{
	size_t nr;
	struct ts_option_place *places = ts_options_list(command->rows, NULL, &nr);

	if (!places)
		s->out->failed = true;
	for (size_t i = 0; places && i < nr; i++)
		if (!hides || ts_option_is_shown(places[i].of))
			put(s, command, &places[i]);
	free(places);
}

static void each_row(const struct script *s, const struct ts_command *command, put_row put)
{
	each_row_of(s, command, put, true);
}

/*
 * Puts text between single quotes of a shell; `escaped` are the characters that get a
 * backslash, such as those with a meaning in zsh's arguments.
 */
static void put_quoted(struct ts_bytes *out, const char *text, const char *escaped)
{
	for (; text && *text; text++) {
		if (*text == '\'')
			ts_bytes_printf(out, "'\\''");
		else
			ts_bytes_printf(out, "%s%c", strchr(escaped, *text) ? "\\" : "", *text);
	}
}

/* The names of an option, for a list of words. */
static void put_names(const struct script *s, const struct ts_command *command,
		      const struct ts_option_place *place)
{
	(void)command;
	if (place->row->letter)
		ts_bytes_printf(s->out, " -%c", place->row->letter);
	if (place->row->name)
		ts_bytes_printf(s->out, " --%s", place->row->name);
}

/* The same of an option whose value may be the next word. */
static void put_valued_row(const struct script *s, const struct ts_command *command,
			   const struct ts_option_place *place)
{
	if (ts_option_needs_value(place->of))
		put_names(s, command, place);
}

static void put_commands(const struct script *s)
{
	for (size_t i = 0; i < s->nr_commands; i++)
		ts_bytes_printf(s->out, "%s%s", i ? " " : "", s->commands[i]->name);
}

/* --- bash --- */

static void put_bash_words(const struct script *s, const struct ts_command *command)
{
	ts_bytes_printf(s->out, "\t%s) words='--help", command->name);
	each_row(s, command, put_names);
	ts_bytes_printf(s->out, "'");
	if (command->rest_is_program) {
		ts_bytes_printf(s->out, " valued='");
		each_row_of(s, command, put_valued_row, false);
		ts_bytes_printf(s->out, " '");
	}
	ts_bytes_printf(s->out, " ;;\n");
}

/*
 * bash makes words of their own of = and : in its list. Where a program stands behind the options,
 * the loop walks over the options before the cursor, each with its value, up to the program's name.
 */
static const char bash_before[] = "\tlocal word=${COMP_WORDS[COMP_CWORD]} words= valued= at=2\n"
				  "\tcase ${COMP_WORDS[1]} in\n";
static const char bash_behind[] =
	"\twhile [[ $valued && ${COMP_WORDS[at]} == -?* ]] && ((at < COMP_CWORD)); do\n"
	"\t\tif [[ $valued == *\" ${COMP_WORDS[at]} \"* && ${COMP_WORDS[at + 1]} != = ]]; then\n"
	"\t\t\t((at++))\n"
	"\t\telif [[ ${COMP_WORDS[at]} == -- ]]; then\n"
	"\t\t\t((at++))\n"
	"\t\t\tbreak\n"
	"\t\tfi\n"
	"\t\t((at++))\n"
	"\t\twhile [[ ${COMP_WORDS[at]} == [=:] ]]; do\n"
	"\t\t\t((at += 2))\n"
	"\t\tdone\n"
	"\tdone\n"
	"\tif [[ $valued ]] && ((at < COMP_CWORD)); then\n"
	"\t\tdeclare -F _command_offset >/dev/null && _command_offset $at\n"
	"\telif [[ $valued && $word != -* ]] && ((at == COMP_CWORD)); then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -c -- \"$word\")\n"
	"\telif [[ $word == -* ]] || ((COMP_CWORD == 1)) ||\n"
	"\t\t[[ $COMP_CWORD == 2 && ${COMP_WORDS[1]} == @(help|completion) ]]; then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
	"\tfi\n";

static void put_bash(const struct script *s)
{
	ts_bytes_printf(s->out, "_%s()\n{\n%s", s->program, bash_before);
	for (size_t i = 0; i < s->nr_commands; i++)
		put_bash_words(s, s->commands[i]);
	ts_bytes_printf(s->out, "\thelp) words='");
	put_commands(s);
	ts_bytes_printf(s->out, "' ;;\n\tcompletion) words='bash zsh fish' ;;\n\tesac\n"
				"\t((COMP_CWORD > 1)) || words='help completion ");
	put_commands(s);
	ts_bytes_printf(s->out, "'\n%s}\ncomplete -o default -F _%s %s\n", bash_behind, s->program,
			s->program);
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
	ts_bytes_printf(s->out, "\t)\n\tif ((CURRENT == 2)) || [[ $words[2] = help ]]; then\n"
				"\t\t_describe command commands\n\t\treturn\n\tfi\n"
				"\tlocal command=$words[2]\n\tshift words\n\t((CURRENT--))\n"
				"\tcase $command in\n");
	for (size_t i = 0; i < s->nr_commands; i++) {
		ts_bytes_printf(s->out, "\t%s)\n\t\t_arguments -s -A '-*' \\\n\t\t\t'--help[%s]'",
				s->commands[i]->name, help_of_help);
		each_row(s, s->commands[i], put_zsh_row);
		ts_bytes_printf(s->out, " \\\n\t\t\t%s\n\t\t;;\n",
				s->commands[i]->rest_is_program
					? "'(-)1:command:_command_names -e' '*::arguments:_normal'"
					: "'*:file:_files'");
	}
	ts_bytes_printf(
		s->out,
		"\tesac\n}\n"
		"if [ \"$funcstack[1]\" = _%s ]; then\n\t_%s \"$@\"\nelse\n\tcompdef _%s %s\nfi\n",
		s->program, s->program, s->program, s->program);
}

/* --- fish --- */

/* Of a command with a program behind its options: is the cursor still among the options? */
static const char fish_before[] = "function __%s_%s_options\n"
				  "\tset -l words (commandline -opc)\n"
				  "\ttest \"$words[2]\" = %s; or return 1\n"
				  "\tset -l at 3\n"
				  "\twhile test $at -le (count $words)\n"
				  "\t\tswitch $words[$at]\n"
				  "\t\t\tcase --\n\t\t\t\treturn 1\n"
				  "\t\t\tcase";
static const char fish_behind[] = "\n\t\t\t\tset at (math $at + 2)\n"
				  "\t\t\tcase '-*'\n\t\t\t\tset at (math $at + 1)\n"
				  "\t\t\tcase '*'\n\t\t\t\treturn 1\n"
				  "\t\tend\n\tend\nend\n";

static void put_fish_condition(const struct script *s, const struct ts_command *command)
{
	ts_bytes_printf(s->out, "complete -c %s -n '", s->program);
	if (command->rest_is_program)
		ts_bytes_printf(s->out, "__%s_%s_options'", s->program, command->name);
	else
		ts_bytes_printf(s->out, "__fish_seen_subcommand_from %s'", command->name);
}

static void put_fish_row(const struct script *s, const struct ts_command *command,
			 const struct ts_option_place *place)
{
	const struct ts_option *row = place->row;

	put_fish_condition(s, command);
	if (row->letter)
		ts_bytes_printf(s->out, " -s %c", row->letter);
	if (row->name)
		ts_bytes_printf(s->out, " -l %s", row->name);
	ts_bytes_printf(s->out, "%s -d '", ts_option_needs_value(place->of) ? " -r" : "");
	put_quoted(s->out, place->of->help ? place->of->help : row->name, "\\");
	ts_bytes_printf(s->out, "'\n");
}

static void put_fish_command(const struct script *s, const struct ts_command *command)
{
	ts_bytes_printf(s->out, "complete -c %s -f -n __fish_use_subcommand -a %s -d '", s->program,
			command->name);
	put_quoted(s->out, command->summary, "\\");
	ts_bytes_printf(s->out, "'\n");
	if (command->rest_is_program) {
		ts_bytes_printf(s->out, fish_before, s->program, command->name, command->name);
		each_row_of(s, command, put_valued_row, false);
		ts_bytes_printf(s->out, "%s", fish_behind);
	}
	put_fish_condition(s, command);
	ts_bytes_printf(s->out, " -l help -d '%s'\n", help_of_help);
	each_row(s, command, put_fish_row);
}

static void put_fish(const struct script *s)
{
	ts_bytes_printf(s->out,
			"complete -c %s -f -n __fish_use_subcommand -a help -d '%s'\n"
			"complete -c %s -f -n '__fish_seen_subcommand_from help' -a '",
			s->program, help_of_help, s->program);
	put_commands(s);
	ts_bytes_printf(s->out, "'\n");
	for (size_t i = 0; i < s->nr_commands; i++)
		put_fish_command(s, s->commands[i]);
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
