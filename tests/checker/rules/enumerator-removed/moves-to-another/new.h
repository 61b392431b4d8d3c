// An enumerator moves to another enumeration, and keeps its value. Should trigger.
#ifndef EXAMPLE_MOVES_TO_ANOTHER_H_
#define EXAMPLE_MOVES_TO_ANOTHER_H_

enum Toy { TOY_BALL };
enum Tool { TOOL_SAW, TOY_CAR };

#endif  // EXAMPLE_MOVES_TO_ANOTHER_H_
