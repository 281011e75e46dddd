# SPDX-License-Identifier: GPL-2.0-only
#
# Included by the top Makefile: the event headers and the kernel series.

PATCHES := tests/patches

# The headers, their pages, and the check itself. Needs no kernel source.
.PHONY: check-tracepoints
check-tracepoints:
	$(Q)tests/tracepoints/check-header
	$(Q)tests/tracepoints/check-header-test

# Form, application without fuzz, checkpatch.pl. Needs linux-source-6.12.
.PHONY: check-patches
check-patches:
	$(Q)$(PATCHES)/check

# Does check-patches find what it should?
.PHONY: check-patches-test
check-patches-test:
	$(Q)$(PATCHES)/check-test

# Compile mm/ with and without; about six minutes when nothing is cached.
.PHONY: check-patches-build
check-patches-build:
	$(Q)$(PATCHES)/check-build
