// A tag for a struct that had none, and a tag that differs from the typedef: the type is the same. Should not trigger.
#ifndef VEC_H_
#define VEC_H_

typedef struct Vec2 {
  float x;
  float y;
} Vec2;

typedef struct VecListImpl VecList;

float vec_length(const Vec2* v);
void vec_append(VecList* list, const Vec2* v);

#endif  // VEC_H_
