// SPDX-License-Identifier: Apache-2.0
#include "reader/cfi/unwind_module.h"

#include <elf.h>
#include <stdatomic.h>

static void read_segments(struct unwind_module *m, const struct elf_file *object)
{
	size_t nr = 0;
	GElf_Phdr ph;

	elf_getphdrnum(object->elf, &nr);
	for (size_t i = 0; i < nr && gelf_getphdr(object->elf, (int)i, &ph); i++) {
		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_X) ||
		    m->nr_segments == UNWIND_SEGMENTS)
			continue;
		if (ph.p_vaddr + ph.p_filesz < ph.p_vaddr ||
		    ph.p_offset + ph.p_filesz < ph.p_offset)
			continue;
		m->segments[m->nr_segments++] =
			(struct cfi_segment){ph.p_vaddr, ph.p_offset, ph.p_filesz};
	}
}

static void open_section(const struct unwind_module *m, struct unwind_section *s,
			 struct elf_file *object, struct elf_section *section, bool is_eh_frame)
{
	struct cfi_section cfi = {.vaddr = section->hdr.sh_addr, .is_eh_frame = is_eh_frame};

	if (!section->data || !elf_file_unpack(object, section) || !section->data->d_buf)
		return;
	cfi.bytes = section->data->d_buf;
	cfi.size = section->data->d_size;
	unwind_section_open(s, &cfi, m->segments, m->nr_segments);
}

void unwind_module_load(struct unwind_module *m, struct elf_file *object)
{
	struct elf_section section;
	GElf_Ehdr ehdr;

	read_segments(m, object);
	if (gelf_getehdr(object->elf, &ehdr) && ehdr.e_machine == EM_X86_64 &&
	    ehdr.e_ident[EI_CLASS] == ELFCLASS64) {
		if (elf_file_section(object, SHT_PROGBITS, ".eh_frame", &section) ||
		    elf_file_section(object, SHT_X86_64_UNWIND, ".eh_frame", &section))
			open_section(m, &m->eh, object, &section, true);
		if (elf_file_section(object, SHT_PROGBITS, ".debug_frame", &section))
			open_section(m, &m->debug, object, &section, false);
	}
}

void unwind_module_release(struct unwind_module *m)
{
	unwind_section_release(&m->eh);
	unwind_section_release(&m->debug);
	m->nr_segments = 0;
}

const struct unwind_rule *unwind_module_find(struct unwind_module *m, uint64_t addr)
{
	const struct unwind_rule *rule = unwind_section_find(&m->eh, addr);

	return rule->how == UNWIND_UNKNOWN ? unwind_section_find(&m->debug, addr) : rule;
}

bool unwind_module_lacks_memory(const struct unwind_module *m)
{
	return atomic_load_explicit(&m->eh.lacks_memory, memory_order_relaxed) ||
	       atomic_load_explicit(&m->debug.lacks_memory, memory_order_relaxed);
}

bool unwind_module_vaddr(const struct unwind_module *m, uint64_t addr, uint64_t *ret_vaddr)
{
	for (size_t i = 0; i < m->nr_segments; i++) {
		const struct cfi_segment *s = &m->segments[i];

		if (addr >= s->offset && addr - s->offset < s->size) {
			*ret_vaddr = addr - s->offset + s->vaddr;
			return true;
		}
	}
	return false;
}
