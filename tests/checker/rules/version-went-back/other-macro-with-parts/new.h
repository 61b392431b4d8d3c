// The macros of the version have other names, and the version went back. Should trigger.
#ifndef EXAMPLE_OTHER_MACRO_WITH_PARTS_H_
#define EXAMPLE_OTHER_MACRO_WITH_PARTS_H_

#define TOY_VERSION_MAJOR 1
#define TOY_VERSION_MINOR 4

int toy_count(void);

#endif  // EXAMPLE_OTHER_MACRO_WITH_PARTS_H_
