// Two pointers in an array become two in a struct; of another member one becomes a number. Should trigger.
#ifndef EXAMPLE_ARRAY_AS_A_STRUCT_H_
#define EXAMPLE_ARRAY_AS_A_STRUCT_H_

typedef struct {
  void* queue[2];
  void* pair[2];
} Toy;

#endif  // EXAMPLE_ARRAY_AS_A_STRUCT_H_
