// A function that never returned may return now. Should trigger.
#ifndef EXAMPLE_RETURNS_NOW_H_
#define EXAMPLE_RETURNS_NOW_H_

void toy_stop(int code);

#endif  // EXAMPLE_RETURNS_NOW_H_
