// Callers pass or read something else. Should trigger.
#pragma once

typedef struct Toy Toy;
typedef struct Key Key;

struct Box;
extern void* (*toy_box)(Toy* toy);
extern int (*toy_name)(Toy* toy, void* name);
extern void (*toy_feed)(Toy* toy, int* food);
extern void (*toy_wash)(Toy* toy);
extern void (*toy_hand)(Toy* toy, Key* key);
