// A handle gains its type, characters become those of another sign: calls are as before. Should trigger.
#pragma once

typedef struct Toy Toy;
typedef struct Key Key;

Key* toy_key(Toy* toy);
int toy_feed(Toy* toy, char* food);
unsigned char* toy_name(Toy* toy);
