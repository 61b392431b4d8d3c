// A pragma hides one of two functions. Should trigger, once.
#ifndef EXAMPLE_HIDDEN_BY_A_PRAGMA_H_
#define EXAMPLE_HIDDEN_BY_A_PRAGMA_H_

int toy_play(int a);
int toy_stop(int a);

#endif  // EXAMPLE_HIDDEN_BY_A_PRAGMA_H_
