// SPDX-License-Identifier: GPL-2.0-only
#include "assets.h"

/* The paths are those from the top of the source, where make runs. */
#define ASSET(symbol, path)						\
	__asm__(".section .rodata\n"					\
		".global " #symbol "\n"					\
		#symbol ":\n"						\
		".incbin \"analyzer/html/" path "\"\n"			\
		".byte 0\n"						\
		".previous\n")

ASSET(asset_page_css, "page.css");
ASSET(asset_page_js, "page.js");
ASSET(asset_uplot_css, "uPlot.min.css");
ASSET(asset_uplot_js, "uPlot.iife.min.js");
