// SPDX-License-Identifier: Apache-2.0
#include "reader/objects/symbol_places.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/objects/debug_server.h"
#include "reader/objects/elf_file.h"
#include "reader/runtime/memory.h"

void symbol_fault_note(int *fault, int code)
{
	if (!*fault && (ts_error_is_of_machine(code) || code == EDQUOT || code == MEMORY_REFUSED))
		*fault = code;
}

void symbol_search_note(const struct symbol_search *search, const struct ts_error *err)
{
	if (search->trail)
		ts_bytes_printf(search->trail, "%s\n", err->text);
	if (search->fault)
		symbol_fault_note(search->fault, err->code);
}

void symbol_search_note_elf(const struct symbol_search *search)
{
	const int fault = elf_file_fault();

	if (search->fault)
		symbol_fault_note(search->fault, fault);
}

int symbol_places_set_symfs(struct symbol_places *p, const char *folder, struct ts_error *err)
{
	struct stat st;

	if (stat(folder, &st))
		return ts_error_sys(err, errno, "cannot look for symbols in %s", folder);
	if (!S_ISDIR(st.st_mode))
		return ts_error_set(err, ENOTDIR, "cannot look for symbols in %s: not a directory",
				    folder);
	p->symfs = folder;
	return 0;
}

int symbol_places_set_kallsyms(struct symbol_places *p, const char *file, struct ts_error *err)
{
	if (access(file, R_OK))
		return ts_error_sys(err, errno, "cannot read the kernel's symbols from %s", file);
	p->kallsyms = file;
	return 0;
}

int symbol_places_set_vmlinux(struct symbol_places *p, const char *file, struct ts_error *err)
{
	struct elf_section symtab;
	struct elf_file f;
	int rc = elf_file_open(&f, file, HARMLESS_OWN, err);

	if (rc)
		return rc;
	if (elf_file_section(&f, SHT_SYMTAB, NULL, &symtab))
		p->vmlinux = file;
	else
		rc = ts_error_set(err, ENOENT, "cannot read symbols of %s: it has none", file);
	elf_file_close(&f);
	return rc;
}

int symbol_places_set_servers(struct symbol_places *p, const char *urls, struct ts_error *err)
{
	symbol_places_release(p);
	p->server = debug_server_open(urls, err);
	return p->server ? 0 : -err->code;
}

void symbol_places_settle(const struct symbol_places *p)
{
	if (!p->server)
		debug_server_forbid();
}

void symbol_places_release(struct symbol_places *p)
{
	debug_server_close(p->server);
	p->server = NULL;
}
