// The name and its value stay, as a macro instead of an enumerator. Should not trigger.
#ifndef KIND_H_
#define KIND_H_

enum {
  KIND_FILE = 1,
  KIND_SOCKET = 2
};

void kind_open(int kind);

#endif  // KIND_H_
