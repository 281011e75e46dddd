// SPDX-License-Identifier: GPL-2.0-only
#include "analysis.h"

const struct analysis_ops *const analyses[MAX_ANALYSES] = {
	&analysis_pictures,
	&analysis_lifetimes,
	&analysis_order,
	&analysis_lazyfree,
	&analysis_hitshield,
	&analysis_refault,
	&analysis_counters,
	NULL,
};

void analysis_violation(const struct analysis_env *env, const struct violation *v)
{
	if (env->on_violation)
		env->on_violation(env->violation_self, v);
}
