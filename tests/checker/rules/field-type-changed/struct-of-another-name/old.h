// A member has a struct of another name now, which holds the same at the same places. Should trigger.
#ifndef EXAMPLE_STRUCT_OF_ANOTHER_NAME_H_
#define EXAMPLE_STRUCT_OF_ANOTHER_NAME_H_

typedef struct {
  int width;
  int height;
} Size;

typedef struct {
  Size size;
  int color;
} Box;

typedef struct {
  long id;
  Box box;
  struct {
    int spare;
  } rest;
} Toy;

#endif  // EXAMPLE_STRUCT_OF_ANOTHER_NAME_H_
