// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random histories of the multi-gen LRU against the model: history [options]
 *
 *	--seed N	first seed (1)
 *	--histories N	how many (10000)
 *	--steps N	of each; 0: between 20 and 400 (0)
 *	--files N	write and read back every N-th as a trace.dat (0: none)
 *	--print		the events of each
 *
 * A history that the model does not reproduce is shrunk and printed; exit status
 * is 1 then.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

static void print_event(const struct event *ev)
{
	printf("%10" PRIu64 " cpu %u pid %d %-9s", ev->ts_ns, ev->cpu, ev->pid,
	       event_kind_name(ev->kind));
	switch (ev->kind) {
	case EV_MAX_SEQ:
	case EV_STATE:
		printf(" memcg %" PRIu64 "/%d max_seq %" PRIu64 " min_seq %" PRIu64 " %" PRIu64 " %s\n",
		       ev->memcg, ev->nid, ev->u.lruvec.max_seq, ev->u.lruvec.min_seq[0],
		       ev->u.lruvec.min_seq[1],
		       ev->kind == EV_STATE ? lruvec_state_name(ev->u.lruvec.state) : "");
		return;
	case EV_MIN_SEQ:
		printf(" memcg %" PRIu64 "/%d %s %" PRIu64 " -> %" PRIu64 "%s %s\n", ev->memcg,
		       ev->nid, type_name(ev->type), ev->u.min_seq.old_seq, ev->u.min_seq.new_seq,
		       ev->u.min_seq.relabel ? " relabel" : "", site_name(ev->site));
		return;
	case EV_SCAN:
		printf(" memcg %" PRIu64 "/%d %s gen %d\n", ev->memcg, ev->nid, type_name(ev->type),
		       ev->old_gen);
		return;
	default:
		break;
	}
	printf(" pfn %" PRIu64 " memcg %" PRIu64 "/%d order %u %s zone %u gen %d -> %d", ev->pfn,
	       ev->memcg, ev->nid, ev->order, type_name(ev->type), ev->zone, ev->old_gen,
	       ev->new_gen);
	switch (ev->kind) {
	case EV_SPLIT:
		printf(" to order %u%s", ev->u.split.new_order, ev->u.split.on_lru ? " on lru" : "");
		break;
	case EV_MIGRATE:
		printf(" to pfn %" PRIu64 " node %d", ev->u.migrate.new_pfn, ev->u.migrate.new_nid);
		break;
	case EV_RECLAIM:
		printf(" %s %s", outcome_name(ev->u.reclaim.outcome),
		       reason_name(ev->u.reclaim.reason));
		break;
	case EV_LAZYFREE:
		printf(" %s", lazyfree_name(ev->u.lazyfree.stage));
		break;
	case EV_EVICT:
	case EV_REFAULT:
	case EV_SWAPIN:
		printf(" %s %" PRIu64 " index %" PRIu64, backing_name(ev->u.page.backing),
		       ev->u.page.ino, ev->u.page.index);
		break;
	default:
		printf(" %s%s", site_name(ev->site), ev->flags & FOLIO_TAIL ? " tail" : "");
		break;
	}
	putchar('\n');
}

static void print_history(const struct sim_script *script)
{
	struct sim *sim = sim_play(script);
	unsigned nr, i;
	const struct event *events = sim_events(sim, &nr);

	for (i = 0; i < nr; i++)
		print_event(&events[i]);
	sim_free(sim);
}

static void fail(struct sim_script *script, const struct judgement *j, bool via_file)
{
	struct judgement shrunk;
	unsigned nr_steps = script->nr_steps, nr_plays, i;

	printf("seed %" PRIu64 ", %u steps%s: %s\n", script->seed, nr_steps,
	       via_file ? ", through a file" : "", j->text);
	judge_script(&shrunk, script, false);
	if (shrunk.ok)
		return;		/* it is the file */
	nr_plays = judge_shrink(script);
	judge_script(&shrunk, script, false);
	printf("shrunk to %u steps by %u plays: %s\n", script->nr_steps, nr_plays, shrunk.text);
	for (i = 0; i < script->nr_steps; i++)
		printf("%s0x%" PRIx64, i ? ", " : "steps: ", script->steps[i]);
	putchar('\n');
	print_history(script);
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (end == text || *end) {
		fprintf(stderr, "history: %s: not a number\n", text);
		exit(2);
	}
	return value;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "histories", required_argument, NULL, 'n' },
		{ "steps", required_argument, NULL, 'l' },
		{ "files", required_argument, NULL, 'f' },
		{ "print", no_argument, NULL, 'p' },
		{ NULL, 0, NULL, 0 },
	};
	static struct sim_script script;
	uint64_t seed = 1, nr = 10000, steps = 0, files = 0, i, nr_events = 0;
	unsigned nr_failed = 0;
	bool print = false;
	int opt;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 's':
			seed = number(optarg);
			break;
		case 'n':
			nr = number(optarg);
			break;
		case 'l':
			steps = number(optarg);
			break;
		case 'f':
			files = number(optarg);
			break;
		case 'p':
			print = true;
			break;
		default:
			return 2;
		}
	}
	for (i = 0; i < nr && nr_failed < 5; i++, seed++) {
		bool via_file = files && i % files == 0;
		struct judgement j;
		struct sim *sim;
		unsigned nr_of_it;

		sim_script_init(&script, seed, steps ? steps : 20 + seed % 381);
		if (print)
			print_history(&script);
		judge_script(&j, &script, via_file);
		if (!j.ok) {
			nr_failed++;
			fail(&script, &j, via_file);
			continue;
		}
		sim = sim_play(&script);
		sim_events(sim, &nr_of_it);
		nr_events += nr_of_it;
		sim_free(sim);
	}
	printf("%" PRIu64 " histories of %" PRIu64 " events, %u failed\n", i, nr_events, nr_failed);
	return nr_failed ? 1 : 0;
}
