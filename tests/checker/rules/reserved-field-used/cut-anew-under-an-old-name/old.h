#pragma once
#include <stdint.h>
struct x { uint32_t a; uint32_t spare0; uint64_t id; uint64_t spare2; uint64_t spare3[4]; };
int f(struct x *);
