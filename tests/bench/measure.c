// SPDX-License-Identifier: GPL-2.0-only
/*
 * measure COMMAND...: run it with its output thrown away and print one line:
 * wall seconds, CPU seconds (user and system, its children's included), peak
 * resident memory in KiB, exit status.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(const struct timeval *tv)
{
	return tv->tv_sec + tv->tv_usec * 1e-6;
}

int main(int argc, char **argv)
{
	struct timespec begin, end;
	struct rusage usage;
	int status, null;
	pid_t pid;

	if (argc < 2) {
		fprintf(stderr, "Usage: measure COMMAND...\n");
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &begin);
	pid = fork();
	if (pid < 0) {
		perror("measure: fork");
		return 1;
	}
	if (!pid) {
		null = open("/dev/null", O_WRONLY);
		if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
			_exit(126);
		execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	if (wait4(pid, &status, 0, &usage) < 0) {
		perror("measure: wait4");
		return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%.3f %.3f %ld %d\n",
	       end.tv_sec - begin.tv_sec + (end.tv_nsec - begin.tv_nsec) * 1e-9,
	       seconds(&usage.ru_utime) + seconds(&usage.ru_stime), usage.ru_maxrss,
	       WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}
