// A member has a struct of another name and size now, with members of other names. Should trigger.
#ifndef EXAMPLE_STRUCT_WITH_OTHER_NAMES_H_
#define EXAMPLE_STRUCT_WITH_OTHER_NAMES_H_

typedef struct {
  int width;
  int height;
} Size;

typedef struct {
  long id;
  Size size;
} Toy;

#endif  // EXAMPLE_STRUCT_WITH_OTHER_NAMES_H_
