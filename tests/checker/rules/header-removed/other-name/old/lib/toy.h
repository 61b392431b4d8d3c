// A header goes to another name, and what it declared goes with it. Should trigger.
#ifndef TOY_H_
#define TOY_H_

int toy_weigh(void);
int toy_count(void);

#endif  // TOY_H_
