// The parts of another prefix are only likely the version: they need not move. Should not trigger.
#define IN_TOUCH_MAJOR 48
#define IN_TOUCH_MINOR 49
int toy_a(int a);
int toy_b(int b);
