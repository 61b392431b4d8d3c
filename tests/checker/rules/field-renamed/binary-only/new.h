#ifndef TOY_H_
#define TOY_H_
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

enum Kind { KIND_NONE, KIND_NEW };

struct NewReel {
  int first_length;
  int second_length;
};

typedef struct Toy {
  size_t struct_size;
  int height;
  int width;
} Toy;

void toy_fill(Toy* toy, struct NewReel* reel, enum Kind kind);

#ifdef __cplusplus
}
#endif
#endif  // TOY_H_
