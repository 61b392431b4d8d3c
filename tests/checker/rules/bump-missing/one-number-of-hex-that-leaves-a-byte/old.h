#define TOY_ABI_VERSION 0x000000ff
int toy_a(void);
