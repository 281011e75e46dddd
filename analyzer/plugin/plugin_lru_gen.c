// SPDX-License-Identifier: GPL-2.0-only
/*
 * Plugin of libtraceevent, for trace-cmd report and KernelShark: shorter lines for
 * the lru_gen events, with the age of a generation beside its index, devices as
 * major:minor, and what a page is backed by. Events that are not handled here
 * are printed by their own format.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#define SYSTEM "lru_gen"

/* Of the recording, as events of whole lruvecs tell; MAX_NR_GENS in the kernel. */
static unsigned nr_gens = 4;

/* The name that the event's format prints for @value of @field, or NULL. */
static const char *name_of(const struct tep_event *event, const char *field,
			   unsigned long long value)
{
	const struct tep_print_arg *arg;
	const struct tep_print_flag_sym *symbol;

	for (arg = event->print_fmt.args; arg; arg = arg->next) {
		if (arg->type != TEP_PRINT_SYMBOL || arg->symbol.field->type != TEP_PRINT_FIELD ||
		    strcmp(arg->symbol.field->field.name, field))
			continue;
		for (symbol = arg->symbol.symbols; symbol; symbol = symbol->next)
			if (strtoull(symbol->value, NULL, 0) == value)
				return symbol->str;
	}
	return NULL;
}

static bool get(const struct tep_event *event, struct tep_record *record, const char *field,
		unsigned long long *value)
{
	*value = 0;
	return !tep_get_field_val(NULL, (struct tep_event *)event, field, record, value, 0);
}

static unsigned long long value_of(const struct tep_event *event, struct tep_record *record,
				   const char *field)
{
	unsigned long long value;

	get(event, record, field, &value);
	return value;
}

static void put_name(struct trace_seq *s, const struct tep_event *event, struct tep_record *record,
		     const char *field)
{
	unsigned long long value;
	const char *name;

	if (!get(event, record, field, &value))
		return;
	name = name_of(event, field, value);
	if (name)
		trace_seq_printf(s, " %s", name);
	else
		trace_seq_printf(s, " %s=%llu", field, value);
}

static void put_folio(struct trace_seq *s, const struct tep_event *event, struct tep_record *record)
{
	unsigned long long order = value_of(event, record, "order");

	put_name(s, event, record, "type");
	trace_seq_printf(s, " pfn 0x%llx", value_of(event, record, "pfn"));
	if (order)
		trace_seq_printf(s, " order %llu", order);
}

static void put_lruvec(struct trace_seq *s, const struct tep_event *event, struct tep_record *record)
{
	trace_seq_printf(s, " memcg %llu node %d", value_of(event, record, "memcg"),
			 (short)value_of(event, record, "nid"));
}

/* "gen 3 (age 0)"; -1 is no generation. */
static void put_gen(struct trace_seq *s, int gen, unsigned long long max_seq)
{
	if (gen < 0)
		trace_seq_puts(s, "none");
	else
		trace_seq_printf(s, "gen %d (age %llu)", gen,
				 (max_seq % nr_gens + nr_gens - gen % nr_gens) % nr_gens);
}

static void put_flags(struct trace_seq *s, const struct tep_event *event, struct tep_record *record)
{
	const struct tep_print_arg *arg;
	const struct tep_print_flag_sym *flag;
	unsigned long long value = value_of(event, record, "flags");
	const char *separator = "; ";

	for (arg = event->print_fmt.args; arg; arg = arg->next) {
		if (arg->type != TEP_PRINT_FLAGS)
			continue;
		for (flag = arg->flags.flags; flag; flag = flag->next) {
			if (!(value & strtoull(flag->value, NULL, 0)))
				continue;
			trace_seq_printf(s, "%s%s", separator, flag->str);
			separator = "|";
		}
	}
}

/* add, del, update, move */
static int folio_handler(struct trace_seq *s, struct tep_record *record, struct tep_event *event,
			 void *context)
{
	unsigned long long max_seq = value_of(event, record, "max_seq"), refs, tier;
	int old_gen = (signed char)value_of(event, record, "old_gen");
	int new_gen = (signed char)value_of(event, record, "new_gen");

	put_name(s, event, record, "site");
	trace_seq_putc(s, ':');
	put_folio(s, event, record);
	trace_seq_puts(s, ", ");
	put_gen(s, old_gen, max_seq);
	if (old_gen != new_gen) {
		trace_seq_puts(s, " -> ");
		put_gen(s, new_gen, max_seq);
	}
	put_lruvec(s, event, record);
	refs = value_of(event, record, "refs");
	tier = value_of(event, record, "tier");
	if (refs || tier)
		trace_seq_printf(s, " refs %llu tier %llu", refs, tier);
	put_flags(s, event, record);
	return 0;
}

