// The same floating values, written otherwise. Should not trigger.
#pragma once

#define TOY_QUARTER 0x1p-2
#define TOY_EIGHTH (1.0/8)
#define TOY_BIG 1e3
#define TOY_LESS -0.5f
#define TOY_WHOLE (double)2
#define TOY_STEP .5
