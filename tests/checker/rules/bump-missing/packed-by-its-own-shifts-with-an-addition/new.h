// 1.18.6 becomes 1.19.0. Should not trigger.
#define TOY_VERSION ((1 << 24) | (19 << 16) | (0 << 8) | 0)
int toy_a(int a);
int toy_b(int b);
