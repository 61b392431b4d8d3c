// On ARM, four floats travel in four registers only as long as all are floats. Should trigger there.
#pragma once

#include <stdint.h>

typedef struct Vec { float x; float y; union { float z; }; float w; } Vec;
typedef struct Six { int32_t kind; union { float z; }; } Six;
typedef struct Four { union { double a; }; double b; double c; } Four;

Vec api_vec(Six six);
void api_four(Four four);
