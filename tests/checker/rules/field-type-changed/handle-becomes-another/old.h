#ifndef TOY_H_
#define TOY_H_
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

struct Reel_st;
struct Film_st;

typedef struct Toy {
  size_t struct_size;
  struct Reel_st* reel;
} Toy;

#ifdef __cplusplus
}
#endif
#endif  // TOY_H_
