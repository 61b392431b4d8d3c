// An exported object goes. Should trigger.
#ifndef GLOBAL_H_
#define GLOBAL_H_

extern const char* const global_version;

#endif  // GLOBAL_H_
