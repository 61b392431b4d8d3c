#pragma once

/* Both are names of the version, and only one of them moves. */
#define TOY_ABI_VERSION 0x030000
#define TOY_API_VERSION 0x050000

/* Should trigger, and no version says which number is to be raised. */
int toy_a(void);
