// An enumerator moves to another enumeration, and keeps its value. Should trigger.
#ifndef EXAMPLE_MOVES_TO_ANOTHER_H_
#define EXAMPLE_MOVES_TO_ANOTHER_H_

enum Toy { TOY_BALL, TOY_CAR };
enum Tool { TOOL_SAW };

#endif  // EXAMPLE_MOVES_TO_ANOTHER_H_
