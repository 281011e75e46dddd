// SPDX-License-Identifier: GPL-2.0-only
#include "reader.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "container.h"
#include "decode.h"
#include "merge.h"
#include "salvage.h"
#include "stream.h"

/* Handed out at a time, at most. */
#define BATCH_EVENTS	1024u
#define MAX_THREADS	64

/*
 * A slot holds one decoded chunk.  It is claimed (its chunk is fixed) under the
 * lock, in the order of the lane, decoded by whoever claimed it, and consumed
 * in the same order.
 */
struct slot {
	struct stream_chunk work;
	struct decode_chunk chunk;
	bool has_chunk;		/* chunk's arrays exist */
	bool is_ready;		/* under the lock */
	int err;
	uint64_t raw_bytes;
	uint64_t file_bytes;
};

/* One CPU. */
struct lane {
	struct stream stream;
	struct slot *slots;
	uint64_t nr_claimed;	/* under the lock */
	uint64_t nr_released;	/* under the lock */
	bool is_exhausted;	/* nothing left to claim; under the lock */

	/* the consumer's */
	bool has_slot;		/* slot nr_released is being consumed */
	const struct event *cur;	/* what is delivered next */
	uint32_t nr_cur;
	const struct event *rest;	/* and after that, of the same slot */
	uint32_t nr_rest;
	struct event single;	/* a gap that ended with the slot before */
	bool has_pending;	/* a gap whose end is not known yet */
	struct event pending;
	bool has_time;
	struct time_order order;
	bool is_noted_truncated;
	uint64_t last_ts_ns;
	struct reader_cpu_totals *totals;
};

struct reader {
	struct container container;
	struct decoder decoder;
	struct reader_totals totals;
	struct diag diag;
	struct diag refusal;	/* an event that is needed is not decoded */
	bool has_begun, is_done;
	int err;		/* sticks */

	unsigned nr_lanes;
	struct lane *lanes;
	unsigned nr_slots;	/* per lane */
	struct merge merge;
	struct stream_buffer buffer;	/* the consumer's */
	bool has_first_ts;

	const struct event **batch;	/* in the lanes, in order */
	const struct event *const *run;	/* for reader_next() */
	unsigned nr_run;

	/* threads */
	int nr_workers;
	pthread_t *workers;
	pthread_mutex_t lock;
	pthread_cond_t work_cond;	/* a slot was released */
	pthread_cond_t ready_cond;	/* a slot became ready */
	bool is_stopping;
	int worker_err;		/* of reading a chunk's head; under the lock */
	unsigned next_lane;	/* where the next claim starts looking */
};

/* --- decoding one chunk -------------------------------------------------- */

/* Runs without the lock; the slot belongs to the caller until it is ready. */
/*
 * Sizes of gaps are of the file. A sub-buffer of a compressed chunk has no bytes of
 * its own there: it counts with its share of the chunk, rounded up.
 */
static void deflate_gaps(struct decode_chunk *chunk, const struct stream_chunk *work)
{
	uint32_t i;

	for (i = 0; chunk->nr_special && i < chunk->nr; i++)
		if (chunk->events[i].kind == EV_GAP) {
			uint64_t *size_bytes = &chunk->events[i].u.gap.size_bytes;

			*size_bytes = (*size_bytes * work->zsize + work->usize - 1) / work->usize;
		}
}

static int slot_decode(const struct reader *reader, const struct lane *lane,
		       struct slot *slot, struct stream_buffer *buffer)
{
	const struct container *c = &reader->container;
	const struct stream_chunk *work = &slot->work;
	uint32_t page_bytes = reader->decoder.layout.page_bytes;
	unsigned cpu = lane->stream.cpu;
	uint32_t pos;
	int err;

	if (!slot->has_chunk) {
		err = decode_chunk_init(&slot->chunk, &reader->decoder);
		if (err < 0)
			return err;
		slot->has_chunk = true;
	}
	slot->raw_bytes = slot->file_bytes = 0;
	if (work->cause != ERR_NONE) {
		slot->file_bytes = work->gap_bytes;
		return decode_gap(&slot->chunk, cpu, work->cause, 0,
				  work->offset_bytes, work->gap_bytes);
	}
	slot->file_bytes = work->zsize;
	err = stream_load(c, work, buffer);
	if (err == -ERR_BAD_CHUNK || err == -ERR_CPU_TRUNCATED)
		return decode_gap(&slot->chunk, cpu, -err, 0,
				  work->offset_bytes - work->head_bytes,
				  work->head_bytes + (uint64_t)work->zsize);
	if (err < 0)
		return err;
	slot->raw_bytes = work->usize;
	for (pos = 0; pos + page_bytes <= work->usize; pos += page_bytes) {
		/* a compressed page has no place of its own in the file */
		err = decode_page(&reader->decoder, &slot->chunk, cpu,
				  buffer->raw + pos, work->is_compressed ?
				  work->offset_bytes : work->offset_bytes + pos);
		if (err < 0)
			return err;
	}
	if (work->is_compressed)
		deflate_gaps(&slot->chunk, work);
	decode_chunk_end(&slot->chunk);
	return 0;
}

/*
 * Fix the next chunk of @lane to its next slot.  Under the lock.
 * Returns the slot, or NULL if the lane is exhausted; *@err is set if reading
 * failed.
 */
