// The block disappears and with it every mention of C++: a plugin in C++ now exports another symbol. Should trigger.
#ifndef ENTRY_H_
#define ENTRY_H_

int entry_open(const char* path);

#endif  // ENTRY_H_
