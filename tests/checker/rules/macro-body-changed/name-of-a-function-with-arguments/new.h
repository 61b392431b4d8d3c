// A macro for a function's name takes arguments now, and another no longer does: both are called as before. Should not trigger.
#ifndef INIT_H_
#define INIT_H_

#define START(x) run(x)
#define STOP halt
void run(int x);
void halt(int x);

#endif  // INIT_H_
