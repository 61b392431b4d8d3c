// An opcode among others is no version, and an addition needs none. Should not trigger.
#define TOY_OPEN 1
#define TOY_CLOSE 2
#define TOY_VERSION 3
#define TOY_READ 4
int toy_a(int a);
