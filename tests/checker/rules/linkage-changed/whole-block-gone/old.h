// The block disappears and with it every mention of C++: a plugin in C++ now exports another symbol. Should trigger.
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
