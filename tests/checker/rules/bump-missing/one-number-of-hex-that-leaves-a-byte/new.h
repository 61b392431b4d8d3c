#define TOY_ABI_VERSION 0x00000100
int toy_a(long);
