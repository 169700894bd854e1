// SPDX-License-Identifier: Apache-2.0
#include "reader/samples/unwind_elf.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROCESSES 8 /* sets of maps that are kept */

struct process {
	uint64_t space;
	Dwfl *dwfl; /* NULL: free */
	bool is_attached;
};

struct unwind_elf {
	struct symbols *symbols;
	struct process processes[PROCESSES];
	unsigned int next; /* index of the process to replace next */
	/* while a sample is unwound */
	const struct unwind_elf_sample *sample;
	struct process *process;
	uint64_t *ips;
	uint32_t nr, max;
};

/* --- modules --- */

static int no_elf(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr base, char **ret_name,
		  Elf **ret_elf)
{
	(void)mod, (void)data, (void)name, (void)base, (void)ret_name, (void)ret_elf;
	return -1;
}

/* libdw's own callback would search for debug files, even in the network. */
static int no_debug(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr base,
		    const char *file, const char *link, GElf_Word crc, char **ret_name)
{
	(void)mod, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc,
		(void)ret_name;
	return -1;
}

static const Dwfl_Callbacks no_search = {
	.find_elf = no_elf,
	.find_debuginfo = no_debug,
	.section_address = dwfl_offline_section_address,
};

/* Reports the module at an address to libdw, unless it was reported before. */
static void report_module(struct unwind_elf *u, uint64_t addr)
{
	const struct ts_sample_id *sid = u->sample->sid;
	struct symbols_object object;
	char name[32];

	if (dwfl_addrmodule(u->process->dwfl, addr) ||
	    !symbols_open_object(u->symbols, sid->pid, addr, sid->time_ns, &object))
		return;
	/*
	 * libdw tells modules apart by name, and the same file may be mapped twice: the bias is the
	 * name.
	 */
	snprintf(name, sizeof(name), "%" PRIx64, object.bias);
	/* on success libdw owns the descriptor */
	if (!dwfl_report_elf(u->process->dwfl, name, name, object.fd, object.bias, true))
		close(object.fd);
}

/* --- what libdw asks of a process --- */

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	(void)dwfl;
	if (*thread_arg)
		return 0;
	*thread_arg = arg;
	return 1;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread_arg)
{
	(void)dwfl, (void)tid;
	*thread_arg = arg;
	return true;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *ret, void *arg)
{
	const struct unwind_elf *u = arg;

	(void)dwfl;
	return unwind_stack_read(&u->sample->stack, addr, ret);
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	const struct unwind_elf *u = arg;

	for (int reg = 0; reg < UNWIND_REGS; reg++) {
		Dwarf_Word value = u->sample->regs[reg];

		if (u->sample->known >> reg & 1 &&
		    !dwfl_thread_state_registers(thread, reg, 1, &value))
			return false;
	}
	dwfl_thread_state_register_pc(thread, u->sample->regs[UNWIND_RA]);
	return true;
}

static const Dwfl_Thread_Callbacks of_sample = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

static int take_frame(Dwfl_Frame *frame, void *arg)
{
	struct unwind_elf *u = arg;
	bool is_activation = false;
	Dwarf_Addr pc;

	if (!dwfl_frame_pc(frame, &pc, NULL) || !pc)
		return DWARF_CB_ABORT;
	/* Report both: libdw decides by the rules of the address whether it is a return address. */
	report_module(u, pc);
	report_module(u, pc - 1);
	if (!dwfl_frame_pc(frame, &pc, &is_activation))
		return DWARF_CB_ABORT;
	u->ips[u->nr++] = pc - !is_activation;
	return u->nr < u->max ? DWARF_CB_OK : DWARF_CB_ABORT;
}

/* --- processes --- */

static void close_process(struct process *p)
{
	if (p->dwfl)
		dwfl_end(p->dwfl);
	*p = (struct process){0};
}

static struct process *open_process(struct unwind_elf *u, uint64_t space)
{
	struct process *p;

	for (unsigned int i = 0; i < PROCESSES; i++)
		if (u->processes[i].dwfl && u->processes[i].space == space)
			return &u->processes[i];
	p = &u->processes[u->next++ % PROCESSES];
	close_process(p);
	p->space = space;
	p->dwfl = dwfl_begin(&no_search);
	return p->dwfl ? p : NULL;
}

/* The numbers are the libraries' own, the texts are not. */
static bool is_of_memory(const char *text)
{
	return text && !strcmp(text, "out of memory");
}

static void note_fault(struct unwind_elf *u)
{
	if (!u->process || is_of_memory(dwfl_errmsg(0)) || is_of_memory(dwarf_errmsg(0)) ||
	    is_of_memory(elf_errmsg(0)))
		symbols_note_fault(u->symbols, ENOMEM);
}

uint32_t unwind_elf_sample(struct unwind_elf *u, const struct unwind_elf_sample *sample,
			   uint64_t *ret_ips, uint32_t max)
{
	const uint64_t pc = sample->regs[UNWIND_RA];

	u->sample = sample;
	u->ips = ret_ips;
	u->nr = 0;
	u->max = max;
	u->process = open_process(u, sample->space);
	if (u->process) {
		report_module(u, pc);
		/* libdw takes the machine type from the first module. */
		if (!u->process->is_attached)
			u->process->is_attached =
				dwfl_attach_state(u->process->dwfl, NULL, 1, &of_sample, u);
		if (u->process->is_attached)
			dwfl_getthread_frames(u->process->dwfl, 1, take_frame, u);
	}
	note_fault(u);
	return u->nr;
}

struct unwind_elf *unwind_elf_new(struct symbols *symbols)
{
	struct unwind_elf *u = calloc(1, sizeof(*u));

	if (u)
		u->symbols = symbols;
	return u;
}

void unwind_elf_free(struct unwind_elf *u)
{
	for (unsigned int i = 0; u && i < PROCESSES; i++)
		close_process(&u->processes[i]);
	free(u);
}
