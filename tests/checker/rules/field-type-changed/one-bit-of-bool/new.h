#include <stdbool.h>
#include <stdint.h>
struct toy { uint8_t on : 1; int b; };
struct toy_far { int on : 1; int b; };
struct toy_whole { uint8_t on; int b; };
