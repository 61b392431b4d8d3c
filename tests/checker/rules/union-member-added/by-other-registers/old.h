// Alternatives of another class in what is passed by value go by other registers. Should trigger for three.
#pragma once

#include <stdint.h>

typedef union Value { double number; } Value;
typedef struct Item { union { double number; } value; int64_t count; } Item;
typedef struct Pair { float first; union { float second; }; } Pair;
typedef union Word { int64_t number; float small; } Word;
typedef union Mixed { int64_t number; float small; } Mixed;
typedef union Pointed { double number; } Pointed;
typedef struct Large { union { double number; } value; int64_t rest[2]; } Large;
typedef struct Table { int (*run)(Pair pair); } Table;

void api_set(Value value);
Item api_get(void);
void api_add(Mixed mixed);
void api_word(Word word);
void api_point(const Pointed* pointed, const Table* table);
void api_large(Large large);
