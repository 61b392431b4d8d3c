// A header stays, and includes the one that has all of it now. Should not trigger.
#ifndef TOY_H_
#define TOY_H_

int toy_weigh(void);

#endif  // TOY_H_
