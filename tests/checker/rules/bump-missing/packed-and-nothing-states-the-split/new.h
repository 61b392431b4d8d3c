// Nobody states the parts: no break is excused. Should trigger.
#define TOY_VERSION 0x02000000
int toy_a(long a);
