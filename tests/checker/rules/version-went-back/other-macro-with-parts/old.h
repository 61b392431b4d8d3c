// The macros of the version have other names, and the version went back. Should trigger.
#ifndef EXAMPLE_OTHER_MACRO_WITH_PARTS_H_
#define EXAMPLE_OTHER_MACRO_WITH_PARTS_H_

#define TOY_MAJOR 2
#define TOY_MINOR 1

int toy_count(void);

#endif  // EXAMPLE_OTHER_MACRO_WITH_PARTS_H_
