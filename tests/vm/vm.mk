# SPDX-License-Identifier: GPL-2.0-only
#
# Included by the top Makefile: kernel, initramfs and recordings.

SCENARIO      ?= mixed
VM_SIZE       ?= normal
# Series of patches/v6.12 that the kernel gets; oracle may be added.
VM_SERIES     ?= tracepoints
# More configuration, e.g. tests/vm/rare.fragment for the scenarios rare and demote.
VM_CONFIG     ?=
VM_RUN_FLAGS  ?=
# For vm-traces: which recordings to make again; all if empty.
TRACES        ?=

VM            := tests/vm
VM_INITRAMFS  := $(O)/vm/initramfs.gz
VM_BUILD      := $(VM)/build-kernel $(VM_CONFIG:%=--config %)
# record needs the program in the guest, see vm-record; the others see VM_CONFIG
VM_SCENARIOS  := $(filter-out record rare demote,\
		$(patsubst $(VM)/scenarios/%.sh,%,$(sort $(wildcard $(VM)/scenarios/*.sh))))

$(VM_INITRAMFS): $(VM)/mkinitramfs $(wildcard $(VM)/guest/* $(VM)/scenarios/*.sh \
		$(VM)/workloads/*)
	$(Q)$(VM)/mkinitramfs $@

# Built or taken from the cache, which knows what it depends on.
.PHONY: vm-kernel
vm-kernel:
	$(Q)$(VM_BUILD) $(VM_SERIES)

.PHONY: vm-trace
vm-trace: $(VM_INITRAMFS)
	$(Q)kernel=$$($(VM_BUILD) $(VM_SERIES)) && \
	$(VM)/run --kernel "$$kernel" --initramfs $(VM_INITRAMFS) --scenario $(SCENARIO) \
		--size $(VM_SIZE) --out $(O)/vm/$(SCENARIO) $(VM_RUN_FLAGS)

# folioscope record, run in the guest; its recordings are judged on the host
.PHONY: vm-record
vm-record: $(O)/folioscope
	$(Q)$(VM)/mkinitramfs $(O)/vm/initramfs-record.gz $(O)/folioscope
	$(Q)kernel=$$($(VM_BUILD) $(VM_SERIES)) && \
	$(VM)/run --kernel "$$kernel" --initramfs $(O)/vm/initramfs-record.gz --scenario record \
		--out $(O)/vm/record $(VM_RUN_FLAGS)
	$(Q)$(VM)/judge-record $(O) $(O)/vm/record

.PHONY: vm-all
vm-all: $(VM_INITRAMFS)
	$(Q)kernel=$$($(VM_BUILD) $(VM_SERIES)) && \
	for scenario in $(VM_SCENARIOS); do \
		$(VM)/run --kernel "$$kernel" --initramfs $(VM_INITRAMFS) --scenario $$scenario \
			--size $(VM_SIZE) --out $(O)/vm/$$scenario $(VM_RUN_FLAGS) || exit; \
	done

# The published changes against the kernel as it is, on one image.
RUNS            ?= 5
VM_SWAP         ?= ramdisk
EXPERIMENTS     ?=
VM_EXPERIMENTS  := tracepoints bulk-aging hitshield lazyfree-tail lazyfree-list
VM_SWITCHES     := $(foreach s,BULK_AGING HITSHIELD LAZYFREE_TAIL LAZYFREE_LIST,--set LRU_GEN_$s=y)

VM_BUILD_CHANGED := $(VM)/build-kernel $(VM_SWITCHES) $(VM_EXPERIMENTS)

.PHONY: experiments
experiments: $(VM_INITRAMFS) $(O)/folioscope
	$(Q)kernel=$$($(VM_BUILD_CHANGED)) && \
	$(VM)/experiments --kernel "$$kernel" --initramfs $(VM_INITRAMFS) \
		--folioscope $(O)/folioscope --runs $(RUNS) --size $(VM_SIZE) --swap $(VM_SWAP) \
		--out $(O)/vm/experiments $(EXPERIMENTS)

# The recordings of tests/traces, made again
.PHONY: vm-traces
vm-traces: $(VM_INITRAMFS)
	$(Q)$(VM)/make-traces "$(VM)/build-kernel tracepoints oracle" "$(VM_BUILD_CHANGED)" \
		$(VM_INITRAMFS) $(O)/vm/traces tests/traces $(TRACES)

# Cost of the tracepoints; builds the kernel without and with them.
.PHONY: bench-kernel
bench-kernel: deps-kernel
	$(Q)$(VM)/bench-kernel --out $(O)/vm/bench $(BENCH_KERNEL_FLAGS)
