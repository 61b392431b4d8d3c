#include <stdint.h>
struct toy { union { uint16_t u; } a; int b; };
struct toy_back { uint16_t a : 16; int b; };
struct toy_two { union { uint16_t u; uint8_t v; } a; int b; };
struct toy_sign { union { int16_t u; } a; int b; };
