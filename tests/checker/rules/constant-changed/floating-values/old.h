// Floating constants with other values, however they are written. Should trigger for each.
#pragma once

#define TOY_EPSILON 0x1p-3
#define TOY_THIRD (1.0/3)
#define TOY_STEP 0.1
#define TOY_HALF TOY_STEP * 5
#define TOY_RATIO ((float)1 / 4)
#define TOY_SCALE (2.0 * 3)
