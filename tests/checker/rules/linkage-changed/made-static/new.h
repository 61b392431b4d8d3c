// The function moves into the header: there is no symbol any more. Should trigger.
#ifndef MAX_H_
#define MAX_H_

static inline int max_of(int a, int b) { return a > b ? a : b; }
static inline int min_of(int a, int b) { return b < a ? b : a; }

#endif  // MAX_H_
