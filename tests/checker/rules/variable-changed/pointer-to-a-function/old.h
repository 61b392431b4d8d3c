// Callers pass and read what they did before. Should trigger: the types differ in source code.
#pragma once

typedef struct Toy Toy;
typedef struct Key Key;

extern void* (*toy_key)(Toy* toy);
extern int (*toy_name)(Toy* toy, char* name);
extern void (*toy_feed)(Toy* toy, unsigned char* food, int count);
