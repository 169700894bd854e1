// SPDX-License-Identifier: Apache-2.0
#include "streamer/machine/kmodules.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/support/scratch.h"

Test(kmodules, names_modules_by_their_files)
{
	char path[64], expected[128];
	struct scratch folder;
	struct kmodules m;
	struct ts_error err;

	scratch_make(&folder);
	scratch_put(&folder, "modules",
		    "snd_hda_intel 57344 2 - Live 0xffffffffc0800000\n"
		    "ext4 1011712 1 jbd2,mbcache, Live 0xffffffffc0400000 (E)\n"
		    "made_here 16384 0 - Live 0xffffffffc0100000 (OE)\n");
	scratch_put(&folder, "modules.dep",
		    "kernel/fs/ext4/ext4.ko.xz: kernel/fs/jbd2/jbd2.ko.xz\n"
		    "kernel/sound/pci/hda/snd-hda-intel.ko:\n"
		    "kernel/fs/ext2/ext2.ko:\n");
	snprintf(path, sizeof(path), "%s/modules", folder.path);
	cr_assert_eq(kmodules_load(&m, path, folder.path, &err), 0);
	cr_assert_eq(m.nr, 3);
	snprintf(expected, sizeof(expected), "%s/kernel/fs/ext4/ext4.ko.xz", folder.path);
	cr_assert_str_eq(m.items[0].path, expected);
	cr_assert_eq(m.items[0].start, 0xffffffffc0400000);
	cr_assert_eq(m.items[0].bytes, 1011712);
	cr_assert_str_eq(m.items[1].path, "[made_here]");
	snprintf(expected, sizeof(expected), "%s/kernel/sound/pci/hda/snd-hda-intel.ko",
		 folder.path);
	cr_assert_str_eq(m.items[2].name, "snd_hda_intel");
	cr_assert_str_eq(m.items[2].path, expected);
	kmodules_release(&m);
	scratch_remove(&folder);
}

Test(kmodules, is_empty_for_a_kernel_without_modules)
{
	struct kmodules m;
	struct ts_error err;

	cr_assert_eq(kmodules_load(&m, "/nonexistent/modules", "/nonexistent", &err), 0);
	cr_assert_eq(m.nr, 0);
	kmodules_release(&m);
}

Test(kmodules, refuses_lines_of_another_form)
{
	size_t name_len;
	uint64_t bytes, start;
	char name[16];

	cr_assert_not(kmodules_parse_line("ext4", 4, &name_len, &bytes, &start));
	cr_assert_not(kmodules_parse_line("ext4 x 1 - Live 0xff", 20, &name_len, &bytes, &start));
	cr_assert_not(kmodules_parse_dep("kernel/a.ko", 11, name, sizeof(name), &name_len));
	cr_assert_not(kmodules_parse_dep("kernel/a.txt:", 13, name, sizeof(name), &name_len));
	cr_assert_not(kmodules_parse_dep("a_name_too_long_for_us.ko:", 26, name, sizeof(name),
					 &name_len));
}
