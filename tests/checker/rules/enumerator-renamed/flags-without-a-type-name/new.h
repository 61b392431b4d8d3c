// Flags without a name of their own, one of them given another name. Findings name the enumerator alone.
#ifndef OPEN_FLAGS_H_
#define OPEN_FLAGS_H_

enum {
  OPEN_READ = 1 << 0,
  OPEN_READ_WRITE = 1 << 1,
  OPEN_CREATE = 1 << 2
};

int open_file(const char* path, unsigned flags);

#endif  // OPEN_FLAGS_H_
