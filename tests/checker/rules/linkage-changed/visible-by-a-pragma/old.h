// A pragma says what an attribute said. Should not trigger.
#ifndef EXAMPLE_VISIBLE_BY_A_PRAGMA_H_
#define EXAMPLE_VISIBLE_BY_A_PRAGMA_H_

__attribute__((visibility("default"))) int toy_play(int a);
int toy_stop(int a);

#endif  // EXAMPLE_VISIBLE_BY_A_PRAGMA_H_
