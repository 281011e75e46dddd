/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The Check suites, one per module: check_NAME.c has Suite *NAME_suite(void).
 */
#ifndef FOLIOSCOPE_TESTS_SUITES_H
#define FOLIOSCOPE_TESTS_SUITES_H

#include <check.h>

/* SUITE_LIST(X): made by the Makefile from the names of tests/check_*.c */
#include "suite_list.h"

#define X(name) Suite *name##_suite(void);
SUITE_LIST(X)
#undef X

#endif /* FOLIOSCOPE_TESTS_SUITES_H */
