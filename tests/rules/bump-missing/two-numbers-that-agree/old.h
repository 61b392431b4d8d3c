#pragma once

/* Both are names of the version, and both move. The rule is silent. */
#define TOY_ABI_VERSION 0x030000
#define TOY_API_VERSION 0x040000

int toy_a(int how);
