// What the pair includes.
#ifndef COLOUR_H_
#define COLOUR_H_
typedef enum Colour { COLOUR_RED, COLOUR_BLUE, COLOUR_RAW = 0x100000000 } Colour;
#endif  // COLOUR_H_
