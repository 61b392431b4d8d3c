// A macro of the same name says nothing of the symbol that is new.
#ifndef TOY_H_
#define TOY_H_

const int* toy_limits(void);
extern const int toy_limit;

#endif  // TOY_H_
