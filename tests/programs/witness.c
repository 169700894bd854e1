// SPDX-License-Identifier: Apache-2.0
/* A plugin of anybody: says that it was loaded, into whichever program it was. */
#include <unistd.h>

__attribute__((constructor)) static void tell(void)
{
	static const char text[] = "the plugin was loaded\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(99);
}