static struct slot *lane_claim(struct reader *reader, struct lane *lane, int *err)
{
	struct slot *slot = &lane->slots[lane->nr_claimed % reader->nr_slots];
	int ret = stream_next(&lane->stream, &slot->work);

	*err = ret < 0 ? ret : 0;
	if (ret <= 0) {
		lane->is_exhausted = true;
		return NULL;
	}
	slot->is_ready = false;
	slot->err = 0;
	lane->nr_claimed++;
	return slot;
}

/* The lane with the shortest look-ahead that has a free slot; NULL if none. */
static struct lane *reader_pick(struct reader *reader)
{
	struct lane *best = NULL;
	uint64_t best_ahead = reader->nr_slots;
	unsigned i;

	for (i = 0; i < reader->nr_lanes; i++) {
		struct lane *lane = &reader->lanes[(reader->next_lane + i) %
						   reader->nr_lanes];
		uint64_t ahead = lane->nr_claimed - lane->nr_released;

		if (lane->is_exhausted || ahead >= best_ahead)
			continue;
		best = lane;
		best_ahead = ahead;
		if (!ahead)
			break;
	}
	if (best)
		reader->next_lane = best - reader->lanes + 1;
	return best;
}

static void *reader_worker(void *arg)
{
	struct reader *reader = arg;
	struct stream_buffer buffer;

	stream_buffer_init(&buffer, reader->container.codec);
	pthread_mutex_lock(&reader->lock);
	while (!reader->is_stopping) {
		struct lane *lane = reader_pick(reader);
		struct slot *slot;
		int err;

		if (!lane) {
			pthread_cond_wait(&reader->work_cond, &reader->lock);
			continue;
		}
		slot = lane_claim(reader, lane, &err);
		if (!slot) {
			if (err < 0 && !reader->worker_err)
				reader->worker_err = err;
			pthread_cond_signal(&reader->ready_cond);
			continue;
		}
		pthread_mutex_unlock(&reader->lock);
		err = slot_decode(reader, lane, slot, &buffer);
		pthread_mutex_lock(&reader->lock);
		slot->err = err;
		slot->is_ready = true;
		pthread_cond_signal(&reader->ready_cond);
	}
	pthread_mutex_unlock(&reader->lock);
	stream_buffer_release(&buffer);
	return NULL;
}

