// SPDX-License-Identifier: GPL-2.0-only
#include "fuzz.h"

volatile uint64_t fuzz_sink;
