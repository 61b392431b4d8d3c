#define TOY_API_VERSION 0x00000014
long toy_a(void);
