// Both ways to mark a function. Should trigger for both.
#ifndef OLDAPI_H_
#define OLDAPI_H_

// Deprecated. Use `old_open2`.
int old_open(const char* path);
int old_open2(const char* path, int flags);
int old_stat(const char* path) __attribute__((deprecated("no longer useful")));

#endif  // OLDAPI_H_
