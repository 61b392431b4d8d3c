// A macro of the same name says nothing of the symbol that is new.
#ifndef TOY_H_
#define TOY_H_

const int* toy_limits(void);
#define toy_limit (*toy_limits())

#endif  // TOY_H_
