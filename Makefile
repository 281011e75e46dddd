# SPDX-License-Identifier: GPL-2.0-only
#
# make demo           install what is missing, build, report on a bundled recording
# make check          install what is missing, build, run every test without a kernel
# make check-kernel   apply the series, build the kernels, boot, record, verify
# make help           the rest

.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

O          ?= build
V          ?= 0
SAN        ?=
DEVELOPER  ?=
prefix     ?= /usr/local
bindir     ?= $(prefix)/bin
mandir     ?= $(prefix)/share/man
plugindir  ?= $(prefix)/lib/traceevent/plugins
bashcompdir ?= $(prefix)/share/bash-completion/completions
DESTDIR    ?=

CC         ?= cc
PKG_CONFIG ?= pkg-config
INSTALL    ?= install

VERSION    := 0.1.0

ifneq ($(V),1)
Q := @
ifeq ($(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS)))),)
say = @printf '  %-7s %s\n' '$(1)' '$(2)';
else
say = @
endif
else
Q :=
say =
endif

PKGS       := libtraceevent libtracefs libzstd zlib sqlite3 gsl
PKGS_TEST  := check libtracecmd

WARN := -Wall -Wextra -Wundef -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wvla -Wwrite-strings -Wno-unused-parameter
ifeq ($(DEVELOPER),1)
WARN += -Werror
endif
CFLAGS   ?= -O2 -g
CFLAGS_  := -std=gnu11 $(WARN) -pthread -iquote . -DFOLIOSCOPE_VERSION='"$(VERSION)"'
LDFLAGS_ := -pthread
ifneq ($(SAN),)
CFLAGS_  += -fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all
LDFLAGS_ += -fsanitize=$(SAN)
endif

# Deferred: pkg-config may be installed by the very run that needs it.
pkg_cflags = $(shell $(PKG_CONFIG) --cflags $(1))
pkg_libs   = $(shell $(PKG_CONFIG) --libs $(1))

