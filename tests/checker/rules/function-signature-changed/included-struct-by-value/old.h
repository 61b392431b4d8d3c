// A struct of an included header is passed by value and grows.
#ifndef MAP_H_
#define MAP_H_

#include "place_1.h"

int map_find(Place place);
int map_show(const Place* place);

#endif  // MAP_H_
