/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of html/ that are put into every page, as they are. NUL-terminated.
 */
#ifndef FOLIOSCOPE_ASSETS_H
#define FOLIOSCOPE_ASSETS_H

extern const char asset_page_css[];
extern const char asset_page_js[];
extern const char asset_uplot_css[];
extern const char asset_uplot_js[];	/* with its licence in front */

#endif /* FOLIOSCOPE_ASSETS_H */
