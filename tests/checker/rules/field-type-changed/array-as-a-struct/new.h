// Two pointers in an array become two in a struct; of another member one becomes a number. Should trigger.
#ifndef EXAMPLE_ARRAY_AS_A_STRUCT_H_
#define EXAMPLE_ARRAY_AS_A_STRUCT_H_

struct ToyQueue {
  void* next;
  void* before;
};

struct ToyPair {
  void* first;
  long second;
};

typedef struct {
  struct ToyQueue queue;
  struct ToyPair pair;
} Toy;

#endif  // EXAMPLE_ARRAY_AS_A_STRUCT_H_
