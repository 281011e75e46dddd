# SPDX-License-Identifier: GPL-2.0-only

EVENTS  ?= 50000000
FOLIOS  ?= 200000
BENCH_RUNS ?= 3
SECONDS ?= 60

$(O)/libtracecmd-loop: $(O)/obj/tests/bench/libtracecmd-loop.o
	$(call say,LD,$@)$(CC) $(LDFLAGS_) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(call pkg_libs,libtracecmd $(PKGS))
$(O)/obj/tests/bench/libtracecmd-loop.o: PKGS += libtracecmd

$(O)/measure: $(O)/obj/tests/bench/measure.o
	$(call say,LD,$@)$(CC) $(LDFLAGS_) $(CFLAGS) $(LDFLAGS) -o $@ $^

.PHONY: bench
bench: deps-test
	$(Q)$(MAKE) --no-print-directory all $(SIM_PROGS) $(O)/libtracecmd-loop $(O)/measure
	$(Q)EVENTS=$(EVENTS) FOLIOS=$(FOLIOS) RUNS=$(BENCH_RUNS) tests/bench/run $(O)

.PHONY: fuzz
fuzz: deps-test
	$(Q)$(MAKE) --no-print-directory $(SIM_PROGS)
	$(Q)tests/fuzz/run $(O) $(SECONDS)
