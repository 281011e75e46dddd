// SPDX-License-Identifier: GPL-2.0-only
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/cgroups.h"
#include "suites.h"

/* Directories as the kernel has them for cgroups, the deepest first to remove. */
static const char *const dirs[] = { "b/c", "b", "a", "d", "" };
#define NR_DIRS (sizeof(dirs) / sizeof(dirs[0]))

static char root[64];
static char *memcgs, *stats;
static size_t memcgs_bytes, stats_bytes;

static const char *path_of(const char *dir, const char *file)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s%s%s%s%s", root, *dir ? "/" : "", dir, *file ? "/" : "", file);
	return path;
}

static void make_tree(void)
{
	unsigned i;

	strcpy(root, "/tmp/folioscope-cgroups-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	for (i = NR_DIRS; i--;) {
		FILE *file;

		ck_assert(!*dirs[i] || !mkdir(path_of(dirs[i], ""), 0700));
		/* one is gone already */
		if (!strcmp(dirs[i], "d"))
			continue;
		file = fopen(path_of(dirs[i], "memory.stat"), "w");
		ck_assert_ptr_nonnull(file);
		fprintf(file, "anon 4096\npgscan_anon %u\npgsteal_file 7\nthp_fault_alloc 1\n", i);
		fclose(file);
	}
}

static void remove_tree(void)
{
	unsigned i;

	free(memcgs);
	free(stats);
	memcgs = stats = NULL;
	for (i = 0; i < NR_DIRS; i++) {
		unlink(path_of(dirs[i], "memory.stat"));
		rmdir(path_of(dirs[i], ""));
	}
}

/* Returns what cgroups_copy() does, with memcgs and stats set. */
static int copy(const char *of, unsigned max, uint64_t *nr_left_out)
{
	FILE *a = open_memstream(&memcgs, &memcgs_bytes), *b = open_memstream(&stats, &stats_bytes);
	int ret = cgroups_copy(of, max, a, b, nr_left_out);

	fclose(a);
	fclose(b);
	return ret;
}

/* "INODE NAME\n", by name, a directory before what is in it. */
static void expect_memcgs(const char *const names[], unsigned nr)
{
	char expected[600] = "";
	struct stat st;
	unsigned i;

	for (i = 0; i < nr; i++) {
		ck_assert_int_eq(stat(path_of(names[i] + 1, ""), &st), 0);
		sprintf(expected + strlen(expected), "%llu %s\n", (unsigned long long)st.st_ino,
			names[i]);
	}
	ck_assert_str_eq(memcgs, expected);
}

static const char *const all[] = { "/", "/a", "/b", "/b/c", "/d" };

START_TEST(copies_all)
{
	uint64_t nr_left_out = 99;

	ck_assert_int_eq(copy(root, 5, &nr_left_out), 0);
	ck_assert_uint_eq(nr_left_out, 0);
	expect_memcgs(all, 5);
	/* counters that events decide, and nothing for the one that is gone */
	ck_assert_str_eq(stats, "# / memory.stat\npgscan_anon 4\npgsteal_file 7\n"
				"# /a memory.stat\npgscan_anon 2\npgsteal_file 7\n"
				"# /b memory.stat\npgscan_anon 1\npgsteal_file 7\n"
				"# /b/c memory.stat\npgscan_anon 0\npgsteal_file 7\n");
}
END_TEST

START_TEST(says_what_it_leaves_out)
{
	uint64_t nr_left_out = 99;

	ck_assert_int_eq(copy(root, 2, &nr_left_out), 0);
	ck_assert_uint_eq(nr_left_out, 3);
	expect_memcgs(all, 2);
	ck_assert_ptr_nonnull(strstr(stats, "# /a "));
	ck_assert_ptr_null(strstr(stats, "# /b "));
}
END_TEST

START_TEST(says_what_it_cannot_read)
{
	uint64_t nr_left_out;

	ck_assert_int_eq(copy("/tmp/no/such/directory", 5, &nr_left_out), ENOENT);
	ck_assert_uint_eq(memcgs_bytes + stats_bytes, 0);
}
END_TEST

Suite *cgroups_suite(void)
{
	Suite *s = suite_create("cgroups");
	TCase *tc = tcase_create("copy");

	tcase_add_checked_fixture(tc, make_tree, remove_tree);
	tcase_add_test(tc, copies_all);
	tcase_add_test(tc, says_what_it_leaves_out);
	tcase_add_test(tc, says_what_it_cannot_read);
	suite_add_tcase(s, tc);
	return s;
}
