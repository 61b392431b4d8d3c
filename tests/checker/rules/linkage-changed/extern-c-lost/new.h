// Without extern "C", a C++ compiler gives the function another symbol. Should trigger.
#ifndef ENTRY_H_
#define ENTRY_H_

#ifdef __cplusplus
extern "C" {
#endif

int entry_open(const char* path);

#ifdef __cplusplus
}  // extern "C"
#endif

int entry_close(int handle);

#endif  // ENTRY_H_
