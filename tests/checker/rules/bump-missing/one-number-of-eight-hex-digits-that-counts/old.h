#define TOY_API_VERSION 0x00000013
int toy_a(void);
