// SPDX-License-Identifier: GPL-2.0-only
/*
 * libtracecmd-loop FILE: visit every record of a recording with libtracecmd and
 * do nothing with it: what any program on that library pays at least. An
 * instance is read if the top buffer is empty. Prints the number of records.
 */
#include <stdio.h>
#include <stdlib.h>
#include <trace-cmd.h>

static unsigned long nr_records;

static int visit(struct tracecmd_input *handle, struct tep_record *record, int cpu, void *data)
{
	nr_records++;
	return 0;
}

int main(int argc, char **argv)
{
	struct tracecmd_input *handle, *instance;
	int i;

	if (argc != 2) {
		fprintf(stderr, "Usage: libtracecmd-loop FILE\n");
		return 2;
	}
	handle = tracecmd_open(argv[1], 0);
	if (!handle) {
		fprintf(stderr, "libtracecmd-loop: cannot open %s\n", argv[1]);
		return 1;
	}
	tracecmd_iterate_events(handle, NULL, 0, visit, NULL);
	for (i = 0; !nr_records && i < tracecmd_buffer_instances(handle); i++) {
		instance = tracecmd_buffer_instance_handle(handle, i);
		if (!instance)
			continue;
		tracecmd_iterate_events(instance, NULL, 0, visit, NULL);
		tracecmd_close(instance);
	}
	tracecmd_close(handle);
	printf("%lu\n", nr_records);
	return 0;
}
