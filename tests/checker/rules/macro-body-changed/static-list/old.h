// A list that every user compiles in has other contents. Should trigger.
#ifndef EXAMPLE_STATIC_LIST_H_
#define EXAMPLE_STATIC_LIST_H_

static const int toy_primes[] = {2, 3, 5};
static const int toy_odd[] = {1, 3};

#endif  // EXAMPLE_STATIC_LIST_H_
