/* Written by abigen skew.

   What both sides and main.c share. A scalar is one scalar that crosses: a member, a parameter, a result. The producer
   notes what it writes into each scalar, the consumer what it reads there; main.c compares the two. */
#ifndef CROSSING_H_
#define CROSSING_H_
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef long double number; /* holds every integer of 64 bits, and every floating number */

extern int skew_careful; /* do both sides compare struct_size before they touch a member? */
extern int skew_variant; /* which alternative of each union is filled */

/* Memory for an object, aligned to `alignment` and to no more; it holds zeros, or anything. */
void *skew_memory(size_t size, size_t alignment, int is_clean);
/* What to write into a scalar. */
int64_t skew_value(int scalar);
void skew_wrote(int scalar, number value);
void skew_read(int scalar, const char *member, number value);

/* A pointer holds a number in another way than an integer does: what is written as one and read as the other differs. */
enum { SKEW_POINTER_BITS = 0x40000000 };
#define POINTER_TO(value) ((value) ? (void *)((intptr_t)(value) ^ SKEW_POINTER_BITS) : NULL)
#define VALUE_OF(pointer) ((pointer) ? (intptr_t)(pointer) ^ SKEW_POINTER_BITS : 0)

/* Where a member ends, in bytes from the start of its struct. */
#define ENDS(object, member) ((size_t)((const char *)&(object)->member - (const char *)(object)) + sizeof((object)->member))

#define PUT(scalar, member) ((member) = skew_value(scalar), skew_wrote(scalar, (number)(member)))
/* For what is kept free: whoever fills a struct leaves all of it zero. */
#define PUT_ZERO(scalar, member) (memset((void *)&(member), 0, sizeof(member)), skew_wrote(scalar, 0))
#define PUT_ZERO_BITS(scalar, member) ((member) = 0, skew_wrote(scalar, 0))
#define PUT_POINTER(scalar, member) ((member) = POINTER_TO(skew_value(scalar)), skew_wrote(scalar, (number)VALUE_OF(member)))
/* For a member that is const: its owner fills it all the same, once. */
#define PUT_CONST_BY(scalar, member, given, value)   \
  do {                                             \
    __typeof__(member) made = given;               \
    memcpy((void *)&(member), &made, sizeof made); \
    skew_wrote(scalar, (number)(value));             \
  } while (0)
#define PUT_CONST(scalar, member) PUT_CONST_BY(scalar, member, skew_value(scalar), made)
#define PUT_CONST_POINTER(scalar, member) PUT_CONST_BY(scalar, member, POINTER_TO(skew_value(scalar)), VALUE_OF(made))
#define GET(scalar, name, member) skew_read(scalar, name, (number)(member))
#define GET_POINTER(scalar, name, member) skew_read(scalar, name, (number)VALUE_OF(member))
#endif
