/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * locked: memory locked and unlocked under pressure, and given hints.
 *
 *	mb=16		anonymous memory
 *	lock=50		percent of it locked, in runs of 16 pages
 *	pressure_mb=16	written while it is locked
 *	rounds=3
 *
 *	shm_mb=2	a System V segment, locked (SHM_LOCK) during the pressure
 *			and unlocked afterwards; 0 for none
 *
 * After each round the locked part is unlocked; then one quarter of the memory
 * is given MADV_COLD and another MADV_PAGEOUT.
 */
#include "workload.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/shm.h>

#define RUN_PAGES 16

int locked_main(struct args *args)
{
	size_t nr_pages = args_number(args, "mb", 16, 1, 4096) * MB_PAGES;
	long percent = args_number(args, "lock", 50, 0, 100);
	size_t nr_pressure = args_number(args, "pressure_mb", 16, 0, 4096) * MB_PAGES;
	long rounds = args_number(args, "rounds", 3, 1, 10000);
	size_t nr_shm = args_number(args, "shm_mb", 2, 0, 4096) * MB_PAGES;
	unsigned char *base, *pressure, *shm = NULL;
	unsigned long nr_locked = 0;
	int shm_id = -1;
	size_t page, run;
	long round;

	args_done(args);
	base = pages_map(nr_pages, PAGE_BYTES);
	pressure = pages_map(nr_pressure + 1, PAGE_BYTES);
	for (page = 0; page < nr_pages; page++)
		page_stamp(page_at(base, page), page, 0);

	if (nr_shm) {
		shm_id = shmget(IPC_PRIVATE, nr_shm * PAGE_BYTES, IPC_CREAT | 0600);
		if (shm_id < 0)
			die(errno, "shmget");
		shm = shmat(shm_id, NULL, 0);
		if (shm == (void *)-1)
			die(errno, "shmat");
		/* Gone with the last user. */
		if (shmctl(shm_id, IPC_RMID, NULL))
			die(errno, "shmctl(IPC_RMID)");
		for (page = 0; page < nr_shm; page++)
			page_stamp(page_at(shm, page), page, 0);
	}

	for (round = 0; round < rounds; round++) {
		if (shm && shmctl(shm_id, SHM_LOCK, NULL))
			die(errno, "shmctl(SHM_LOCK)");
		for (run = 0; run < nr_pages / RUN_PAGES; run++) {
			if (run * percent % 100 + percent < 100)
				continue;
			if (mlock(page_at(base, run * RUN_PAGES), RUN_PAGES * PAGE_BYTES))
				die(errno, "mlock");
			nr_locked += RUN_PAGES;
		}
		for (page = 0; page < nr_pressure; page++)
			page_stamp(page_at(pressure, page), page, round);
		for (page = 0; page < nr_pages; page++)
			page_check(page_at(base, page), page, 0);
		for (page = 0; page < nr_shm; page++)
			page_check(page_at(shm, page), page, 0);
		if (shm && shmctl(shm_id, SHM_UNLOCK, NULL))
			die(errno, "shmctl(SHM_UNLOCK)");
		if (munlock(base, nr_pages * PAGE_BYTES))
			die(errno, "munlock");
		if (madvise(base, nr_pages / 4 * PAGE_BYTES, MADV_COLD))
			die(errno, "madvise(MADV_COLD)");
		if (madvise(page_at(base, nr_pages / 4), nr_pages / 4 * PAGE_BYTES, MADV_PAGEOUT))
			die(errno, "madvise(MADV_PAGEOUT)");
	}
	finish(args, "pages=%zu locked=%lu", nr_pages, nr_locked);
	return 0;
}
