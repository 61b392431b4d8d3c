// A header that only C code could use begins to care for C++. Should not trigger.
#ifndef ENTRY_H_
#define ENTRY_H_

#ifdef __cplusplus
extern "C" {
#endif

int entry_open(const char* path);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ENTRY_H_
