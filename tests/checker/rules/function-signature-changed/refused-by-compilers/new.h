// Compilers refuse each call of a function. Should trigger.
#ifndef EXAMPLE_REFUSED_BY_COMPILERS_H_
#define EXAMPLE_REFUSED_BY_COMPILERS_H_

int toy_weigh(void) __attribute__((unavailable("weigh it yourself")));
int toy_count(void) __attribute__((error("count them yourself")));

#endif  // EXAMPLE_REFUSED_BY_COMPILERS_H_
