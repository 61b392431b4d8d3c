#include <stdbool.h>
#include <stdint.h>
struct toy { bool on : 1; int b; };
struct toy_far { bool on : 1; int b; };
struct toy_whole { bool on; int b; };
