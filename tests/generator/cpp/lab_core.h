// What the tests ask the core beyond its API.
#pragma once

#include "lab/lab_helpers.h"

#ifdef __cplusplus
extern "C" {
#endif

// How many objects there are: probes, statuses, experiments.
int Lab_Live(void);
// The codes of the failures that runs have been told of, the last one only.
LAB_Code Lab_LastFailure(void);
const char* Lab_LastMessage(void);
// Calls all functions of a bench as a core does; returns what was weighed.
double Lab_UseBench(const LP_BenchFns* fns, const LP_Bench* bench, LAB_Status* status);

#ifdef __cplusplus
}
#endif
