/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entries of a section of call frame information.
 *
 *	section:  length | CIE: augmentation, alignment factors, program for the start of every frame
 *	          length | FDE: -> CIE, first address, length, program of this function
 *	          ...
 *
 * Sections are hostile: each length is compared with the bytes that exist.
 *
 * Threads: each `struct cfi_entries` belongs to one thread; sections are constant.
 */
#ifndef TS_READER_CFI_CFI_ENTRY_H
#define TS_READER_CFI_CFI_ENTRY_H

#include "reader/cfi/cfi_bytes.h"

struct cfi_section {
	const uint8_t *bytes;
	size_t size;
	uint64_t vaddr;	  /* address of its first byte; pointers may be relative to it */
	bool is_eh_frame; /* else .debug_frame */
};

struct cfi_cie {
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;
	struct cfi_bytes program;
	uint8_t encoding; /* of addresses in its FDEs */
	bool has_augmentation, is_signal;
	bool is_good; /* everything in it was understood */
};

struct cfi_fde {
	const struct cfi_cie *cie; /* valid until the next function is read */
	uint64_t start, size;	   /* addresses */
	struct cfi_bytes program;
};

struct cfi_entries {
	const struct cfi_section *section;
	struct cfi_cie cie;  /* of the previous function; most functions share it */
	uint64_t cie_offset; /* UINT64_MAX: none was read yet */
};

/*
 * Reads the function (FDE) at an offset of the section. False: the entry is not a function's, or not
 * understood. *ret_next is the offset of the next entry; 0: none, or it cannot be found.
 */
bool cfi_entries_function(struct cfi_entries *c, uint64_t offset, uint64_t *ret_next,
			  struct cfi_fde *ret);

#endif
