// SPDX-License-Identifier: Apache-2.0
#include "reader/cfi/cfi_entry.h"

#include <dwarf.h>
#include <string.h>

#include "reader/cfi/unwind_table.h"

#define LENGTH_OF_64BIT 0xffffffffu

static uint64_t get_address(const struct cfi_section *s, struct cfi_bytes *b, uint8_t encoding)
{
	uint64_t here = s->vaddr + (uint64_t)(b->at - s->bytes);
	uint64_t value = cfi_bytes_encoded(b, encoding);

	switch (encoding & 0xf0) {
	case DW_EH_PE_absptr:
		return value;
	case DW_EH_PE_pcrel:
		return value + here;
	default: /* relative to a base that the section does not have, or through memory */
		b->is_bad = true;
		return 0;
	}
}

/* The bytes of the entry at an offset, without its length; *ret_is_64 tells the size of offsets. */
static struct cfi_bytes entry_at(const struct cfi_section *s, uint64_t offset, bool *ret_is_64)
{
	struct cfi_bytes b = {s->bytes + (offset < s->size ? offset : s->size), s->bytes + s->size,
			      false};
	uint64_t length = cfi_bytes_fixed(&b, 4);

	*ret_is_64 = length == LENGTH_OF_64BIT;
	if (*ret_is_64)
		length = cfi_bytes_fixed(&b, 8);
	return cfi_bytes_part(&b, length);
}

static bool is_cie(const struct cfi_section *s, uint64_t id, bool is_64)
{
	if (s->is_eh_frame)
		return !id;
	return id == (is_64 ? UINT64_MAX : UINT32_MAX);
}

static void read_augmentation(struct cfi_cie *cie, const char *text, struct cfi_bytes *b)
{
	struct cfi_bytes data;
	uint8_t encoding;

	cie->has_augmentation = true;
	data = cfi_bytes_part(b, cfi_bytes_uleb(b));
	for (text++; *text; text++) {
		switch (*text) {
		case 'L': /* how the function's own data is found */
			cfi_bytes_fixed(&data, 1);
			break;
		case 'P': /* its personality: nearly always through memory, and not needed */
			encoding = (uint8_t)cfi_bytes_fixed(&data, 1);
			cfi_bytes_encoded(&data, encoding);
			break;
		case 'R':
			cie->encoding = (uint8_t)cfi_bytes_fixed(&data, 1);
			break;
		case 'S':
			cie->is_signal = true;
			break;
		default: /* the rest cannot be decoded */
			cie->is_good = false;
			return;
		}
	}
	if (data.is_bad)
		cie->is_good = false;
}

static void read_cie(const struct cfi_section *s, uint64_t offset, struct cfi_cie *ret)
{
	bool is_64;
	struct cfi_bytes b = entry_at(s, offset, &is_64);
	uint64_t id = cfi_bytes_fixed(&b, is_64 ? 8 : 4);
	uint8_t version = (uint8_t)cfi_bytes_fixed(&b, 1);
	const char *augmentation = (const char *)b.at;

	*ret = (struct cfi_cie){.encoding = DW_EH_PE_absptr};
	if (b.is_bad || !is_cie(s, id, is_64) || !memchr(b.at, '\0', (size_t)(b.end - b.at)))
		return;
	b.at += strlen(augmentation) + 1;
	ret->is_good = version == 1 || version == 3 || version == 4;
	if (version == 4) /* sizes of addresses and of segment selectors */
		ret->is_good = cfi_bytes_fixed(&b, 1) == 8 && !cfi_bytes_fixed(&b, 1);
	ret->code_align = cfi_bytes_uleb(&b);
	ret->data_align = cfi_bytes_sleb(&b);
	ret->ra = version == 1 ? cfi_bytes_fixed(&b, 1) : cfi_bytes_uleb(&b);
	if (*augmentation == 'z')
		read_augmentation(ret, augmentation, &b);
	else if (*augmentation)
		ret->is_good = false;
	ret->program = b;
	ret->is_good = ret->is_good && !b.is_bad && ret->ra == UNWIND_RA;
}

bool cfi_entries_function(struct cfi_entries *c, uint64_t offset, uint64_t *ret_next,
			  struct cfi_fde *ret)
{
	bool is_64;
	struct cfi_bytes b = entry_at(c->section, offset, &is_64);
	const uint64_t begin = (uint64_t)(b.at - c->section->bytes);
	uint64_t id;

	*ret_next = b.is_bad ? 0 : (uint64_t)(b.end - c->section->bytes);
	if (b.at == b.end) {
		if (c->section->is_eh_frame) /* the terminator */
			*ret_next = 0;
		return false;
	}
	id = cfi_bytes_fixed(&b, is_64 ? 8 : 4);
	if (b.is_bad || is_cie(c->section, id, is_64))
		return false;
	if (c->section->is_eh_frame) /* the distance back to the CIE */
		id = begin - id;
	if (id != c->cie_offset) {
		read_cie(c->section, id, &c->cie);
		c->cie_offset = id;
	}
	if (!c->cie.is_good)
		return false;
	*ret = (struct cfi_fde){.cie = &c->cie};
	ret->start = get_address(c->section, &b, c->cie.encoding);
	ret->size = cfi_bytes_encoded(&b, c->cie.encoding & 0x0f);
	if (c->cie.has_augmentation)
		cfi_bytes_part(&b, cfi_bytes_uleb(&b));
	ret->program = b;
	return !b.is_bad && ret->start + ret->size >= ret->start;
}