/* evict, refault, swapin */
static int page_handler(struct trace_seq *s, struct tep_record *record, struct tep_event *event,
			void *context)
{
	static const char *const flags[] = { "recent", "counted", "restored", "in_fault" };
	unsigned long long dev, ino, value;
	unsigned i;

	put_folio(s, event, record);
	put_name(s, event, record, "backing");
	/* of the kernel's dev_t: 12 bits major, 20 bits minor */
	if (get(event, record, "dev", &dev) && dev)
		trace_seq_printf(s, " dev %llu:%llu", dev >> 20, dev & 0xfffff);
	if (get(event, record, "ino", &ino) && ino)
		trace_seq_printf(s, " ino %llu", ino);
	trace_seq_printf(s, " index 0x%llx", value_of(event, record, "index"));
	put_lruvec(s, event, record);
	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (get(event, record, flags[i], &value) && value)
			trace_seq_printf(s, " %s", flags[i]);
	return 0;
}

static int scan_handler(struct trace_seq *s, struct tep_record *record, struct tep_event *event,
			void *context)
{
	unsigned long long max_seq = value_of(event, record, "max_seq");

	put_name(s, event, record, "reclaimer");
	trace_seq_putc(s, ':');
	put_name(s, event, record, "type");
	trace_seq_puts(s, ", ");
	put_gen(s, (signed char)value_of(event, record, "gen"), max_seq);
	put_lruvec(s, event, record);
	trace_seq_printf(s, ": %llu scanned, %llu isolated, %llu sorted, %llu skipped",
			 value_of(event, record, "nr_scanned"), value_of(event, record, "nr_isolated"),
			 value_of(event, record, "nr_sorted"), value_of(event, record, "nr_skipped"));
	return 0;
}

static int reclaim_handler(struct trace_seq *s, struct tep_record *record, struct tep_event *event,
			   void *context)
{
	put_name(s, event, record, "outcome");
	if (value_of(event, record, "reason"))
		put_name(s, event, record, "reason");
	trace_seq_putc(s, ':');
	put_folio(s, event, record);
	put_lruvec(s, event, record);
	put_flags(s, event, record);
	return 0;
}

static int max_seq_handler(struct trace_seq *s, struct tep_record *record, struct tep_event *event,
			   void *context)
{
	unsigned long long gens = value_of(event, record, "nr_gens");

	if (gens)
		nr_gens = gens;
	trace_seq_puts(s, " aging:");
	put_lruvec(s, event, record);
	trace_seq_printf(s, " max_seq %llu, min_seq anon %llu file %llu",
			 value_of(event, record, "max_seq"), value_of(event, record, "min_seq_anon"),
			 value_of(event, record, "min_seq_file"));
	put_flags(s, event, record);
	return 0;
}

static const struct {
	const char *event;
	tep_event_handler_func handler;
} handlers[] = {
	{ "mm_lru_gen_add", folio_handler },	 { "mm_lru_gen_del", folio_handler },
	{ "mm_lru_gen_update", folio_handler },	 { "mm_lru_gen_move", folio_handler },
	{ "mm_lru_gen_evict", page_handler },	 { "mm_lru_gen_refault", page_handler },
	{ "mm_lru_gen_swapin", page_handler },	 { "mm_lru_gen_scan", scan_handler },
	{ "mm_lru_gen_reclaim", reclaim_handler }, { "mm_lru_gen_max_seq", max_seq_handler },
};

#define NR_HANDLERS (sizeof(handlers) / sizeof(handlers[0]))

/* Names that libtraceevent looks up in the plugin. */
int TEP_PLUGIN_LOADER(struct tep_handle *tep);
void TEP_PLUGIN_UNLOADER(struct tep_handle *tep);

int TEP_PLUGIN_LOADER(struct tep_handle *tep)
{
	unsigned i;

	for (i = 0; i < NR_HANDLERS; i++)
		tep_register_event_handler(tep, -1, SYSTEM, handlers[i].event, handlers[i].handler, NULL);
	return 0;
}

void TEP_PLUGIN_UNLOADER(struct tep_handle *tep)
{
	unsigned i;

	for (i = 0; i < NR_HANDLERS; i++)
		tep_unregister_event_handler(tep, -1, SYSTEM, handlers[i].event, handlers[i].handler,
					     NULL);
}
