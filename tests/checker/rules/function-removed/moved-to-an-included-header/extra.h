#ifndef EXTRA_H_
#define EXTRA_H_

int tp_extra(void);

#endif  // EXTRA_H_
