int toy_a(void);
// A limit.
#ifndef TOY_LIMIT
#define TOY_LIMIT 3
#endif
