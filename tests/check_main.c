// SPDX-License-Identifier: GPL-2.0-only
#include "suites.h"

#include <stdlib.h>

int main(void)
{
	SRunner *runner = srunner_create(NULL);
	int nr_failed;

#define X(name) srunner_add_suite(runner, name##_suite());
	SUITE_LIST(X)
#undef X
	srunner_run_all(runner, CK_ENV);
	nr_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return nr_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
