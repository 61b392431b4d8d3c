#include <stdint.h>
struct toy { uint16_t a; float c; int b; };
