int toy_a(void);
// Deprecated.
#ifndef TOY_LIMIT
#define TOY_LIMIT 3
#endif
// Deprecated.
#ifndef TOY_OTHER
#define TOY_LAST 4
#endif
