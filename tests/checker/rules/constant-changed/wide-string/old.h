// A string becomes a wide one; another was wide in its second part already. Should trigger.
#ifndef EXAMPLE_WIDE_STRING_H_
#define EXAMPLE_WIDE_STRING_H_

#define TOY_NAME "toy"
#define TOY_PATH "toys/" L"old"

#endif  // EXAMPLE_WIDE_STRING_H_
