// The declaration is written otherwise. Should not trigger.
#ifndef GLOBAL_H_
#define GLOBAL_H_

extern const char* const global_version;
extern unsigned global_flags;

#endif  // GLOBAL_H_
