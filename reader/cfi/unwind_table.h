/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The unwind table of a module: for each of its addresses a rule that leads from a frame to its
 * caller's.
 *
 *	.eh_frame, .debug_frame --(cfi.c: each function's program is run once)--> rows
 *
 *	rows   [0x1000 rule 3][0x1001 rule 7][0x1004 rule 2][0x1080 none][0x10a0 rule 3] ...
 *	        a row holds from its start to that of the next; equal rules are stored once
 *
 * Addresses are file offsets, as in all questions to a module. Some expressions are none of the
 * usual ones, and a rule cannot express them. Such a rule is marked (UNWIND_ASK), and libdw must be
 * asked.
 *
 * Threads: one thread fills and finishes it; then any number of threads may call
 * unwind_table_find().
 *
 * Source: DWARF 5, section 6.4; the System V ABI of x86-64, section 3.6 and 3.7; registers have
 * DWARF's numbers.
 */
#ifndef TS_READER_CFI_UNWIND_TABLE_H
#define TS_READER_CFI_UNWIND_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNWIND_REGS 17 /* of x86-64: 16 of general purpose and the return address */
#define UNWIND_RBP  6
#define UNWIND_RSP  7
#define UNWIND_RA   16
/* A function may change none of these without saving it: rbx, rbp, r12 to r15. */
#define UNWIND_CALLEE_SAVED (1u << 3 | 1u << 6 | 0xfu << 12)

enum unwind_how {
	UNWIND_UNKNOWN, /* no information covers the address */
	UNWIND_STEP,	/* the rule tells the caller's frame */
	UNWIND_END,	/* there is no caller */
	UNWIND_ASK,	/* only libdw can tell */
};

enum unwind_cfa {		    /* the canonical frame address */
		  UNWIND_CFA_REG,   /* register + offset */
		  UNWIND_CFA_DEREF, /* the word at register + offset, + second offset */
		  UNWIND_CFA_PLT,   /* rsp + 8, and 8 more from byte `offset` of a slot of 16 on */
};

enum unwind_value {		      /* where the caller's value of a register is */
		    UNWIND_DEFAULT,   /* unchanged where the ABI says so, else unknown */
		    UNWIND_SAME,      /* unchanged */
		    UNWIND_UNDEFINED, /* nowhere */
		    UNWIND_AT_CFA,    /* the word at CFA + offset */
		    UNWIND_CFA_PLUS,  /* CFA + offset itself */
		    UNWIND_AT_REG,    /* the word at another register + offset */
		    UNWIND_REG_PLUS,  /* another register + offset itself */
		    UNWIND_COMPLEX,   /* an expression that is none of these */
};

struct unwind_save {
	uint8_t value; /* enum unwind_value, 8 bits */
	uint8_t to;    /* the register whose value it is, while it is listed */
	uint8_t base;  /* of _AT_REG, _REG_PLUS */
	int32_t offset;
};

/* Rules are compared byte by byte: unused fields must be zero. */
struct unwind_rule {
	uint8_t how;	 /* enum unwind_how, 8 bits */
	uint8_t cfa;	 /* enum unwind_cfa */
	uint8_t cfa_reg; /* DWARF number, below UNWIND_REGS */
	bool is_signal;	 /* the caller was interrupted: its address is no return address */
	int32_t cfa_offset, cfa_offset2;
	uint32_t nr_saves; /* of registers that are neither default nor as the ABI says */
	struct unwind_save saves[UNWIND_REGS];
};

struct unwind_row {
	uint32_t start; /* from here on, relative to the table's base */
	uint32_t rule;	/* index; 0: none */
};

struct unwind_table {
	uint64_t base;		 /* file offset that rows are relative to */
	struct unwind_row *rows; /* sorted by start after unwind_table_finish() */
	size_t nr, cap;
	struct unwind_rule *rules; /* rules[0]: UNWIND_UNKNOWN */
	uint32_t nr_rules, cap_rules;
	uint32_t *slots; /* of rules, by hash: index + 1, 0 free; power of two */
	size_t nr_slots;
	uint64_t key;	   /* of the hash; see common/base/keyed_hash.h */
	bool failed;	   /* out of memory, or more than a table may have; sticky */
	bool lacks_memory; /* it failed for want of memory */
};

void unwind_table_init(struct unwind_table *t, uint64_t base);
void unwind_table_release(struct unwind_table *t); /* accepts a zeroed one; idempotent */

/*
 * The rule holds for [start, end). If two ranges overlap, the one that begins first ends where the
 * other begins. Parts beyond 4 GiB from the base are left out.
 */
void unwind_table_add(struct unwind_table *t, uint64_t start, uint64_t end,
		      const struct unwind_rule *rule);
/* Ends the additions. */
void unwind_table_finish(struct unwind_table *t);
/* The rule of a file offset; never NULL once finished. UNWIND_UNKNOWN: no rule is known. */
const struct unwind_rule *unwind_table_find(const struct unwind_table *t, uint64_t addr);

#endif
