// A new object is an addition. Should trigger.
#ifndef GLOBAL_H_
#define GLOBAL_H_

extern int global_debug;
extern int global_trace;

#endif  // GLOBAL_H_
