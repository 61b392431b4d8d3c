// A header stays, and includes the one that has all of it now. Should not trigger.
#ifndef TOYS_H_
#define TOYS_H_

int toy_weigh(void);

#endif  // TOYS_H_
