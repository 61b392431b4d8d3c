// The macro that stated the version is gone, and another one counts something else. Should not trigger.
#ifndef EXAMPLE_NUMBER_OF_SOMETHING_ELSE_H_
#define EXAMPLE_NUMBER_OF_SOMETHING_ELSE_H_

#define TOY_API_VERSION 0x11

int toy_count(void);

#endif  // EXAMPLE_NUMBER_OF_SOMETHING_ELSE_H_
