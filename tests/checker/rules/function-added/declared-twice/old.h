// A second declaration of what is there already. Should not trigger.
#ifndef TWICE_H_
#define TWICE_H_

int twice(int value);

#endif  // TWICE_H_
