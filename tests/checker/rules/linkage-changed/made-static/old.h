// The function moves into the header: there is no symbol any more. Should trigger.
#ifndef MAX_H_
#define MAX_H_

int max_of(int a, int b);
static inline int min_of(int a, int b) { return a < b ? a : b; }

#endif  // MAX_H_
