#pragma once

/* Both are names of the version, and both move: 0xMMmmpp. The rule is silent. */
#define TOY_ABI_VERSION 0x040000  // 0xMMmmpp
#define TOY_API_VERSION 0x050000  // 0xMMmmpp

int toy_a(void);
