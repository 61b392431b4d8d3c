#pragma once
#include <stdint.h>
struct x { uint32_t a; uint32_t spare0; uint64_t id; uint32_t mem; uint32_t off; uint64_t sub; uint32_t min; uint32_t spare2; uint64_t spare3[2]; };
int f(struct x *);
