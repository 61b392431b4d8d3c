// 1.4.0 becomes 2.0.0. Should not trigger.
#define TOY_MAKE(a, b, c) (((a) << 16) | ((b) << 8) | (c))
#define TOY_VERSION TOY_MAKE(1, 4, 0)
int toy_a(int a);
