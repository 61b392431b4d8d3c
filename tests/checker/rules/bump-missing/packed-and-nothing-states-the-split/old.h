// Nobody states the parts: no break is excused. Should trigger.
#define TOY_VERSION 0x01120600
int toy_a(int a);
