#pragma once

#include <stddef.h>
#include <stdint.h>

typedef enum TOY_Extension_Type {
  TOY_Extension_Type_Drum = 0,
  TOY_Extension_Type_Flute,
} TOY_Extension_Type;

/* A chain of extras, each of which begins with this. */
typedef struct TOY_Extension_Base {
  TOY_Extension_Type type;
  const struct TOY_Extension_Base* next;
} TOY_Extension_Base;

void TOY_Play(const void* first);
