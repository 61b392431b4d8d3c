// What is asked for is what the type needs anyway, and written in another way. Should not trigger.
#ifndef EXAMPLE_SAME_ALIGNMENT_H_
#define EXAMPLE_SAME_ALIGNMENT_H_

extern _Alignas(4) int toy_count;
extern char toy_line[64] __attribute__((aligned(1 << 6)));

#endif  // EXAMPLE_SAME_ALIGNMENT_H_
