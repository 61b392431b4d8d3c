// Only qualifiers differ behind the pointer: binaries do not notice, source code does. Should trigger.
#ifndef NAME_H_
#define NAME_H_

typedef const char* name_t;

void name_set(name_t name);

#endif  // NAME_H_
