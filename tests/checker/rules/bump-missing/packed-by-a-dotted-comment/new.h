// 0.9.2 becomes 0.9.3. A break needs MINOR while MAJOR is 0. Should trigger.
#define TOY_VERSION 0x00903000 /* 0.9.3 */
int toy_a(long a);
