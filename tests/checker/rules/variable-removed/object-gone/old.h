// An exported object goes. Should trigger.
#ifndef GLOBAL_H_
#define GLOBAL_H_

extern const char* const global_version;
extern int global_debug;

#endif  // GLOBAL_H_
