// What is asked for is what the type needs anyway, and written in another way. Should not trigger.
#ifndef EXAMPLE_SAME_ALIGNMENT_H_
#define EXAMPLE_SAME_ALIGNMENT_H_

extern int toy_count;
extern _Alignas(64) char toy_line[64];

#endif  // EXAMPLE_SAME_ALIGNMENT_H_
