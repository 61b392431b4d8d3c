// 1.18.6 becomes 1.19.0. Should not trigger.
#define TOY_VERSION ((1 << 24) | (18 << 16) | (6 << 8) | 0)
int toy_a(int a);
