// The declaration is written otherwise. Should not trigger.
#ifndef GLOBAL_H_
#define GLOBAL_H_

extern unsigned int global_flags;
extern char const* const global_version;

#endif  // GLOBAL_H_