LIB_SRCS  := $(filter-out analyzer/main.c,$(sort $(wildcard analyzer/*.c)))
LIB_OBJS  := $(LIB_SRCS:%.c=$(O)/obj/%.o)
MAIN_OBJ  := $(O)/obj/analyzer/main.o
TEST_SRCS := $(sort $(wildcard tests/check_*.c))
TEST_OBJS := $(TEST_SRCS:%.c=$(O)/obj/%.o)
SUITES    := $(filter-out main,$(TEST_SRCS:tests/check_%.c=%))
SIM_SRCS  := $(filter-out tests/sim/%-main.c,$(sort $(wildcard tests/sim/*.c)))
SIM_OBJS  := $(SIM_SRCS:%.c=$(O)/obj/%.o)
SIM_PROGS := $(patsubst tests/sim/%-main.c,$(O)/%,$(sort $(wildcard tests/sim/*-main.c)))

MAN_PAGES := $(patsubst analyzer/man/%.scd,$(O)/man/%,$(sort $(wildcard analyzer/man/*.scd)))

.PHONY: all
all: $(O)/folioscope $(MAN_PAGES) $(O)/plugin_lru_gen.so

$(O)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CFLAGS_) $(call pkg_cflags,$(PKGS)) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# Remade when a suite comes or goes.
$(O)/gen/suite_list.h: $(O)/gen/suites-are-$(subst $() $(),-,$(SUITES))
	@printf '#define SUITE_LIST(X) %s\n' '$(patsubst %,X(%),$(SUITES))' > $@
$(O)/gen/suites-are-%:
	@mkdir -p $(@D)
	@rm -f $(@D)/suites-are-*
	@touch $@
$(TEST_OBJS): CPPFLAGS += -I$(O)/gen
$(TEST_OBJS): | $(O)/gen/suite_list.h
$(O)/obj/tests/check_main.o: $(O)/gen/suite_list.h

$(O)/libfolioscope.a: $(LIB_OBJS)
	@rm -f $@
	$(call say,AR,$@)$(AR) rcs $@ $^

$(O)/folioscope: $(MAIN_OBJ) $(O)/libfolioscope.a
	$(call say,LD,$@)$(CC) $(LDFLAGS_) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(call pkg_libs,$(PKGS)) -lm

$(O)/check: $(TEST_OBJS) $(SIM_OBJS) $(O)/libfolioscope.a
	$(call say,LD,$@)$(CC) $(LDFLAGS_) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(call pkg_libs,check $(PKGS)) -lm

$(O)/libtracecmd_oracle: $(O)/obj/tests/libtracecmd_oracle.o $(O)/libfolioscope.a
	$(call say,LD,$@)$(CC) $(LDFLAGS_) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(call pkg_libs,libtracecmd $(PKGS)) -lm
$(O)/obj/tests/libtracecmd_oracle.o: PKGS += libtracecmd

$(SIM_PROGS): $(O)/%: $(O)/obj/tests/sim/%-main.o $(SIM_OBJS) $(O)/libfolioscope.a
	$(call say,LD,$@)$(CC) $(LDFLAGS_) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(call pkg_libs,$(PKGS)) -lm

$(O)/plugin_lru_gen.so: analyzer/plugin/plugin_lru_gen.c
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(CFLAGS_) $(call pkg_cflags,libtraceevent) $(CPPFLAGS) $(CFLAGS) \
		$(LDFLAGS) -fPIC -shared -o $@ $<

# preloaded, see tests/cli/no-memory.sh
$(O)/failalloc.so: tests/failalloc.c
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(CFLAGS_) -fno-builtin $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -fPIC -shared -o $@ $<

# put into it by the assembler
$(O)/obj/analyzer/assets.o: $(wildcard analyzer/html/*)

# A page names the others, so each depends on all.
$(O)/man/%: analyzer/man/%.scd analyzer/man/expand $(wildcard analyzer/man/*)
	@mkdir -p $(@D)
	$(call say,MAN,$@)analyzer/man/expand $< >$@.scd && scdoc <$@.scd >$@ && rm $@.scd

-include $(shell find $(O)/obj -name '*.d' 2>/dev/null)

.PHONY: test-programs
test-programs: $(O)/folioscope $(O)/check $(O)/libtracecmd_oracle $(SIM_PROGS)

.PHONY: deps deps-test deps-kernel
deps:
	$(Q)tests/install-deps build
deps-test:
	$(Q)tests/install-deps build test
deps-kernel:
	$(Q)tests/install-deps build test kernel

DEMO_TRACE ?= tests/traces/chain.dat
.PHONY: demo
demo: deps
	$(Q)$(MAKE) -j$$(nproc) --no-print-directory all
	$(Q)tests/demo $(O) $(DEMO_TRACE)

.PHONY: check
check: deps-test
	$(Q)$(MAKE) -j$$(nproc) --no-print-directory all test-programs $(O)/failalloc.so
	$(Q)$(MAKE) -j$$(nproc) --no-print-directory O=$(O)/san SAN=address,undefined test-programs
	$(Q)tests/run $(O)

-include tests/patches/patches.mk
-include tests/vm/vm.mk
-include tests/bench/bench.mk

.PHONY: check-kernel
check-kernel: deps-kernel
	$(Q)$(MAKE) --no-print-directory all test-programs
	$(Q)tests/run-kernel $(O)

.PHONY: install
install: all
	$(INSTALL) -d $(DESTDIR)$(bindir) $(DESTDIR)$(mandir)/man1
	$(INSTALL) -m 755 $(O)/folioscope $(DESTDIR)$(bindir)/folioscope
	$(INSTALL) -m 644 $(MAN_PAGES) $(DESTDIR)$(mandir)/man1
	$(INSTALL) -d $(DESTDIR)$(plugindir)
	$(INSTALL) -m 755 $(O)/plugin_lru_gen.so $(DESTDIR)$(plugindir)
	$(INSTALL) -d $(DESTDIR)$(bashcompdir)
	$(INSTALL) -m 644 analyzer/completion/folioscope.bash $(DESTDIR)$(bashcompdir)/folioscope

.PHONY: clean
clean:
	rm -rf $(O)

.PHONY: help
help:
	@printf '%s\n' \
	'Targets:' \
	'  all           build $(O)/folioscope (default)' \
	'  demo          install what is missing, build, report on a bundled recording' \
	'  check         install what is missing, build, run all tests without a kernel' \
	'  check-kernel  apply the series, build the kernels, boot, record, verify' \
	'  vm-trace      record one scenario on the patched kernel (SCENARIO=mixed)' \
	'  vm-traces     make the recordings in tests/traces again' \
	'  experiments   record the published changes and compare (RUNS=5, EXPERIMENTS=)' \
	'  bench-kernel  what the tracepoints cost: code, time, space' \
	'  bench         speed and memory beside trace-cmd: $(O)/bench.txt (EVENTS=50000000)' \
	'  fuzz          libFuzzer on each target, SECONDS=60 each' \
	'  install       to DESTDIR, prefix (/usr/local), bindir, mandir' \
	'  clean         remove $(O)' \
	'' \
	'Variables:' \
	'  O=build       where everything that is built goes' \
	'  V=1           show the commands' \
	'  SAN=address,undefined   sanitizers; give each its own O' \
	'  DEVELOPER=1   warnings are errors'
