// Floating constants with other values, however they are written. Should trigger for each.
#pragma once

#define TOY_EPSILON 0.25
#define TOY_THIRD (1/3.5)
#define TOY_STEP 0.1f
#define TOY_HALF TOY_STEP * 5
#define TOY_RATIO (float)(1 / 4)
#define TOY_SCALE (2.0 + 3)
