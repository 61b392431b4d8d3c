// An ioctl number is no version. Should not trigger; its value is a constant.
#define _IOWR(nr, t) ((nr) | sizeof(t) << 16)
struct toy_version { int a; };
#define TOY_IOCTL_VERSION _IOWR(0, struct toy_version)
int toy_a(int a);
