// 2.0.2 becomes 2.1.0; the last byte is the release. Should trigger.
#define TOY_VERSION 0x020002ff
#define TOY_VERSION_MAJOR(v) (((v) >> 24) & 0xff)
#define TOY_VERSION_MINOR(v) (((v) >> 16) & 0xff)
#define TOY_VERSION_PATCH(v) (((v) >> 8) & 0xff)
int toy_a(int a);
