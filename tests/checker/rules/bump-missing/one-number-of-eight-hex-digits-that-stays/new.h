#define TOY_2_0_VERSION 0x0000000f
#define TOY_VERSION TOY_2_0_VERSION
int toy_a(void);
int toy_b(void);
