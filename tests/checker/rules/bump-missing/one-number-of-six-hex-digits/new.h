#define TOY_VERSION 0x000100
int toy_a(void);
int toy_b(void);
