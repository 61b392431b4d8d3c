#pragma once

/* Both are names of the version, and both move. The rule is silent. */
#define TOY_ABI_VERSION 0x040000
#define TOY_API_VERSION 0x050000

int toy_a(void);
