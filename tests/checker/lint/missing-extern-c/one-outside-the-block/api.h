// The block ends too early. Should trigger for the one behind it.
#ifndef PLAIN_H_
#define PLAIN_H_

#ifdef __cplusplus
extern "C" {
#endif

int plain_open(const char* path);

#ifdef __cplusplus
}  // extern "C"
#endif

int plain_close(int handle);

#endif  // PLAIN_H_
