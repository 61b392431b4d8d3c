// All values are explicit, and the new one takes the value of another: what was 2 is 3 now. Should trigger for both.
#ifndef ATTR_TYPE_H_
#define ATTR_TYPE_H_

typedef enum {
  ATTR_TYPE_I32 = 1,
  ATTR_TYPE_I64 = 2,
  ATTR_TYPE_F32 = 3,
} AttrType;

int attr_decode(AttrType type, const void* value);

#endif  // ATTR_TYPE_H_
