// A new object is an addition. Should trigger.
#ifndef GLOBAL_H_
#define GLOBAL_H_

extern int global_debug;

#endif  // GLOBAL_H_
