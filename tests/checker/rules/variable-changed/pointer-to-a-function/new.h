// Callers pass and read what they did before. Should trigger: the types differ in source code.
#pragma once

typedef struct Toy Toy;
typedef struct Key Key;

extern Key* (*toy_key)(Toy* toy);
extern int (*toy_name)(Toy* toy, const char* name);
extern void (*toy_feed)(Toy* toy, const char* food, int count);
