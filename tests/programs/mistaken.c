// SPDX-License-Identifier: Apache-2.0
/*
 * mistaken MISTAKE: a grandchild that nobody listens to makes a mistake of that kind ("none", "undefined", "overrun"), which
 * only a sanitizer sees; whatever becomes of it, the program ends with 0.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;

static void make_mistake(const char *mistake)
{
	volatile int bits = 40;
	char *block = malloc(8);

	if (!block)
		_exit(1);
	if (strcmp(mistake, "undefined") == 0)
		sink = 1 << bits;
	if (strcmp(mistake, "overrun") == 0)
		sink = *(char *)memset(block, 0, (size_t)bits);
	free(block);
}

static void make_mistake_unheard(const char *mistake)
{
	int nowhere = open("/dev/null", O_WRONLY);

	if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0)
		_exit(1);
	make_mistake(mistake);
}

/* Runs `descend` in a child, and waits for its end. */
static void in_child(void (*descend)(const char *), const char *mistake)
{
	pid_t child = fork();

	if (child < 0)
		_exit(1);
	if (child == 0) {
		descend(mistake);
		_exit(0);
	}
	while (waitpid(child, NULL, 0) < 0)
		;
}

static void make_grandchild(const char *mistake)
{
	in_child(make_mistake_unheard, mistake);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	in_child(make_grandchild, argv[1]);
	return 0;
}
