// Two digits for each part: 0.0.19 to 0.1.0.
#define TOY_VERSION 0x000013
int toy_a(void);