static int reader_start_workers(struct reader *reader)
{
	sigset_t all, old;
	int i, ret = 0;

	if (!reader->nr_workers)
		return 0;
	reader->workers = calloc(reader->nr_workers, sizeof(*reader->workers));
	if (!reader->workers)
		return -ERR_NOMEM;
	/* signals are for the thread that reports */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (i = 0; i < reader->nr_workers; i++) {
		if (pthread_create(&reader->workers[i], NULL, reader_worker,
				   reader)) {
			/* fewer threads will do */
			break;
		}
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	reader->nr_workers = i;
	return ret;
}

static void reader_stop_workers(struct reader *reader)
{
	int i;

	if (!reader->workers)
		return;
	pthread_mutex_lock(&reader->lock);
	reader->is_stopping = true;
	pthread_cond_broadcast(&reader->work_cond);
	pthread_mutex_unlock(&reader->lock);
	for (i = 0; i < reader->nr_workers; i++)
		pthread_join(reader->workers[i], NULL);
	free(reader->workers);
	reader->workers = NULL;
}

/*
 * Slot number @number of @lane, which is the next one or one that was claimed,
 * decoded; by this thread if nobody has claimed it.
 * Returns 1, 0 if the lane is exhausted, or a negative enum err.
 */
static int lane_slot(struct reader *reader, struct lane *lane, uint64_t number,
		     struct slot **ret)
{
	struct slot *slot;
	int err = 0, worker_err;

	pthread_mutex_lock(&reader->lock);
	worker_err = reader->worker_err;
	if (number == lane->nr_claimed) {
		slot = lane->is_exhausted ? NULL :
		       lane_claim(reader, lane, &err);
		pthread_mutex_unlock(&reader->lock);
		if (!slot)
			return err ? err : worker_err;
		slot->err = slot_decode(reader, lane, slot, &reader->buffer);
		slot->is_ready = true;
	} else {
		slot = &lane->slots[number % reader->nr_slots];
		while (!slot->is_ready)
			pthread_cond_wait(&reader->ready_cond, &reader->lock);
		pthread_mutex_unlock(&reader->lock);
	}
	if (slot->err < 0)
		return slot->err;
	*ret = slot;
	return 1;
}

/*
 * Release the slot that was consumed, and get the next of @lane.  *@next is the one
 * behind it, NULL if there is none.
 * Returns 1, 0 if the lane is exhausted, or a negative enum err.
 */
static int lane_next_slot(struct reader *reader, struct lane *lane,
			  struct slot **ret, struct slot **next)
{
	int err;

	if (lane->has_slot) {
		pthread_mutex_lock(&reader->lock);
		decode_chunk_clear(&lane->slots[lane->nr_released %
						reader->nr_slots].chunk);
		lane->nr_released++;
		lane->has_slot = false;
		if (reader->nr_workers)
			pthread_cond_signal(&reader->work_cond);
		pthread_mutex_unlock(&reader->lock);
	}
	err = lane_slot(reader, lane, lane->nr_released, ret);
	if (err <= 0)
		return err;
	lane->has_slot = true;
	*next = NULL;
	err = lane_slot(reader, lane, lane->nr_released + 1, next);
	return err < 0 ? err : 1;
}

/* --- accounting ----------------------------------------------------------- */

static void gap_problem(struct reader *reader, const struct lane *lane,
			const struct event *ev)
{
	enum err cause = ev->u.gap.cause;
	struct reader_problem problem = {
		.err = cause,
		.cpu = ev->cpu,
		.has_offset = true,
		.offset_bytes = ev->u.gap.offset_bytes,
		.size_bytes = ev->u.gap.size_bytes,
		.has_time = true,
		.from_ts_ns = ev->u.gap.from_ts_ns,
		.to_ts_ns = ev->u.gap.to_ts_ns,
		.nr = 1,
	};

	if (cause != ERR_BAD_PAGE)
		snprintf(problem.text, sizeof(problem.text), "%s", err_text(cause));
	else
		snprintf(problem.text, sizeof(problem.text), "%s%s",
			 subbuf_fault_text(ev->u.gap.detail),
			 reader->container.codec == CODEC_NONE ?
				 "" :
				 " (in a compressed chunk: bytes are its share)");
	/* what is missing at the end may have been noted at the opening */
	if (cause != ERR_CPU_TRUNCATED || !lane->is_noted_truncated)
		problem_add(&reader->container.problems, &problem);
}

static void account_gap(struct reader *reader, struct lane *lane,
			const struct event *ev)
{
	struct reader_totals *totals = &reader->totals;

	totals->nr_by_kind[EV_GAP]++;
	totals->nr_gaps++;
	totals->gap_bytes += ev->u.gap.size_bytes;
	lane->totals->nr_gaps++;
	lane->totals->gap_bytes += ev->u.gap.size_bytes;
	if (ev->u.gap.cause == ERR_CPU_TRUNCATED)
		lane->totals->is_truncated = true;
	gap_problem(reader, lane, ev);
}

static void account_lost(struct reader *reader, struct lane *lane,
			 const struct event *ev)
{
	struct reader_totals *totals = &reader->totals;

	totals->nr_by_kind[EV_LOST]++;
	if (ev->u.lost.nr_lost == EV_LOST_UNKNOWN) {
		totals->nr_lost_unknown++;
		lane->totals->nr_lost_unknown++;
	} else {
		totals->nr_lost += ev->u.lost.nr_lost;
		lane->totals->nr_lost += ev->u.lost.nr_lost;
	}
}

static void count_problem(struct reader *reader, enum err err, int cpu,
			  uint64_t nr, uint64_t offset, const char *text)
{
	struct reader_problem problem = {
		.err = err,
		.cpu = cpu,
		.has_offset = true,
		.offset_bytes = offset,
		.nr = nr,
	};

	snprintf(problem.text, sizeof(problem.text), "%s", text);
	problem_add(&reader->container.problems, &problem);
}

static void account_chunk(struct reader *reader, struct lane *lane,
			  struct slot *slot)
{
	const struct recording_info *info = &reader->container.info;
	struct reader_totals *totals = &reader->totals;
	struct decode_chunk *chunk = &slot->chunk;
	char text[160];
	uint32_t i;

	for (i = 0; i < chunk->nr_touched; i++) {
		unsigned index = chunk->touched[i];
		uint32_t nr = chunk->nr_by_index[index];

		if (!index)
			continue;
		((uint64_t *)totals->nr_by_event)[index - 1] += nr;
		if (reader->decoder.plan_of_index[index])
			totals->nr_by_kind[info->events[index - 1].kind] += nr;
	}
	if (chunk->nr_bad_record)
		for (i = 0; i < EV_NR; i++)
			totals->nr_by_kind[i] -= chunk->nr_bad_by_kind[i];
	totals->nr_records += chunk->nr_records;
	totals->nr_other += chunk->nr_other;
	totals->nr_unknown_id += chunk->nr_unknown_id;
	totals->nr_bad_record += chunk->nr_bad_record;
	totals->nr_discarded += chunk->nr_discarded;
	totals->nr_bad_time += chunk->nr_bad_time;
	totals->nr_pages += chunk->nr_pages;
	totals->nr_chunks++;
	totals->file_bytes += slot->file_bytes;
	totals->raw_bytes += slot->raw_bytes;
	lane->totals->nr_records += chunk->nr_records;
	lane->totals->nr_backward += chunk->nr_backward;
	totals->nr_backward += chunk->nr_backward;

	if (chunk->nr_unknown_id) {
		snprintf(text, sizeof(text),
			 "records of event id %u, which the file does not describe",
			 chunk->first_unknown_id);
		count_problem(reader, ERR_UNKNOWN_EVENT, lane->stream.cpu,
			      chunk->nr_unknown_id,
			      chunk->first_unknown_offset, text);
	}
	if (chunk->nr_bad_record) {
		snprintf(text, sizeof(text),
			 "records too short for their event (%s)",
			 chunk->first_bad_index ?
			 info->events[chunk->first_bad_index - 1].name :
			 "no id");
		count_problem(reader, ERR_BAD_RECORD, lane->stream.cpu,
			      chunk->nr_bad_record, chunk->first_bad_offset, text);
	}
	if (chunk->nr_bad_time)
		count_problem(reader, ERR_BAD_TIME, lane->stream.cpu,
			      chunk->nr_bad_time, chunk->first_bad_time_offset,
			      "times that overflow after conversion; the previous time is shown");

	if (!chunk->has_time)
		return;
	if (lane->has_time && chunk->first_ts_ns < lane->last_ts_ns) {
		lane->totals->nr_backward++;
		totals->nr_backward++;
	}
	if (!lane->has_time)
		lane->totals->first_ts_ns = chunk->first_ts_ns;
	lane->totals->last_ts_ns = chunk->last_ts_ns;
	if (!reader->has_first_ts || chunk->first_ts_ns < totals->first_ts_ns)
		totals->first_ts_ns = chunk->first_ts_ns;
	if (chunk->last_ts_ns > totals->last_ts_ns)
		totals->last_ts_ns = chunk->last_ts_ns;
	reader->has_first_ts = true;
}

/* --- lanes ----------------------------------------------------------------- */

static bool is_open_gap(const struct event *ev)
{
	return ev->kind == EV_GAP && !ev->u.gap.to_ts_ns;
}

/* A gap that is finished goes out alone, before what follows it. */
static void lane_emit_pending(struct reader *reader, struct lane *lane)
{
	lane->single = lane->pending;
	lane->has_pending = false;
	account_gap(reader, lane, &lane->single);
	lane->cur = &lane->single;
	lane->nr_cur = 1;
}

/*
 * Take over a new chunk and complete the items that depend on its neighbours:
 * where a loss or a gap at its head began, where a gap at the end of the chunk
 * before ended.  A gap at its own end stays pending in turn.
 */
static void lane_settle(struct reader *reader, struct lane *lane,
			struct decode_chunk *chunk)
{
	struct event *events = chunk->events;
	uint32_t first = 0, nr = chunk->nr, i;

	if (lane->has_pending) {
		uint64_t *to = &lane->pending.u.gap.to_ts_ns;

		/* damage on both sides of the border is one gap */
		if (nr && events[0].kind == EV_GAP &&
		    !events[0].u.gap.from_ts_ns) {
			lane->pending.u.gap.size_bytes +=
				events[0].u.gap.size_bytes;
			*to = events[0].u.gap.to_ts_ns;
			first = 1;
		}
		if (!*to && first < nr && events[first].kind == EV_LOST)
			*to = events[first].u.lost.to_ts_ns;
		else if (!*to && chunk->has_time)
			*to = chunk->first_ts_ns;
		if (*to)
			lane_emit_pending(reader, lane);
	}
	for (i = first; i < nr && chunk->nr_special; i++) {
		struct event *ev = &events[i];

		/* both begin with from_ts_ns; 0: before the chunk's first time */
		if ((ev->kind != EV_LOST && ev->kind != EV_GAP) ||
		    ev->u.lost.from_ts_ns)
			break;
		if (lane->has_time)
			ev->ts_ns = ev->u.lost.from_ts_ns = lane->last_ts_ns;
		else
			ev->ts_ns = reader->totals.first_ts_ns;
	}
	if (nr > first && is_open_gap(&events[nr - 1])) {
		lane->pending = events[--nr];
		lane->has_pending = true;
	}
	if (chunk->nr_special) {
		for (i = first; i < nr; i++) {
			if (events[i].kind == EV_LOST)
				account_lost(reader, lane, &events[i]);
			else if (events[i].kind == EV_GAP)
				account_gap(reader, lane, &events[i]);
		}
	}
	lane->rest = nr > first ? events + first : NULL;
	lane->nr_rest = nr - first;
	if (chunk->has_time) {
		lane->has_time = true;
		lane->last_ts_ns = chunk->last_ts_ns;
	}
}

/* What belongs behind the lane's latest event is missing, up to what comes next. */
static void lane_begin_gap(struct lane *lane, uint64_t offset_bytes)
{
	if (lane->has_pending)
		return;
	lane->has_pending = true;
	lane->pending = (struct event){
		.kind = EV_GAP,
		.cpu = lane->stream.cpu,
		.ts_ns = lane->last_ts_ns,
		.u.gap = {
			.from_ts_ns = lane->last_ts_ns,
			.offset_bytes = offset_bytes,
			.cause = ERR_OUT_OF_ORDER,
		},
	};
}

/*
 * Where time goes back between the chunks of @lane, or in one, give out a gap instead
 * of events at the wrong place.  Returns 0 or -ERR_NOMEM.
 */
static int lane_check_order(struct lane *lane, struct slot *slot,
			    const struct slot *next)
{
	struct decode_chunk *chunk = &slot->chunk;
	uint64_t nr_backward = chunk->nr_backward;
	int verdict = time_order_next(&lane->order, &chunk->times,
				      next ? &next->chunk.times : NULL);

	if (verdict == TIME_MISSING_BEFORE)
		lane_begin_gap(lane, slot->work.offset_bytes);
	if (verdict != TIME_OUT_OF_ORDER)
		return verdict < 0 ? verdict : 0;
	decode_chunk_clear(chunk);
	chunk->nr_backward = nr_backward ? nr_backward : 1;
	return decode_gap(chunk, lane->stream.cpu, ERR_OUT_OF_ORDER, 0,
			  slot->work.offset_bytes, slot->work.zsize);
}

/*
 * Make sure that @lane has something to deliver.
 * Returns 1, 0 at its end, or a negative enum err.
 */
static int lane_fill(struct reader *reader, struct lane *lane)
{
	while (!lane->nr_cur) {
		struct slot *slot = NULL, *next;
		int ret;

		if (lane->nr_rest) {
			lane->cur = lane->rest;
			lane->nr_cur = lane->nr_rest;
			lane->nr_rest = 0;
			break;
		}
		ret = lane_next_slot(reader, lane, &slot, &next);
		if (ret < 0)
			return ret;
		if (!ret) {
			if (time_order_is_missing(&lane->order))
				lane_begin_gap(lane, lane->stream.start);
			time_order_release(&lane->order);
			if (!lane->has_pending)
				return 0;
			lane->pending.u.gap.to_ts_ns = EV_TS_END;
			lane_emit_pending(reader, lane);
			break;
		}
		ret = lane_check_order(lane, slot, next);
		if (ret < 0)
			return ret;
		account_chunk(reader, lane, slot);
		lane_settle(reader, lane, &slot->chunk);
	}
	return 1;
}

static struct merge_key lane_key(const struct reader *reader,
				 const struct lane *lane)
{
	return (struct merge_key){
		.ts_ns = lane->cur->ts_ns,
		.cpu = lane->stream.cpu,
		.lane = lane - reader->lanes,
	};
}

/* Fill every lane and build the heap. */
static int reader_begin(struct reader *reader)
{
	unsigned i;
	int ret;

	reader->has_begun = true;
	ret = reader_start_workers(reader);
	if (ret < 0)
		return ret;
	for (i = 0; i < reader->nr_lanes; i++) {
		ret = lane_fill(reader, &reader->lanes[i]);
		if (ret < 0)
			return ret;
	}
	for (i = 0; i < reader->nr_lanes; i++) {
		struct lane *lane = &reader->lanes[i];
		struct event *ev = (struct event *)lane->cur;
		uint32_t k;

		if (!lane->nr_cur)
			continue;
		/* what was lost before a CPU's first event comes first */
		for (k = 0; k < lane->nr_cur &&
			    (ev[k].kind == EV_LOST || ev[k].kind == EV_GAP) &&
			    !ev[k].u.lost.from_ts_ns; k++)
			ev[k].ts_ns = reader->totals.first_ts_ns;
		merge_push(&reader->merge, lane_key(reader, lane));
	}
	return 0;
}

/*
 * Put into @batch, which has room for @room, the lane's events that come before any
 * other lane's: the first, which does, and those up to the key @second, NULL if
 * there is no other lane. Returns their number.
 */
static uint32_t lane_take(struct lane *lane, const struct merge_key *second,
			  const struct event **batch, uint32_t room)
{
	const struct event *ev = lane->cur;
	uint32_t nr_max = lane->nr_cur < room ? lane->nr_cur : room, nr = 0;
	uint64_t last_ts_ns = UINT64_MAX;

	/* does not wrap: the first event comes before @second */
	if (second)
		last_ts_ns = second->ts_ns - ((uint32_t)lane->stream.cpu > second->cpu);
	do {
		batch[nr++] = ev++;
	} while (nr < nr_max && ev->ts_ns <= last_ts_ns);
	lane->cur = ev;
	lane->nr_cur -= nr;
	return nr;
}

static int reader_fail(struct reader *reader, int err)
{
	const char *path = reader->container.info.path;

	reader->err = err;
	if (reader->diag.err)
		return err;
	if (err == -ERR_NOMEM)
		return diag_set(&reader->diag, ERR_NOMEM, "out of memory");
	return diag_set(&reader->diag, -err, "%s: %s", path, err_text(err));
}

int reader_next_batch(struct reader *reader, const struct event *const **ret,
		      unsigned *nr)
{
	uint32_t nr_batch = 0;
	int err;

	if (reader->err)
		return reader->err;
	if (!reader->has_begun) {
		err = reader_begin(reader);
		if (err < 0)
			return reader_fail(reader, err);
	}
	while (reader->merge.nr) {
		struct lane *lane = &reader->lanes[reader->merge.keys[0].lane];

		if (!lane->nr_cur) {
			/* filling reuses the memory of events in the batch */
			if (nr_batch)
				break;
			err = lane_fill(reader, lane);
			if (err < 0)
				return reader_fail(reader, err);
			if (err)
				merge_replace_top(&reader->merge,
						  lane_key(reader, lane));
			else
				merge_pop(&reader->merge);
			continue;
		}
		nr_batch += lane_take(lane, merge_second(&reader->merge),
				      reader->batch + nr_batch, BATCH_EVENTS - nr_batch);
		if (lane->nr_cur)
			merge_replace_top(&reader->merge, lane_key(reader, lane));
		if (nr_batch == BATCH_EVENTS)
			break;
	}
	if (nr_batch) {
		*ret = reader->batch;
		*nr = nr_batch;
		return 1;
	}
	if (!reader->is_done) {
		reader->is_done = true;
		reader_stop_workers(reader);
	}
	return 0;
}

int reader_next(struct reader *reader, struct event *ret)
{
	if (!reader->nr_run) {
		int err = reader_next_batch(reader, &reader->run,
					    &reader->nr_run);

		if (err <= 0)
			return err;
	}
	*ret = **reader->run++;
	reader->nr_run--;
	return 1;
}

/* --- opening ----------------------------------------------------------------- */

static bool chunk_has_lru_gen(const struct container *c,
			      const struct decode_chunk *chunk)
{
	uint32_t i;

	for (i = 0; i < chunk->nr_touched; i++)
		if (chunk->touched[i] &&
		    !strcmp(c->info.events[chunk->touched[i] - 1].system,
			    "lru_gen"))
			return true;
	return false;
}

static uint64_t buffer_bytes(const struct recording_buffer *buffer)
{
	uint64_t bytes = 0;
	unsigned i;

	for (i = 0; i < buffer->nr_cpus; i++)
		bytes += buffer->cpus[i].size_bytes;
	return bytes;
}

/*
 * Look for lru_gen records in @buffer: at most @max_chunks per CPU, 0: all.
 * Returns 1, 0 or a negative enum err.
 */
static int buffer_has_lru_gen(struct reader *reader,
			      const struct recording_buffer *buffer,
			      unsigned max_chunks)
{
	const struct container *c = &reader->container;
	struct slot slot = { 0 };
	struct lane lane;
	unsigned i, n;
	int ret = 0;

	for (i = 0; i < buffer->nr_cpus && !ret; i++) {
		const struct recording_cpu *cpu = &buffer->cpus[i];

		memset(&lane, 0, sizeof(lane));
		stream_init(&lane.stream, c, cpu, reader->decoder.layout.page_bytes,
			    container_next_start(c, cpu->offset_bytes));
		for (n = 0; !ret && (!max_chunks || n < max_chunks); n++) {
			ret = stream_next(&lane.stream, &slot.work);
			if (ret <= 0)
				break;
			ret = slot_decode(reader, &lane, &slot, &reader->buffer);
			if (ret >= 0) {
				ret = chunk_has_lru_gen(c, &slot.chunk);
				decode_chunk_clear(&slot.chunk);
			}
		}
	}
	if (slot.has_chunk)
		decode_chunk_release(&slot.chunk);
	return ret;
}

/*
 * How well @page_bytes suits the first chunk of a buffer: bytes of records in
 * valid sub-buffers.
 */
static int page_size_score(struct reader *reader,
			   const struct recording_buffer *buffer,
			   uint32_t page_bytes, uint64_t *ret)
{
	const struct container *c = &reader->container;
	struct subbuf_layout layout = reader->decoder.layout;
	struct stream_chunk work;
	struct stream stream;
	uint32_t pos;
	unsigned i;
	int err;

	*ret = 0;
	layout.page_bytes = page_bytes;
	for (i = 0; i < buffer->nr_cpus; i++) {
		stream_init(&stream, c, &buffer->cpus[i], page_bytes,
			    container_next_start(c, buffer->cpus[i].offset_bytes));
		err = stream_next(&stream, &work);
		if (err < 0)
			return err;
		if (!err || work.cause != ERR_NONE)
			continue;
		err = stream_load(c, &work, &reader->buffer);
		if (err == -ERR_NOMEM || err == -ERR_IO)
			return err;
		if (err < 0)
			continue;
		for (pos = 0; pos + page_bytes <= work.usize; pos += page_bytes) {
			struct subbuf sub;

			if (!subbuf_check(&layout, reader->buffer.raw + pos, NULL) &&
			    !subbuf_begin(&layout, reader->buffer.raw + pos, &sub))
				*ret += sub.size_bytes;
		}
		if (i == 7)
			break;
	}
	return 0;
}

/*
 * An instance may have sub-buffers of its own size, but converters also store a
 * wrong one: where it differs from header_page's, the data decides.
 */
static int reader_choose_page_size(struct reader *reader,
				   struct recording_buffer *buffer)
{
	struct container *c = &reader->container;
	uint32_t stated = buffer->page_size_bytes;
	uint64_t score, other;
	int err;

	reader->decoder.layout.page_bytes = c->page_bytes;
	if (stated == c->page_bytes)
		return 0;
	buffer->page_size_bytes = c->page_bytes;
	if (stated >= CONTAINER_MIN_PAGE && stated <= CONTAINER_MAX_PAGE &&
	    !(stated % 8)) {
		err = page_size_score(reader, buffer, c->page_bytes, &score);
		if (err >= 0)
			err = page_size_score(reader, buffer, stated, &other);
		if (err < 0)
			return err;
		if (other > score) {
			buffer->page_size_bytes = stated;
			reader->decoder.layout.page_bytes = stated;
			return 0;
		}
	}
	problem_note(&c->problems, ERR_CONTRADICTS_HEADER, 0,
		     "buffer '%s' is said to have sub-buffers of %" PRIu32
		     " bytes, its data has %" PRIu32,
		     buffer->name, stated, c->page_bytes);
	return 0;
}

static int reader_choose_buffer(struct reader *reader,
				const struct reader_opts *opts,
				struct diag *diag)
{
	struct container *c = &reader->container;
	struct recording_info *info = &c->info;
	unsigned i, pass;
	int err;

	if (!info->nr_buffers)
		return diag_set(diag, ERR_NO_BUFFER,
				"%s: no event data is left in the file",
				info->path);
	if (opts->buffer) {
		char names[256] = "";
		size_t len = 0;

		for (i = 0; i < info->nr_buffers; i++) {
			if (!strcmp(info->buffers[i].name, opts->buffer)) {
				info->buffer = i;
				return reader_choose_page_size(reader,
							       &c->buffers[i]);
			}
			len += snprintf(names + len, sizeof(names) - len,
					" '%s'", info->buffers[i].name);
			if (len >= sizeof(names) - 1)
				break;
		}
		return diag_set(diag, ERR_NO_SUCH_BUFFER,
				"%s: has no buffer '%s'; it has%s ('' is the top buffer)",
				info->path, opts->buffer, names);
	}
	/* a look at the beginning first; whole buffers only if that fails */
	for (pass = 0; pass < 2 && info->nr_buffers > 1; pass++) {
		int found = -1;

		for (i = 0; i < info->nr_buffers; i++) {
			err = reader_choose_page_size(reader, &c->buffers[i]);
			if (err < 0)
				return err;
			err = buffer_has_lru_gen(reader, &c->buffers[i],
						 pass ? 0 : 16);
			if (err < 0)
				return err;
			c->buffers[i].has_lru_gen = err;
			if (err && found < 0)
				found = i;
			if (err && pass)
				break;
		}
		if (found >= 0) {
			info->buffer = found;
			break;
		}
	}
	/* without such events, at least one that is not empty */
	for (i = 0; i < info->nr_buffers && !buffer_bytes(&c->buffers[info->buffer]); i++)
		if (buffer_bytes(&c->buffers[i]))
			info->buffer = i;
	err = reader_choose_page_size(reader, &c->buffers[info->buffer]);
	return err;
}

static int reader_make_lanes(struct reader *reader)
{
	struct container *c = &reader->container;
	const struct recording_buffer *buffer = &c->buffers[c->info.buffer];
	struct reader_cpu_totals *totals;
	unsigned nr = buffer->nr_cpus, i;

	reader->nr_lanes = nr;
	reader->lanes = calloc(nr + 1, sizeof(*reader->lanes));
	totals = calloc(nr + 1, sizeof(*totals));
	reader->totals.cpus = totals;
	reader->totals.nr_cpus = nr;
	reader->totals.nr_by_event = calloc(c->info.nr_events + 1,
					    sizeof(uint64_t));
	reader->batch = malloc(BATCH_EVENTS * sizeof(*reader->batch));
	if (!reader->lanes || !totals || !reader->totals.nr_by_event ||
	    !reader->batch || merge_init(&reader->merge, nr) < 0)
		return -ERR_NOMEM;
	/*
	 * Two are needed, see lane_next_slot(); look-ahead for the workers: a few
	 * chunks per CPU, fewer where there are many CPUs.
	 */
	if (!reader->nr_workers)
		reader->nr_slots = 2;
	else
		reader->nr_slots = nr <= 4 ? 9 : nr <= 32 ? 5 : 3;
	for (i = 0; i < nr; i++) {
		struct lane *lane = &reader->lanes[i];
		const struct recording_cpu *cpu = &buffer->cpus[i];

		stream_init(&lane->stream, c, cpu,
			    reader->decoder.layout.page_bytes,
			    container_next_start(c, cpu->offset_bytes));
		lane->slots = calloc(reader->nr_slots, sizeof(*lane->slots));
		if (!lane->slots)
			return -ERR_NOMEM;
		time_order_init(&lane->order);
		lane->totals = &totals[i];
		totals[i].cpu = cpu->cpu;
		totals[i].is_truncated = cpu->nr_missing_bytes != 0;
		lane->is_noted_truncated = totals[i].is_truncated;
		c->info.data_bytes += cpu->size_bytes;
	}
	return 0;
}

static bool is_ns_clock(const char *clock)
{
	return !clock || (strcmp(clock, "x86-tsc") && strcmp(clock, "counter") &&
			  strcmp(clock, "ppc-tb"));
}

/* Events of lru_gen that the file does not describe were not recorded. */
static void reader_note_unrecorded(struct reader *reader)
{
	const struct recording_info *info = &reader->container.info;
	struct reader_problem problem = { .err = ERR_NOT_RECORDED, .cpu = -1, .nr = 1 };
	bool is_described[EV_NR] = { false };
	unsigned i, kind, nr_missing = 0, nr_present = 0;
	char names[200] = "";
	int len = 0;

	for (i = 0; i < info->nr_events; i++)
		is_described[info->events[i].kind] = true;
	for (kind = EV_ADD; kind <= EV_HITSHIELD; kind++) {
		nr_present += is_described[kind];
		if (!is_described[kind] && nr_missing++ < 3)
			len += snprintf(names + len, sizeof(names) - len, "%s%s",
					len ? ", " : "", event_kind_event(kind));
	}
	if (!nr_present || !nr_missing)
		return;
	if (nr_missing > 3)
		snprintf(names + len, sizeof(names) - len, " and %u more", nr_missing - 3);
	snprintf(problem.text, sizeof(problem.text), "%s: not in the file%s", names,
		 reader_can_follow(reader) ? "" :
		 "; without, folios cannot be followed: every event stands alone");
	problem_add(&reader->container.problems, &problem);
}

int reader_open(struct reader **ret, const char *path,
		const struct reader_opts *opts, struct diag *diag)
{
	static const struct reader_opts no_opts;
	struct recording_info *info;
	struct reader *reader;
	int err, threads;

	if (!opts)
		opts = &no_opts;
	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return diag_set(diag, ERR_NOMEM, "out of memory");
	err = container_open(&reader->container, path, opts->salvage, diag);
	if (err < 0) {
		free(reader);
		return err;
	}
	pthread_mutex_init(&reader->lock, NULL);
	pthread_cond_init(&reader->work_cond, NULL);
	pthread_cond_init(&reader->ready_cond, NULL);
	stream_buffer_init(&reader->buffer, reader->container.codec);
	info = &reader->container.info;

	err = decode_init(&reader->decoder, &reader->container,
			  &reader->container.problems, &reader->refusal);
	if (err < 0 || (err && !opts->tolerate_formats)) {
		if (diag)
			*diag = reader->refusal;
		if (err > 0)
			err = -(int)reader->refusal.err;
		goto fail;
	}
	reader_note_unrecorded(reader);
	if (reader->container.may_lack_buffers && opts->salvage) {
		err = salvage_buffers(&reader->container,
				      &reader->decoder.layout, diag);
		if (err < 0)
			goto fail;
	}
	err = reader_choose_buffer(reader, opts, diag);
	if (err == -ERR_NOMEM)
		diag_set(diag, ERR_NOMEM, "out of memory");
	else if (err == -ERR_IO)
		diag_set(diag, ERR_IO, "%s: read error", path);
	if (err < 0)
		goto fail;
	if (info->buffers[info->buffer].clock)
		info->clock = info->buffers[info->buffer].clock;
	info->clock_is_ns = info->has_tsc2nsec || is_ns_clock(info->clock);

	threads = opts->nr_threads;
	if (threads <= 0)
		threads = sysconf(_SC_NPROCESSORS_ONLN);
	if (threads > MAX_THREADS)
		threads = MAX_THREADS;
	/* the caller's thread decodes too, when it would have to wait */
	reader->nr_workers = threads > 1 ? threads - 1 : 0;
	err = reader_make_lanes(reader);
	if (err < 0) {
		diag_set(diag, ERR_NOMEM, "out of memory");
		goto fail;
	}
	*ret = reader;
	return 0;
fail:
	reader_close(reader);
	return err;
}

void reader_close(struct reader *reader)
{
	unsigned i, k;

	if (!reader)
		return;
	reader_stop_workers(reader);
	for (i = 0; reader->lanes && i < reader->nr_lanes; i++) {
		struct lane *lane = &reader->lanes[i];

		for (k = 0; lane->slots && k < reader->nr_slots; k++)
			if (lane->slots[k].has_chunk)
				decode_chunk_release(&lane->slots[k].chunk);
		free(lane->slots);
		time_order_release(&lane->order);
	}
	free(reader->lanes);
	free((void *)reader->totals.cpus);
	free((void *)reader->totals.nr_by_event);
	free(reader->batch);
	merge_release(&reader->merge);
	stream_buffer_release(&reader->buffer);
	decode_release(&reader->decoder);
	container_release(&reader->container);
	pthread_cond_destroy(&reader->ready_cond);
	pthread_cond_destroy(&reader->work_cond);
	pthread_mutex_destroy(&reader->lock);
	free(reader);
}

const struct recording_info *reader_info(const struct reader *reader)
{
	return &reader->container.info;
}

bool reader_has_event(const struct reader *reader, enum ev_kind kind)
{
	return (unsigned)kind < EV_NR && reader->decoder.plans[kind].is_valid;
}

bool reader_can_follow(const struct reader *reader)
{
	unsigned kind, nr = 0;

	for (kind = EV_ADD; kind < EV_HITSHIELD; kind++)
		nr += reader_has_event(reader, kind);
	return !nr || nr == EV_HITSHIELD - EV_ADD;
}

const struct diag *reader_refusal(const struct reader *reader)
{
	return reader->refusal.err ? &reader->refusal : NULL;
}

bool reader_has_field(const struct reader *reader, enum ev_kind kind,
		      const char *field)
{
	return decode_has_field(&reader->decoder, kind, field);
}

const char *reader_missing_field(const struct reader *reader, enum ev_kind kind,
				 unsigned *pos)
{
	if (!reader_has_event(reader, kind))
		return NULL;
	return decode_missing_field(&reader->decoder, kind, pos);
}

const char *reader_symbol(const struct reader *reader, enum ev_kind kind,
			  const char *field, int64_t value)
{
	const struct decode_plan *plan;
	const struct format_field *f;

	if (!reader_has_event(reader, kind))
		return NULL;
	plan = &reader->decoder.plans[kind];
	f = format_field(&plan->format, field);
	return f ? format_symbol(&plan->format, f, value) : NULL;
}

int reader_map_symbols(struct reader *reader, enum ev_kind kind,
		       const char *field, const char *const names[],
		       unsigned nr, uint8_t map_out[256])
{
	if (reader->has_begun)
		return -ERR_BUG;
	return decode_map_symbols(&reader->decoder, kind, field, names, nr,
				  map_out);
}

const struct diag *reader_diag(const struct reader *reader)
{
	return &reader->diag;
}

const struct reader_totals *reader_totals(struct reader *reader)
{
	return &reader->totals;
}

const struct reader_problem *reader_problems(const struct reader *reader,
					     unsigned *nr)
{
	*nr = reader->container.problems.nr;
	return reader->container.problems.items;
}

uint64_t reader_nr_unlisted(const struct reader *reader)
{
	return reader->container.problems.nr_unlisted;
}

uint64_t reader_progress(const struct reader *reader, uint64_t *total_bytes)
{
	*total_bytes = reader->container.info.data_bytes;
	return reader->totals.file_bytes < *total_bytes ?
	       reader->totals.file_bytes : *total_bytes;
}
