// A header goes to another name, and what it declared goes with it. Should trigger.
#ifndef TOYS_H_
#define TOYS_H_

int toy_weigh(void);

#endif  // TOYS_H_
