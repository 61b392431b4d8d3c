// A handle gains its type, characters become those of another sign: calls are as before. Should trigger.
#pragma once

typedef struct Toy Toy;
typedef struct Key Key;

void* toy_key(Toy* toy);
int toy_feed(Toy* toy, unsigned char* food);
char* toy_name(Toy* toy);
