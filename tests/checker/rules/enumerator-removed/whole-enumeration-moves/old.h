// An enumeration gets another tag under its typedef, another one gets one at all. Should not trigger.
#ifndef EXAMPLE_WHOLE_ENUMERATION_MOVES_H_
#define EXAMPLE_WHOLE_ENUMERATION_MOVES_H_

typedef enum { TOY_BALL, TOY_CAR } Toy;
typedef enum { TOOL_SAW } Tool;

#endif  // EXAMPLE_WHOLE_ENUMERATION_MOVES_H_
