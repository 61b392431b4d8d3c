#ifndef TOY_H
#define TOY_H
int toy_start(void);
#endif
