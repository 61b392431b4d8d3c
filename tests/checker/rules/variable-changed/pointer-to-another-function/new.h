// Callers pass or read something else. Should trigger.
#pragma once

typedef struct Toy Toy;
typedef struct Key Key;

struct Box { int size; };
extern struct Box* (*toy_box)(Toy* toy);
extern int (*toy_name)(Toy* toy, const char* name);
extern void (*toy_feed)(Toy* toy, short* food);
extern void (*toy_wash)(Toy* toy, int hot);
extern void (*toy_hand)(Toy* toy, Toy* key);
