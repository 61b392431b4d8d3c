#pragma once

/* Both are names of the version, and both move: 0xMMmmpp. The rule is silent. */
#define TOY_ABI_VERSION 0x030000  // 0xMMmmpp
#define TOY_API_VERSION 0x040000  // 0xMMmmpp

int toy_a(int how);
