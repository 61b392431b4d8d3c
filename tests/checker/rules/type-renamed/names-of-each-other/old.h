#pragma once

#include <stddef.h>
#include <stdint.h>

typedef enum TOY_Structure_Type {
  TOY_Structure_Type_Drum = 0,
  TOY_Structure_Type_Flute,
} TOY_Structure_Type;

/* A chain of extras, each of which begins with this. */
typedef struct TOY_Structure_Base {
  TOY_Structure_Type type;
  const struct TOY_Structure_Base* next;
} TOY_Structure_Base;

void TOY_Play(const void* first);
