#include <stdint.h>
struct toy { union { uint16_t u; } a; struct { float f; } c; int b; };
