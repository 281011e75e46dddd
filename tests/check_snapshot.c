// SPDX-License-Identifier: GPL-2.0-only
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/abi.h"
#include "analyzer/snapshot.h"
#include "suites.h"

static char folder[64];
static struct diag diag;

static void setup(void)
{
	strcpy(folder, "/tmp/check_snapshot.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

/* Two can be in use at a time. */
static const struct snapshot_file *file_of(const char *name)
{
	static struct snapshot_file files[2];
	static char paths[2][128];
	static unsigned i;

	i ^= 1;
	strcpy(paths[i], path_of(name));
	files[i].name = paths[i];
	return &files[i];
}

static void teardown(void)
{
	static const char *const names[] = { "lru_gen", "folios", "memcgs", "memory.stat", "vmstat" };
	unsigned i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(path_of(names[i]));
	ck_assert_int_eq(rmdir(folder), 0);
}

static void save(const char *name, const char *text)
{
	FILE *f = fopen(path_of(name), "w");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}

START_TEST(reads_lru_gen)
{
	struct snapshot_lru_gen s;

	save("lru_gen", "memcg     1 /\n node     0\n          0       5000          7         12 \n"
			"          1       4000          0          3 \nmemcg    20 /vm/a b\n node     1\n"
			"          5       1000          1x          2 \n");
	ck_assert_int_eq(snapshot_read_lru_gen(&s, file_of("lru_gen"), &diag), 0);
	ck_assert_uint_eq(s.nr, 2);
	ck_assert_uint_eq(s.lruvecs[0].memcg_id, 1);
	ck_assert_uint_eq(s.lruvecs[0].nr_gens, 2);
	ck_assert_uint_eq(s.lruvecs[0].gens[0].nr_pages[0], 7);
	ck_assert_uint_eq(s.lruvecs[0].gens[0].nr_pages[1], 12);
	ck_assert_str_eq(s.lruvecs[1].path, "/vm/a b");
	ck_assert_int_eq(s.lruvecs[1].nid, 1);
	ck_assert_uint_eq(s.lruvecs[1].gens[0].seq, 5);
	ck_assert(!s.lruvecs[1].gens[0].in_window[0]);
	ck_assert(s.lruvecs[1].gens[0].in_window[1]);
	snapshot_release_lru_gen(&s);
}
END_TEST

START_TEST(refuses_other_lru_gen)
{
	struct snapshot_lru_gen s;

	save("lru_gen", "memcg     1 /\n node     0\n what is this\n");
	ck_assert_int_lt(snapshot_read_lru_gen(&s, file_of("lru_gen"), &diag), 0);
	ck_assert_ptr_nonnull(strstr(diag.text, "line 3"));
	save("lru_gen", "");
	ck_assert_int_lt(snapshot_read_lru_gen(&s, file_of("lru_gen"), &diag), 0);
	unlink(path_of("lru_gen"));
	ck_assert_int_eq(snapshot_read_lru_gen(&s, file_of("lru_gen"), &diag), -ERR_NO_FILE);
}
END_TEST

static const char folios[] = "memcg 1 /\n"
			     " node 0 mono_ns 1000\n"
			     "memcg 44 /vm/a\n"
			     " node 0 mono_ns 2000\n"
			     "  gen 1 anon zone 2\n"
			     "   0x1f00 order 9 gen 2\n"
			     "   0x12 order 0 gen 1\n"
			     "# a comment\n"
			     "  gen 3 lazyfree zone 1\n"
			     "   0x7 order 0 gen -1\n"
			     " node 1 mono_ns 3000\n";

START_TEST(reads_folios)
{
	struct snapshot_folios s;

	save("folios", folios);
	ck_assert_int_eq(snapshot_read_folios(&s, file_of("folios"), &diag), 0);
	ck_assert_uint_eq(s.nr_lruvecs, 3);
	ck_assert_uint_eq(s.lruvecs[2].memcg, 44);
	ck_assert_int_eq(s.lruvecs[2].nid, 1);
	ck_assert_str_eq(s.lruvecs[2].path, "/vm/a");
	ck_assert_uint_eq(s.nr, 2);
	ck_assert_uint_eq(s.lists[0].memcg, 44);
	ck_assert_uint_eq(s.lists[0].gen, 1);
	ck_assert_uint_eq(s.lists[0].type, TYPE_ANON);
	ck_assert_uint_eq(s.lists[0].zone, 2);
	ck_assert_uint_eq(s.lists[0].mono_ns, 2000);
	ck_assert_uint_eq(s.lists[0].nr, 2);
	ck_assert_uint_eq(s.lists[0].folios[0].pfn, 0x1f00);
	ck_assert_uint_eq(s.lists[0].folios[0].order, 9);
	ck_assert_int_eq(s.lists[0].folios[0].gen, 2);
	ck_assert_uint_eq(s.lists[1].type, LIST_LAZYFREE);
	ck_assert_int_eq(s.lists[1].folios[0].gen, -1);
	snapshot_release_folios(&s);
}
END_TEST

START_TEST(refuses_other_folios)
{
	static const char *const bad[] = {
		"",
		"memcg x\n",
		"memcg 1 /\n node 0 mono_ns\n",
		"memcg 1 /\n node 0 mono_ns 1\n   0x7 order 0 gen 1\n",	/* on no list */
		"memcg 1 /\n node 0 mono_ns 1\n  gen 1 anon zone 0\n   7 order 0\n",
		"memcg 1 /\n node 0 mono_ns 1\n  gen 1 anonymous zone 0\n",
	};
	struct snapshot_folios s;

	save("folios", bad[_i]);
	ck_assert_int_lt(snapshot_read_folios(&s, file_of("folios"), &diag), 0);
	ck_assert_ptr_nonnull(strstr(diag.text, "folios"));
}
END_TEST

START_TEST(finds_the_moment)
{
	struct snapshot_folios s;

	save("folios", folios);
	ck_assert_int_eq(snapshot_read_folios(&s, file_of("folios"), &diag), 0);
	ck_assert_int_eq(snapshot_find_moment(&s, 44, 0, 1999), -1);
	ck_assert_int_eq(snapshot_find_moment(&s, 44, 0, 2000), 1);
	ck_assert_int_eq(snapshot_find_moment(&s, 44, 0, 9999), 1);
	ck_assert_int_eq(snapshot_find_moment(&s, 44, 1, 9999), 2);
	ck_assert_int_eq(snapshot_find_moment(&s, 45, 0, 9999), -1);
	snapshot_release_folios(&s);
}
END_TEST

START_TEST(reads_memcg_stats)
{
	struct snapshot_memcg_stats s;
	const struct snapshot_memcg_stat *memcg;
	uint64_t value;

	save("memcgs", "1 1 /\n 120 /vm\n77 300 /vm/a\n");
	save("memory.stat", "# / memory.stat\npgscan_direct 5\npgrefill 6\n"
			    "# /vm/a memory.stat\npgrefill 8\n"
			    "# /vm/a memory.current\n4096\n"
			    "# /vm/gone memory.stat\npgrefill 1\n");
	ck_assert_int_eq(snapshot_read_memcg_stats(&s, file_of("memcgs"), file_of("memory.stat"),
						   &diag), 0);
	ck_assert_uint_eq(s.nr, 3);
	memcg = snapshot_find_memcg(&s, 300);
	ck_assert_ptr_nonnull(memcg);
	ck_assert_str_eq(memcg->path, "/vm/a");
	ck_assert(snapshot_memcg_counter(&s, memcg, "pgrefill", &value));
	ck_assert_uint_eq(value, 8);
	ck_assert(!snapshot_memcg_counter(&s, memcg, "pgscan_direct", &value));
	memcg = snapshot_find_memcg(&s, 1);
	ck_assert(snapshot_memcg_counter(&s, memcg, "pgscan_direct", &value));
	ck_assert_uint_eq(value, 5);
	memcg = snapshot_find_memcg(&s, 120);
	ck_assert_ptr_nonnull(memcg);
	ck_assert(!snapshot_memcg_counter(&s, memcg, "pgrefill", &value));
	ck_assert_ptr_null(snapshot_find_memcg(&s, 77));
	snapshot_release_memcg_stats(&s);

	save("memcgs", "no number here\n");
	ck_assert_int_lt(snapshot_read_memcg_stats(&s, file_of("memcgs"), file_of("memory.stat"),
						   &diag), 0);
	save("memcgs", "1 1 /\n");
	save("memory.stat", "# / memory.stat\npgrefill\n");
	ck_assert_int_lt(snapshot_read_memcg_stats(&s, file_of("memcgs"), file_of("memory.stat"),
						   &diag), 0);
	ck_assert_ptr_nonnull(strstr(diag.text, "line 2"));
}
END_TEST

START_TEST(reads_counters)
{
	uint64_t value;

	save("vmstat", "pgscan_anon 12\npgscan_anon_more 13\nbad x\n");
	ck_assert_int_eq(snapshot_read_counter(file_of("vmstat"), "pgscan_anon", &value, &diag), 0);
	ck_assert_uint_eq(value, 12);
	ck_assert_int_eq(snapshot_read_counter(file_of("vmstat"), "pgscan", &value, &diag),
			 -ERR_NOT_FOUND);
	ck_assert_int_eq(snapshot_read_counter(file_of("vmstat"), "bad", &value, &diag),
			 -ERR_BAD_FORMAT);
}
END_TEST

Suite *snapshot_suite(void)
{
	Suite *suite = suite_create("snapshot");
	TCase *tc = tcase_create("snapshot");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, reads_lru_gen);
	tcase_add_test(tc, refuses_other_lru_gen);
	tcase_add_test(tc, reads_folios);
	tcase_add_loop_test(tc, refuses_other_folios, 0, 5);
	tcase_add_test(tc, finds_the_moment);
	tcase_add_test(tc, reads_memcg_stats);
	tcase_add_test(tc, reads_counters);
	suite_add_tcase(suite, tc);
	return suite;
}
