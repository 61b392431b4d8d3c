#include <stdint.h>
struct toy { uint16_t a : 16; int b; };
struct toy_back { union { uint16_t u; } a; int b; };
struct toy_two { uint16_t a : 16; int b; };
struct toy_sign { uint16_t a : 16; int b; };
