// A header that only C code could use begins to care for C++. Should not trigger.
#ifndef ENTRY_H_
#define ENTRY_H_

int entry_open(const char* path);

#endif  // ENTRY_H_
