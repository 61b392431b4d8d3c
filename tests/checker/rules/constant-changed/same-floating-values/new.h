// The same floating values, written otherwise. Should not trigger.
#pragma once

#define TOY_QUARTER 0.25
#define TOY_EIGHTH 125e-3
#define TOY_BIG 1000.
#define TOY_LESS (-(float)1 / 2)
#define TOY_WHOLE 0x2.0p0L
#define TOY_STEP (TOY_QUARTER + TOY_QUARTER)
