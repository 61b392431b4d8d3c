// Compilers refuse each call of a function. Should trigger.
#ifndef EXAMPLE_REFUSED_BY_COMPILERS_H_
#define EXAMPLE_REFUSED_BY_COMPILERS_H_

int toy_weigh(void);
int toy_count(void);

#endif  // EXAMPLE_REFUSED_BY_COMPILERS_H_
