// The struct itself goes: the constant follows it. Should not trigger.
#ifndef GAUGE_H_
#define GAUGE_H_

int gauge_count(void);

#endif  // GAUGE_H_
