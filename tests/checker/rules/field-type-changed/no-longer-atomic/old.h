// An atomic counter becomes a plain one of the same size. Should trigger.
#ifndef EXAMPLE_NO_LONGER_ATOMIC_H_
#define EXAMPLE_NO_LONGER_ATOMIC_H_

struct Toy {
  _Atomic int users;
  _Atomic(int)* shared;
};

#endif  // EXAMPLE_NO_LONGER_ATOMIC_H_
