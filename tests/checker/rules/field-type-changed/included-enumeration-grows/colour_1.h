// What the pair includes.
#ifndef COLOUR_H_
#define COLOUR_H_
typedef enum Colour { COLOUR_RED, COLOUR_BLUE } Colour;
#endif  // COLOUR_H_
