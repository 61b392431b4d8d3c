// A header goes to another name, and what it declared goes with it. Should trigger.
#ifndef GONE_H_
#define GONE_H_

int gone(void);

#endif  // GONE_H_
