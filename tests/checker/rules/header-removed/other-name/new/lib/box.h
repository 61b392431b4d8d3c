// A header goes to another name, and what it declared goes with it. Should trigger.
#ifndef BOX_H_
#define BOX_H_

int box_weigh(void);
int toy_count(void);

#endif  // BOX_H_
