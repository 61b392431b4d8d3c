// What the pair includes.
#ifndef PLACE_H_
#define PLACE_H_
typedef struct Place { int x; int y; int z; } Place;
#endif  // PLACE_H_
