// A macro goes that has a value where GNU C is defined only. Should trigger.
#ifndef EXAMPLE_WITHOUT_A_VALUE_ELSEWHERE_H_
#define EXAMPLE_WITHOUT_A_VALUE_ELSEWHERE_H_

int toy_count(void);

#endif  // EXAMPLE_WITHOUT_A_VALUE_ELSEWHERE_H_
