// A pragma says what an attribute said. Should not trigger.
#ifndef EXAMPLE_VISIBLE_BY_A_PRAGMA_H_
#define EXAMPLE_VISIBLE_BY_A_PRAGMA_H_

#pragma GCC visibility push(hidden)
#pragma GCC visibility push(default)
int toy_play(int a);
#pragma GCC visibility pop
#pragma GCC visibility pop
int toy_stop(int a);

#endif  // EXAMPLE_VISIBLE_BY_A_PRAGMA_H_
